import Actors
import Coordinator
import Dispatch

/// `coordd sessions`: reads the data folder of a stopped daemon.
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

    /// Reads until everything is printed, or Ctrl-C.
    func run() async -> ExitCode {
        let command = self
        let isStopped = Locked(false)
        let code = await ToolLoop.run { loop, finish in
            let activity = Activity(finish)
            let target = LoopBound(activity, on: loop)
            // Reading blocks, and the loop has to hear of Ctrl-C.
            DispatchQueue.global().async {
                let code = command.work { isStopped.withLock { $0 } }
                loop.execute { target.withValue { $0.finish(code.rawValue) } }
            }
            return .init(owner: activity) {
                // The reader ends by itself at the next session, and gives the folder back.
                isStopped.withLock { $0 = true }
            }
        }
        return ExitCode(rawValue: code) ?? .failed
    }

    private final class Activity {
        let finish: (Int32) -> Void

        init(_ finish: @escaping (Int32) -> Void) {
            self.finish = finish
        }
    }

    private func work(isStopped: @escaping () -> Bool) -> ExitCode {
        let configuration: Configuration
        do throws(ConfigurationProblems) {
            configuration = try ConfigurationLoader.load(
                file: options.config, environment: environment, flags: options.overrides,
                isRoot: isRoot
            ).configuration
        } catch {
            console.complain(error.list.map { "\($0)\n" }.joined())
            return .usage
        }
        do {
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
            return try withExtendedLifetime(folder) { try read(sessions, in: folder, isStopped) }
        } catch DataFolder.Fault.held(let folder, let processID) {
            let fault = DataFolder.Fault.held(folder: folder, processID: processID)
            complain("\(fault); it has to be stopped first")
        } catch let fault as StoreFault {
            complain("\(configuration.data): \(fault)")
        } catch {
            complain("\(error)")
        }
        return .failed
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
        }
    }
}
