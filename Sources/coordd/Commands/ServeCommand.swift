import Actors

/// `coordd serve`: the daemon.
struct ServeCommand {
    private let options: ServeOptions
    private let environment: [String: String]
    private let isRoot: Bool
    private let console: Console

    /// A run with options.
    init(_ options: ServeOptions, _ environment: [String: String], isRoot: Bool, _ console: Console)
    {
        self.options = options
        self.environment = environment
        self.isRoot = isRoot
        self.console = console
    }

    /// Serves until it is told to end.
    func run() async -> ExitCode {
        guard let loaded = configuration() else { return .usage }
        let log = Log(level: loaded.configuration.log.level)
        if loaded.exposure != nil {
            log.warning("no authentication: whoever reaches the port may do everything")
        }
        do throws(UVError) {
            return try await Daemon.serve(
                loaded.configuration, readyFile: options.readyFile, log: log)
        } catch {
            console.complain("coordd serve: \(error)\n")
            return .failed
        }
    }

    /// The valid configuration; nil when it is not, which standard error tells.
    private func configuration() -> LoadedConfiguration? {
        do throws(ConfigurationProblems) {
            let loaded = try ConfigurationLoader.load(
                file: options.config, environment: environment, flags: options.overrides,
                isRoot: isRoot)
            guard let exposure = loaded.exposure, !options.insecure else {
                return loaded
            }
            console.complain("\(exposure)\n")
        } catch {
            console.complain(error.list.map { "\($0)\n" }.joined())
        }
        return nil
    }
}
