import Actors
import Coordinator

/// `coordd verify`: looks through a data folder or backup, and changes nothing in it.
struct VerifyCommand {
    private let options: VerifyOptions
    private let work: FolderWork

    /// A run with options.
    init(
        _ options: VerifyOptions, _ environment: [String: String], isRoot: Bool, _ console: Console
    ) {
        self.options = options
        work = FolderWork(
            name: "verify", config: options.config, data: options.folder, environment: environment,
            isRoot: isRoot, console: console)
    }

    /// Looks until everything was seen, or Ctrl-C.
    func run() async -> ExitCode {
        let command = self
        return await work.run { context in try command.look(context) }
    }

    private func look(_ context: FolderWork.Context) throws -> ExitCode {
        let configuration = context.configuration
        let folder: StoppedFolder
        do throws(DataFolder.Fault) {
            folder = try StoppedFolder(configuration.data)
        } catch {
            guard case .held = error else { throw error }
            context.complain("\(error); stop it first, or verify what coordd backup makes of it")
            return .failed
        }
        let key = try KeyFile.key(at: configuration.secrets.keyFile, isNeeded: true)
        let (show, clear) = context.bar()
        defer { clear() }
        let report = try withExtendedLifetime(folder) {
            try StoreVerification.run(
                StoreVerification.Request(
                    path: folder.database, key: key, settings: configuration.sessionSettings,
                    note: configuration.secrets.keyFile),
                StoreVerification.World(progress: show, isStopped: context.isStopped))
        }
        clear()
        let table = VerificationTable(
            report: report, policy: configuration.store.damaged)
        work.console.print(options.json ? PlainText.json(table.json) + "\n" : table.text)
        return report.isWhole ? .done : .failed
    }
}
