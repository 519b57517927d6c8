/// `coordd send`: applies events to a session.
struct SendCommand {
    private let options: SendOptions
    private let console: Console

    /// A run with options.
    init(_ options: SendOptions, _ console: Console) {
        self.options = options
        self.console = console
    }

    /// Runs until the work is done.
    func run() async -> ExitCode {
        console.complain("coordd send: not built yet\n")
        return .failed
    }
}
