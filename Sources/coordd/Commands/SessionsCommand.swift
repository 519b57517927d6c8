import Actors
import Coordinator

/// `coordd sessions`: reads and changes the data folder of a stopped daemon, or asks a running one.
struct SessionsCommand {
    private let options: SessionsOptions
    private let environment: [String: String]
    private let isRoot: Bool
    private let console: Console

    /// A run with options.
    init(
        _ options: SessionsOptions, _ environment: [String: String], isRoot: Bool,
        _ console: Console
    ) {
        self.options = options
        self.environment = environment
        self.isRoot = isRoot
        self.console = console
    }

    /// Works until everything is printed, or Ctrl-C.
    func run() async -> ExitCode {
        let command = self
        if let remote = options.remote { return await ask(remote) }
        let work = FolderWork(
            name: options.name, config: options.config, data: options.data,
            environment: environment, isRoot: isRoot, console: console)
        return await work.run { context in
            switch command.options.action {
            case .list, .show, .export: try command.read(context)
            case .adopt(let file, let replacing):
                try SessionsImport(
                    file: file, isReplacing: replacing, isJSON: command.options.json
                ).run(context)
            case .delete(let ids, let damaged):
                try SessionsDeletion(
                    ids: ids, takesDamaged: damaged, isJSON: command.options.json
                ).run(context)
            }
        }
    }

    private func ask(_ remote: SessionsOptions.Remote) async -> ExitCode {
        let given = environment[ConfigurationLoader.toolKeyVariable]
        if remote.apiKey == nil, let given, APIKey(given) == nil {
            complain("\(ConfigurationLoader.toolKeyVariable) in the environment is no API key")
            return .usage
        }
        let key = remote.apiKey?.reveal { $0 } ?? given
        let command = self
        let code = await ToolLoop.run { loop, finish in
            let work = RemoteSessions(
                command.options, remote, apiKey: key, loop: loop, console: command.console
            ) { finish($0.rawValue) }
            work.start()
            return .init(owner: work) { work.interrupt() }
        }
        return ExitCode(rawValue: code) ?? .failed
    }

    private func read(_ context: FolderWork.Context) throws -> ExitCode {
        let configuration = context.configuration
        let folder = try DataFolder(withDatabase: configuration.data)
        let key = try KeyFile.key(at: configuration.secrets.keyFile, isNeeded: true)
        let sessions = try StoredSessions(
            path: folder.database, key: key, settings: configuration.sessionSettings)
        if sessions.awaitsNewEpochs {
            complain(
                "the daemon did not stop cleanly and kept its newest revisions in memory only: "
                    + "the next one gives every session another epoch and an empty window")
        }
        if sessions.lacksCommits {
            complain(
                "transactions are missing in the journal: the next daemon gives the sessions "
                    + "that may have lost revisions another epoch")
        }
        return try withExtendedLifetime(folder) {
            if case .export(let selection, let output) = options.action {
                return try SessionsExport(selection: selection, output: output, key: key)
                    .run(sessions, in: folder, context)
            }
            return try read(sessions, in: folder, context.isStopped)
        }
    }

    private func complain(_ text: String) {
        console.complain("coordd \(options.name): \(PlainText.escaped(text))\n")
    }

    private func read(
        _ sessions: StoredSessions, in folder: DataFolder, _ isStopped: @escaping () -> Bool
    ) throws(SQLiteError) -> ExitCode {
        switch options.action {
        case .list(let limit, let after):
            let progress = StandardStream.error.isTerminal ? console.complain : nil
            let world = SessionsListing.World(
                now: { SteadyClock.microseconds }, print: console.print, progress: progress,
                isShared: StandardStream.output.isTerminal,
                isStopped: {
                    if isStopped() { return .interrupted }
                    return OutputPipe.isBroken ? .failed : nil
                })
            var listing = SessionsListing(isJSON: options.json, world: world)
            return try listing.run(sessions, after: after ?? "", limit: limit)
        case .show(let id):
            guard let found = try sessions.session(id) else {
                complain("there is no session \(id) in \(folder.path)")
                return .failed
            }
            switch found.content {
            case .stored(let stored):
                let report = SessionReport(found, stored)
                console.print(options.json ? PlainText.json(report.json) + "\n" : report.text)
                return .done
            case .damaged(let reason):
                if options.json { console.print(PlainText.json(found.row) + "\n") }
                complain("session \(id) is damaged: \(reason)")
                return .failed
            }
        case .export, .adopt, .delete: preconditionFailure("\(options.name) is not read here")
        }
    }
}
