import Actors
import Coordinator

/// `coordd send`: applies events to a session.
struct SendCommand {
    private let options: SendOptions
    private let token: String?
    private let console: Console

    /// A run with options, and a token for a daemon that wants one.
    init(_ options: SendOptions, token: String?, _ console: Console) {
        self.options = options
        self.token = token
        self.console = console
    }

    /// Runs until every event was answered.
    func run() async -> ExitCode {
        let (options, token) = (self.options, self.token)
        let (print, complain) = (console.print, console.complain)
        if case .event(let event) = options.source, event.root.object == nil {
            complain("coordd send: EVENT: an event is an object, not \(event.root.kindName)\n")
            return .usage
        }
        let code = await ToolLoop.run { loop, finish in
            let sender = Sender(
                session: options.session, takesStage: options.role == .player,
                isJSON: options.json,
                world: ToolWorld(
                    options.connect, tls: options.tls, as: ToolDevice.sender, token: token,
                    on: loop,
                    print: { print($0 + "\n") },
                    note: { complain(options.json ? "\($0)\n" : "coordd send: \($0)\n") },
                    finish: finish))
            sender.start()
            switch options.source {
            case .event(let event):
                sender.add(.event(event))
                sender.add(.end)
            case .standardInput:
                StandardInput.read(to: sender, on: loop)
            }
            return .init(owner: sender) { finish(ExitCode.interrupted.rawValue) }
        }
        return ExitCode(rawValue: code) ?? .failed
    }
}
