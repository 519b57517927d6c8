/// `coordd watch`: follows a session.
struct WatchCommand {
    private let options: WatchOptions
    private let console: Console

    /// A run with options.
    init(_ options: WatchOptions, _ console: Console) {
        self.options = options
        self.console = console
    }

    /// Runs until the work is done.
    func run() async -> ExitCode {
        console.complain("coordd watch: not built yet\n")
        return .failed
    }
}
