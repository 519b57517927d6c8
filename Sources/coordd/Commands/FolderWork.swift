import Actors
import Dispatch

/// Work on a data folder: on a thread of its own, until it is done or Ctrl-C.
struct FolderWork {
    /// The words on the command line.
    let name: String
    /// The path of the configuration file.
    let config: String?
    /// In place of `data`.
    let data: String?
    let environment: [String: String]
    let isRoot: Bool
    let console: Console

    /// What the work can ask and tell meanwhile.
    struct Context {
        let work: FolderWork
        let configuration: Configuration
        /// Whether Ctrl-C was pressed.
        let isStopped: () -> Bool

        /// Prints for standard error.
        func complain(_ text: String) {
            work.console.complain("coordd \(work.name): \(PlainText.escaped(text))\n")
        }

        /// A bar for long work on a terminal, and nothing elsewhere.
        func bar() -> ((Int, Int, String) -> Void, clear: () -> Void) {
            guard StandardStream.error.isTerminal else { return ({ _, _, _ in }, {}) }
            let complain = work.console.complain
            var bar: ProgressBar?
            var unit = ""
            return (
                { done, total, what in
                    if unit != what {
                        bar?.clear()
                        unit = what
                        bar = ProgressBar(
                            total: total, unit: what, now: { SteadyClock.microseconds },
                            write: complain)
                    }
                    bar?.show(done)
                }, { bar?.clear() }
            )
        }
    }

    /// Loads the configuration and does `body`, whose failures are told.
    func run(_ body: @escaping @Sendable (Context) throws -> ExitCode) async -> ExitCode {
        let work = self
        let isStopped = Locked(false)
        let code = await ToolLoop.run { loop, finish in
            let activity = Activity(finish)
            let target = LoopBound(activity, on: loop)
            // The work blocks, and the loop has to hear of Ctrl-C.
            DispatchQueue.global().async {
                let code = work.perform(body) { isStopped.withLock { $0 } }
                loop.execute { target.withValue { $0.finish(code.rawValue) } }
            }
            return .init(owner: activity) {
                // The work ends by itself, and gives the folder back.
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

    private func perform(
        _ body: (Context) throws -> ExitCode, _ isStopped: @escaping () -> Bool
    ) -> ExitCode {
        let configuration: Configuration
        do throws(ConfigurationProblems) {
            configuration = try ConfigurationLoader.load(
                file: config, environment: environment,
                flags: data.map { [("data", $0, "--data")] } ?? [], isRoot: isRoot
            ).configuration
        } catch {
            console.complain(error.list.map { "\($0)\n" }.joined())
            return .usage
        }
        let context = Context(work: self, configuration: configuration, isStopped: isStopped)
        do {
            return try body(context)
        } catch DataFolder.Fault.held(let folder, let processID) {
            let fault = DataFolder.Fault.held(folder: folder, processID: processID)
            context.complain("\(fault); it has to be stopped first")
        } catch is StoreVerification.Stopped {
            return .interrupted
        } catch let fault as StoreFault {
            context.complain("\(configuration.data): \(fault)")
        } catch {
            context.complain("\(error)")
        }
        return .failed
    }
}
