package import Coordinator

/// What `coordd sessions` was told.
package struct SessionsOptions: Sendable, Equatable {
    /// What is done with the sessions.
    package enum Action: Sendable, Equatable {
        /// List them in order of their ids, `limit` at most, from the first one after `after` on.
        case list(limit: Int?, after: String?)
        /// Show one.
        case show(SessionID)
    }

    /// What is done.
    package var action: Action
    /// The path of the configuration file.
    package var config: String?
    /// In place of `data`.
    package var data: String?
    /// Whether to print JSON.
    package var json = false

    private static let limits = 1...1_000_000_000

    /// Only defaults.
    package init(_ action: Action) {
        self.action = action
    }

    init(list arguments: ParsedArguments) throws(UsageError) {
        self.init(
            .list(
                limit: try arguments.integer("--limit", Self.limits),
                after: try arguments.text("--after")))
        try take(arguments)
    }

    init(show arguments: ParsedArguments) throws(UsageError) {
        self.init(.show(try arguments.session(at: 0)))
        try take(arguments)
    }

    private mutating func take(_ arguments: ParsedArguments) throws(UsageError) {
        config = try arguments.text("--config")
        data = try arguments.text("--data")
        json = arguments.has("--json")
    }

    /// The words on the command line.
    var name: String {
        switch action {
        case .list: "sessions list"
        case .show: "sessions show"
        }
    }

    /// The configuration's keys that the flags set.
    var overrides: [(key: String, text: String, flag: String)] {
        data.map { [("data", $0, "--data")] } ?? []
    }
}
