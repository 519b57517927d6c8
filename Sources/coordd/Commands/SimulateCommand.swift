import Actors

/// `coordd simulate`: simulated phones and second screens.
struct SimulateCommand {
    private let options: SimulateOptions
    private let token: String?
    private let console: Console

    /// A run with options, and a token for a daemon that wants one.
    init(_ options: SimulateOptions, token: String?, _ console: Console) {
        self.options = options
        self.token = options.connect == nil ? nil : token
        self.console = console
    }

    /// Runs until everything was played and compared.
    func run() async -> ExitCode {
        let dialer: DeviceDialer
        do throws(DeviceDialer.Fault) {
            dialer = try DeviceDialer(token: token, tls: options.tls)
        } catch {
            console.complain("coordd simulate: \(error)\n")
            return .usage
        }
        let options = runOptions
        let (print, complain) = (console.print, console.complain)
        let showsProgress = StandardStream.error.isTerminal
        let code = await ToolLoop.run { loop, finish in
            let run = SimulationRun(
                options: options,
                world: .init(
                    now: { SteadyClock.microseconds },
                    dial: { address, device, handler in
                        dialer.dial(address, as: device, on: loop, handler)
                    },
                    print: { print($0 + "\n") },
                    note: { complain("coordd simulate: \($0)\n") },
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

    private var runOptions: SimulationRun.Options {
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        // Sessions outlive a run on somebody else's daemon: each run has names of its own.
        let name = "sim-\(seed)-" + String(UInt32.random(in: .min ... .max), radix: 36)
        let isOwn = options.connect == nil && options.chaos
        let wrappers = isOwn ? Self.wrappers : []
        let usualKills = isOwn && wrappers.isEmpty ? max(1, options.seconds / 2) : 0
        return SimulationRun.Options(
            address: options.connect?.numericAddress, sessions: options.sessions,
            plan: .init(
                mirrors: options.mirrors, milliseconds: UInt64(options.seconds) * 1000,
                eventsPerSecond: wrappers.isEmpty ? Self.usualRate : Self.wrappedRate, seed: seed,
                vendors: options.vendor.vendors, chaos: options.chaos, name: name),
            kills: options.kills ?? usualKills, wrappers: wrappers,
            isJSON: options.json)
    }

    /// Commands through which our daemon is started the first times, one a line, in words that are
    /// parted by blanks, where `{data}` at the start of a word is the data folder; for `make crash`, which has the daemon die at a chosen system call.
    private static var wrappers: [[String]] {
        let text = ProcessFacts.environment["COORDD_SIMULATE_WRAPPERS"] ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { !$0.isEmpty }
    }
    /// Events a second of each session, so that all scenes are played within about ten seconds.
    private static let usualRate: UInt64 = 10
    /// Events a second of each session that make a wrapped daemon die soon.
    private static let wrappedRate: UInt64 = 20

    /// What must live until the run is over.
    private final class Kept {
        let run: SimulationRun
        let timer: AgendaTimer

        init(_ run: SimulationRun, _ timer: AgendaTimer) {
            self.run = run
            self.timer = timer
        }
    }
}
