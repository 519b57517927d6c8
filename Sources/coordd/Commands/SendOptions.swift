package import Actors
package import Coordinator

/// What `coordd send` was told.
package struct SendOptions: Sendable, Equatable {
    /// As whom events are sent.
    package enum SenderRole: String, Sendable, Equatable, CaseIterable {
        /// A second screen.
        case mirror
        /// The phone; takes the stage.
        case player
    }

    /// Where events come from.
    package enum Source: Sendable, Equatable {
        /// One event as JSON.
        case event(JSONDocument)
        /// One event a line.
        case standardInput
    }

    /// The session.
    package var session: SessionID
    /// The event or events.
    package var source: Source
    /// The daemon.
    package var connect = ListenAddress.standard
    /// The token to show; nil for that of the environment, if it has one.
    package var token: String?
    /// Whom to trust under TLS; nil without it.
    package var tls: TLSTrust?
    /// As whom events are sent.
    package var role = SenderRole.mirror
    /// Whether to print JSON.
    package var json = false

    /// Only defaults.
    package init(session: SessionID, source: Source) {
        self.session = session
        self.source = source
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        session = try arguments.session(at: 0)
        source = try Self.source(arguments)
        connect = try arguments.address("--connect") ?? connect
        token = try arguments.text("--token")
        tls = try arguments.tls(at: connect)
        role = try arguments.choice("--role", of: SenderRole.self) ?? role
        json = arguments.has("--json")
    }

    private static func source(_ arguments: ParsedArguments) throws(UsageError) -> Source {
        let text = arguments.positionals[1]
        guard text != "-" else { return .standardInput }
        do throws(JSONError) {
            return .event(try JSONParser.parse(text: text))
        } catch {
            throw arguments.error(
                "EVENT: found \(ParsedArguments.quoted(text)), which is not JSON: \(error)")
        }
    }
}
