import Actors
import Coordinator

/// `coordd check-config`: names every mistake, or prints what is in effect.
struct CheckConfigCommand {
    private let options: CheckConfigOptions
    private let environment: [String: String]
    private let isRoot: Bool
    private let console: Console

    /// A run with options.
    init(
        _ options: CheckConfigOptions, _ environment: [String: String], isRoot: Bool,
        _ console: Console
    ) {
        self.options = options
        self.environment = environment
        self.isRoot = isRoot
        self.console = console
    }

    /// Checks and prints.
    func run() -> ExitCode {
        do throws(ConfigurationProblems) {
            let loaded = try ConfigurationLoader.load(
                file: options.file, environment: environment, isRoot: isRoot)
            let report = ConfigurationReport(loaded)
            console.print(options.json ? LogText.json(report.json) + "\n" : report.text)
            for note in report.notes where !options.json { console.complain("note: \(note)\n") }
            return .done
        } catch {
            console.complain(error.list.map { "\($0)\n" }.joined())
            if options.json {
                let problems = JSON.array(error.list.map(\.json))
                console.print(LogText.json(["ok": false, "problems": problems]) + "\n")
            }
            return .usage
        }
    }
}
