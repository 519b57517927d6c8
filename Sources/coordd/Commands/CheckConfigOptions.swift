/// What `coordd check-config` was told.
package struct CheckConfigOptions: Sendable, Equatable {
    /// The path of the configuration file.
    package var file: String
    /// Whether to print JSON.
    package var json = false

    /// Only defaults.
    package init(file: String, json: Bool = false) {
        self.file = file
        self.json = json
    }

    init(_ arguments: ParsedArguments) {
        file = arguments.positionals[0]
        json = arguments.has("--json")
    }
}
