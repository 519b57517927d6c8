package import Actors
package import Coordinator

/// What `coordd watch` was told.
package struct WatchOptions: Sendable, Equatable {
    /// The session to follow.
    package var session: SessionID
    /// The daemon.
    package var connect = ListenAddress.standard
    /// The token to show; nil for that of the environment, if it has one.
    package var token: String?
    /// Whom to trust under TLS; nil without it.
    package var tls: TLSTrust?
    /// Whether to print the folded state instead of revisions.
    package var state = false
    /// Whether to name the rules behind each change.
    package var explain = false
    /// Whether to print JSON.
    package var json = false

    /// Only defaults.
    package init(session: SessionID) {
        self.session = session
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        session = try arguments.session(at: 0)
        connect = try arguments.address("--connect") ?? connect
        token = try arguments.text("--token")
        tls = try arguments.tls(at: connect)
        state = arguments.has("--state")
        explain = arguments.has("--explain")
        if explain, state {
            throw arguments.error("--explain tells of changes, so it does not go with --state")
        }
        json = arguments.has("--json")
    }
}
