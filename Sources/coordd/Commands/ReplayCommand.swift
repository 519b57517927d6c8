import Actors
import Coordinator
import Dispatch

/// `coordd replay`: plays transcripts.
struct ReplayCommand {
    private let options: ReplayOptions
    private let token: String?
    private let environment: [String: String]
    private let isRoot: Bool
    private let console: Console

    /// A run with options, and a token for a daemon that wants one.
    init(
        _ options: ReplayOptions, token: String?, _ environment: [String: String], isRoot: Bool,
        _ console: Console
    ) {
        self.options = options
        self.token = token
        self.environment = environment
        self.isRoot = isRoot
        self.console = console
    }

    /// Runs until every transcript was played.
    func run() async -> ExitCode {
        let dialer: DeviceDialer
        do throws(DeviceDialer.Fault) {
            dialer = try DeviceDialer(
                token: options.connect == nil ? nil : token, tls: options.tls)
        } catch {
            console.complain("coordd replay: \(error)\n")
            return .usage
        }
        let command = self
        let code = await ToolLoop.run { loop, finish in
            let activity = Activity(finish)
            let target = LoopBound(activity, on: loop)
            // Standard input may take its time, and its thread is not waited for after Ctrl-C.
            DispatchQueue.global().async {
                let loaded = command.load()
                loop.execute { target.withValue { command.play(loaded, dialer, in: $0, on: loop) } }
            }
            return .init(owner: activity) { activity.interrupt() }
        }
        return ExitCode(rawValue: code) ?? .failed
    }

    /// What is played on the loop, once it was read.
    private final class Activity {
        let finish: (Int32) -> Void
        var run: ReplayRun?

        init(_ finish: @escaping (Int32) -> Void) {
            self.finish = finish
        }

        func interrupt() {
            if let run { run.interrupt() } else { finish(ExitCode.interrupted.rawValue) }
        }
    }

    /// Transcripts, and in the pure rules the numbers that each is played with.
    private struct Input: Sendable {
        var files: [ReplayFile]
        var policies: [Policy] = []
    }

    private func load() -> Result<Input, ReplayInput.Problems> {
        let isForDaemon = options.connect != nil
        return ReplayInput.read(options.files, isForDaemon: isForDaemon).flatMap { files in
            var input = Input(files: files)
            guard !isForDaemon else { return .success(input) }
            var problems: [String] = []
            for file in files {
                do throws(ConfigurationProblems) {
                    input.policies.append(
                        try file.policy(
                            configuration: options.config, environment: environment,
                            isRoot: isRoot))
                } catch {
                    // What is wrong with the configuration file itself is said once.
                    for line in error.list.map({ "\($0)" }) where !problems.contains(line) {
                        problems.append(line)
                    }
                }
            }
            guard problems.isEmpty else { return .failure(.init(lines: problems)) }
            return .success(input)
        }
    }

    private func play(
        _ loaded: Result<Input, ReplayInput.Problems>, _ dialer: DeviceDialer,
        in activity: Activity, on loop: UVEventLoop
    ) {
        let input: Input
        switch loaded {
        case .failure(let problems):
            console.complain(problems.lines.map { "\($0)\n" }.joined())
            if options.json {
                let lines = problems.lines.map { JSON.string($0) }
                console.print(PlainText.json(["ok": false, "problems": .array(lines)]) + "\n")
            }
            return activity.finish(ExitCode.usage.rawValue)
        case .success(let given): input = given
        }
        let (print, complain) = (console.print, console.complain)
        var style = ReplayOutput.Style()
        style.isJSON = options.json
        style.isSingle = input.files.count == 1
        style.isColored =
            StandardStream.output.isTerminal && environment["NO_COLOR"]?.isEmpty ?? true
        let run = ReplayRun(
            input.files, options, in: place(input, dialer, on: loop),
            output: ReplayOutput(
                style: style,
                print: { line in
                    print(line + "\n")
                    if OutputPipe.isBroken { activity.finish(ExitCode.failed.rawValue) }
                },
                complain: { complain($0 + "\n") }),
            finish: activity.finish)
        activity.run = run
        run.start()
    }

    private func place(
        _ input: Input, _ dialer: DeviceDialer, on loop: UVEventLoop
    ) -> ReplayRun.Place {
        guard let address = options.connect?.numericAddress else { return .core(input.policies) }
        let complain = console.complain
        let pause = LoopPause(loop)
        return .daemon(
            .init(
                dial: { device, handler in
                    dialer.dial(address, as: device, on: loop, handler)
                },
                schedule: { pause.schedule(afterMilliseconds: $0, $1) },
                now: { SteadyClock.microseconds },
                note: { complain("coordd replay: \(PlainText.escaped($0))\n") },
                watcher: ToolDevice.name("replay")))
    }
}
