/// What `coordd backup` was told.
package struct BackupOptions: Sendable, Equatable {
    /// The backup's folder.
    package var target: String
    /// The path of the configuration file.
    package var config: String?
    /// In place of `data`.
    package var data: String?
    /// Whether to print JSON.
    package var json = false

    /// Only defaults.
    package init(target: String) {
        self.target = target
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments.positionals[0].isEmpty else { throw arguments.error("TARGET is empty") }
        self.init(target: arguments.positionals[0])
        config = try arguments.text("--config")
        data = try arguments.text("--data")
        json = arguments.has("--json")
    }
}
