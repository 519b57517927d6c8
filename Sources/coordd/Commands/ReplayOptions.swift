package import Actors
package import Coordinator

/// What `coordd replay` was told.
package struct ReplayOptions: Sendable, Equatable {
    /// Paths of transcripts; `-` is standard input.
    package var files: [String]
    /// The daemon to play against; nil for the pure rules.
    package var connect: ListenAddress?
    /// The token to show; nil for that of the environment, if it has one.
    package var token: String?
    /// Whom to trust under TLS; nil without it.
    package var tls: TLSTrust?
    /// How many times as fast as the transcript.
    package var speed = 1.0
    /// The session to play in; nil for a new one for each file.
    package var session: SessionID?
    /// The configuration file of the pure rules.
    package var config: String?
    /// Whether what is not expected must not happen.
    package var strict = false
    /// Whether to print JSON.
    package var json = false

    /// The slowest and the fastest that a transcript is played.
    private static let speeds = 0.01...100_000.0

    /// Only defaults.
    package init(files: [String]) {
        self.files = files
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        files = arguments.positionals
        connect = try arguments.address("--connect")
        token = try arguments.text("--token")
        tls = try arguments.tls(at: connect)
        let speed = try arguments.decimal("--speed", Self.speeds)
        self.speed = speed ?? self.speed
        session = try arguments.session("--session")
        config = try arguments.text("--config")
        strict = arguments.has("--strict")
        json = arguments.has("--json")
        if files.count(where: { $0 == "-" }) > 1 {
            throw arguments.error("FILE: - is given twice")
        }
        if connect == nil {
            if speed != nil { throw arguments.error("--speed goes with --connect only") }
            if token != nil { throw arguments.error("--token goes with --connect only") }
            if session != nil { throw arguments.error("--session goes with --connect only") }
        } else if config != nil {
            throw arguments.error("--config does not go with --connect: the daemon has its own")
        }
        if session != nil, files.count > 1 {
            throw arguments.error("--session goes with one FILE only")
        }
    }
}
