/// What `coordd verify` was told.
package struct VerifyOptions: Sendable, Equatable {
    /// The data folder or backup.
    package var folder: String
    /// The path of the configuration file.
    package var config: String?
    /// Whether to print JSON.
    package var json = false

    /// Only defaults.
    package init(folder: String) {
        self.folder = folder
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments.positionals[0].isEmpty else { throw arguments.error("DATA is empty") }
        self.init(folder: arguments.positionals[0])
        config = try arguments.text("--config")
        json = arguments.has("--json")
    }
}
