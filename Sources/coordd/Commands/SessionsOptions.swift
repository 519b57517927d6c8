package import Actors
package import Coordinator

/// What `coordd sessions` was told.
package struct SessionsOptions: Sendable, Equatable {
    /// What is done with the sessions.
    package enum Action: Sendable, Equatable {
        /// List them in order of their ids, `limit` at most, from the first one after `after` on.
        case list(limit: Int?, after: String?)
        /// Show one.
        case show(SessionID)
        /// Write some as JSON lines, into a file when one is named.
        case export(Selection, output: String?)
        /// Take those of a file in.
        case adopt(file: String, replacing: Bool)
        /// Delete some; damaged ones only when asked to.
        case delete([SessionID], damaged: Bool)
    }

    /// Which sessions are meant.
    package enum Selection: Sendable, Equatable {
        /// All of them.
        case all
        /// Those whose ids begin so.
        case prefix(String)
        /// These.
        case some([SessionID])
    }

    /// A running daemon.
    package struct Remote: Sendable, Equatable {
        /// Where it listens.
        package var address: ListenAddress
        /// The key of its HTTP API; nil: the one in the environment, if there is one.
        package var apiKey: APIKey?
        /// Whom to trust under TLS; nil without it.
        package var tls: TLSTrust?
    }

    /// What is done.
    package var action: Action
    /// The daemon that does it; nil: none, since it is stopped.
    package var remote: Remote?
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

    init(export arguments: ParsedArguments) throws(UsageError) {
        let ids = try arguments.sessions()
        let prefix = try arguments.session("--prefix")
        let chosen = [!ids.isEmpty, arguments.has("--all"), prefix != nil].count { $0 }
        guard chosen == 1 else {
            throw arguments.error(
                chosen == 0
                    ? "nothing to export; allowed: SESSION…, --all or --prefix P"
                    : "SESSION…, --all and --prefix do not go together")
        }
        let selection: Selection =
            if let prefix {
                .prefix(prefix.description)
            } else {
                ids.isEmpty ? .all : .some(ids)
            }
        self.init(.export(selection, output: try arguments.text("--output")))
        try take(arguments)
    }

    init(import arguments: ParsedArguments) throws(UsageError) {
        let file = arguments.positionals[0]
        guard !file.isEmpty else { throw arguments.error("FILE is empty") }
        self.init(.adopt(file: file, replacing: arguments.has("--replace")))
        try take(arguments)
    }

    init(delete arguments: ParsedArguments) throws(UsageError) {
        self.init(.delete(try arguments.sessions(), damaged: arguments.has("--damaged")))
        try take(arguments)
    }

    private mutating func take(_ arguments: ParsedArguments) throws(UsageError) {
        config = try arguments.text("--config")
        data = try arguments.text("--data")
        json = arguments.has("--json")
        try takeRemote(arguments)
    }

    private mutating func takeRemote(_ arguments: ParsedArguments) throws(UsageError) {
        let key = try arguments.text("--api-key")
        let address = try arguments.address("--connect")
        let tls = try arguments.tls(at: address)
        guard let address else {
            guard key == nil else { throw arguments.error("--api-key goes with --connect only") }
            return
        }
        guard config == nil, data == nil else {
            throw arguments.error("--connect does not go with --config or --data")
        }
        switch action {
        case .list, .show, .delete(_, damaged: false): break
        case .delete(_, damaged: true):
            throw arguments.error(
                "--damaged is for the folder of a stopped daemon, and does not go with --connect")
        case .export, .adopt: preconditionFailure("these commands have no such flag")
        }
        remote = Remote(address: address, tls: tls)
        guard let key else { return }
        guard let apiKey = APIKey(key) else {
            // It is not shown: it may be somebody's key.
            throw arguments.error(
                "--api-key: allowed: \(APIKey.bytes.lowerBound) to \(APIKey.bytes.upperBound) "
                    + "visible ASCII characters")
        }
        remote?.apiKey = apiKey
    }

    /// The words on the command line.
    var name: String {
        switch action {
        case .list: "sessions list"
        case .show: "sessions show"
        case .export: "sessions export"
        case .adopt: "sessions import"
        case .delete: "sessions delete"
        }
    }

    /// The configuration's keys that the flags set.
    var overrides: [(key: String, text: String, flag: String)] {
        data.map { [("data", $0, "--data")] } ?? []
    }
}
