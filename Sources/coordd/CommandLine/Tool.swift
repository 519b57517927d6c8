import Actors

/// The program `coordd`, from its arguments to its exit code.
package struct Tool: Sendable {
    private let environment: [String: String]
    private let isRoot: Bool
    private let console: Console

    /// A run of the program in an environment.
    package init(environment: [String: String], isRoot: Bool, console: Console) {
        self.environment = environment
        self.isRoot = isRoot
        self.console = console
    }

    /// Does what the arguments, without the program's name, ask for.
    ///
    /// What could not be printed is told, and no success.
    package func run(_ arguments: [String]) async -> ExitCode {
        let code = await perform(arguments)
        guard let fault = console.fault() else { return code }
        // Who reads as much as they want, as `head` does, knows.
        if !fault.isBrokenPipe { console.complain("coordd: \(fault)\n") }
        return code == .done ? .failed : code
    }

    private func perform(_ arguments: [String]) async -> ExitCode {
        do throws(UsageError) {
            return await run(try Invocation.parse(arguments))
        } catch {
            let help = error.command.map { "coordd help \($0)" } ?? "coordd help"
            let name = error.command.map { "coordd \($0)" } ?? "coordd"
            console.complain("\(name): \(LogText.escaped(error.message))\nTry '\(help)'.\n")
            return .usage
        }
    }

    /// The environment variable with the token of the tools, which other users of the machine do not
    /// see, unlike a flag.
    static let tokenVariable = "COORDD_TOKEN"

    private func token(_ given: String?) -> String? {
        given ?? environment[Self.tokenVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func run(_ invocation: Invocation) async -> ExitCode {
        switch invocation {
        case .help(let command, let asked):
            console.print(Help.text(for: command))
            return asked ? .done : .usage
        case .version:
            console.print("coordd \(Version.text)\n")
            return .done
        case .serve(let options):
            return await ServeCommand(options, environment, isRoot: isRoot, console).run()
        case .checkConfig(let options):
            return CheckConfigCommand(options, environment, isRoot: isRoot, console).run()
        case .simulate(let options):
            return await SimulateCommand(options, token: token(options.token), console).run()
        case .bench(let options):
            return await BenchCommand(options, token: token(options.token), console).run()
        case .watch(let options):
            return await WatchCommand(options, token: token(options.token), console).run()
        case .send(let options):
            return await SendCommand(options, token: token(options.token), console).run()
        case .replay(let options):
            return await ReplayCommand(
                options, token: token(options.token), environment, isRoot: isRoot, console
            ).run()
        case .token(let options):
            return TokenCommand(options, environment, isRoot: isRoot, console).run()
        case .sessions(let options):
            return await SessionsCommand(options, environment, isRoot: isRoot, console).run()
        case .backup(let options):
            return await BackupCommand(options, environment, isRoot: isRoot, console).run()
        case .verify(let options):
            return await VerifyCommand(options, environment, isRoot: isRoot, console).run()
        }
    }
}
