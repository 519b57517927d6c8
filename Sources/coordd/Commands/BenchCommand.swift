import Actors

/// `coordd bench`: a load of events, and how soon they come to second screens.
struct BenchCommand {
    private let options: BenchOptions
    private let token: String?
    private let console: Console

    /// A run with options, and a token for a daemon that wants one.
    init(_ options: BenchOptions, token: String?, _ console: Console) {
        self.options = options
        self.token = options.connect == nil ? nil : token
        self.console = console
    }

    /// Runs until everything was measured.
    func run() async -> ExitCode {
        // Says why a token is of no use for many devices.
        do throws(DeviceDialer.Fault) {
            _ = try DeviceDialer(token: token, tls: options.tls)
        } catch {
            console.complain("coordd bench: \(error)\n")
            return .usage
        }
        let (options, token) = (options, token)
        let (print, complain) = (console.print, console.complain)
        let showsProgress = StandardStream.error.isTerminal
        let code = await ToolLoop.run { loop, finish in
            let run = BenchRun(
                options, token: token,
                world: .init(
                    loop: loop, print: { print($0 + "\n") },
                    note: { complain("coordd bench: \($0)\n") },
                    progress: { line in
                        guard showsProgress else { return }
                        // Back to the line's start and erase it, so that lines do not pile up.
                        StandardStream.error.write(Array("\r\u{1B}[K\(line ?? "")".utf8))
                    },
                    finish: finish))
            let timer = AgendaTimer(loop: loop) { run.context.runDue() }
            run.start()
            return .init(owner: Kept(run, timer)) { run.interrupt() }
        }
        return ExitCode(rawValue: code) ?? .failed
    }

    /// What must live until the run is over.
    private final class Kept {
        let run: BenchRun
        let timer: AgendaTimer

        init(_ run: BenchRun, _ timer: AgendaTimer) {
            self.run = run
            self.timer = timer
        }
    }
}
