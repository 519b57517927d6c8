/// `coordd simulate`: simulated phones and second screens.
struct SimulateCommand {
    private let options: SimulateOptions
    private let console: Console

    /// A run with options.
    init(_ options: SimulateOptions, _ console: Console) {
        self.options = options
        self.console = console
    }

    /// Runs until the work is done.
    func run() async -> ExitCode {
        console.complain("coordd simulate: not built yet\n")
        return .failed
    }
}
