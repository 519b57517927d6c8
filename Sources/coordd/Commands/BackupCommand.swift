import Actors
import Coordinator

/// `coordd backup`: copies a data folder, also while its daemon runs.
struct BackupCommand {
    private let options: BackupOptions
    private let work: FolderWork

    /// Damaged places that are named.
    private static let namedLimit = 10

    /// A run with options.
    init(
        _ options: BackupOptions, _ environment: [String: String], isRoot: Bool, _ console: Console
    ) {
        self.options = options
        work = FolderWork(
            name: "backup", config: options.config, data: options.data, environment: environment,
            isRoot: isRoot, console: console)
    }

    /// Copies and checks until the backup is in its place, or Ctrl-C.
    func run() async -> ExitCode {
        let command = self
        return await work.run { context in try command.copy(context) }
    }

    private func copy(_ context: FolderWork.Context) throws -> ExitCode {
        let configuration = context.configuration
        guard DataFolder.hasDatabase(in: configuration.data) else {
            throw DataFolder.Fault.empty(folder: configuration.data)
        }
        try DataFolder.checkOwner(configuration.data)
        try DataFolder.checkIsFinished(configuration.data)
        let key = try KeyFile.key(at: configuration.secrets.keyFile, isNeeded: true)
        let target: BackupTarget
        do throws(DataFolder.Fault) {
            target = try BackupTarget(options.target, outside: configuration.data)
        } catch {
            if case .held(let draft, let processID) = error {
                context.complain("process \(processID) is making this backup, in \(draft)")
                return .failed
            }
            throw error
        }
        let (show, clear) = context.bar()
        let start = SteadyClock.microseconds
        let report: FolderBackup.Report
        do {
            report = try FolderBackup(
                DataFolder.database(in: configuration.data), to: target, key: key,
                settings: configuration.sessionSettings,
                StoreVerification.World(progress: show, isStopped: context.isStopped)
            ).run()
        } catch {
            clear()
            target.discard()
            throw error
        }
        clear()
        let seconds = Double((SteadyClock.microseconds - start) / 10_000) / 100
        let result = Result(
            target: target.path, report: report, seconds: seconds, key: report.key,
            keyFile: configuration.secrets.keyFile)
        for damage in report.verification.damage.prefix(Self.namedLimit) {
            context.complain(
                "damaged in the folder and in the backup: table \(damage.table), \(damage.row): "
                    + damage.reason)
        }
        if report.verification.damageCount > Self.namedLimit {
            context.complain(
                "\(report.verification.damageCount) places are damaged; coordd verify names them")
        }
        work.console.print(
            options.json
                ? PlainText.json(result.json) + "\n" : result.text(configuration.data))
        return report.verification.isWhole ? .done : .failed
    }

    private struct Result {
        var target: String
        var report: FolderBackup.Report
        var seconds: Double
        var key: String
        var keyFile: String

        private var sessions: Int {
            report.verification.counts.first { $0.name == "sessions" }?.count ?? 0
        }

        var json: JSON {
            [
                "backup": .string(target), "sessions": .integer(sessions),
                "bytes": .integer(report.bytes), "transaction": .integer(report.sequence),
                "seconds": .number(JSONNumber(seconds)),
                "damaged": .integer(report.verification.damageCount),
                "key": .string(key), "keyFile": .string(keyFile),
            ]
        }

        func text(_ folder: String) -> String {
            let words = sessions == 1 ? "1 session" : "\(sessions) sessions"
            return """
                backed up \(PlainText.escaped(folder)) to \(PlainText.escaped(target)) and looked \
                through it: \(words), \(report.bytes) bytes, up to transaction \(report.sequence), \
                \(JSONNumber(seconds).text) s
                To be of use it needs the key \(key), which is in \(PlainText.escaped(keyFile)) and \
                not in the backup.

                """
        }
    }
}
