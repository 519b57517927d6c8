package import Coordinator

/// What `coordd token` was told.
package struct TokenOptions: Sendable, Equatable {
    /// The roles that a token may allow.
    package enum BearerRole: String, Sendable, Equatable, CaseIterable {
        case player, mirror, observer
    }

    /// The path of the configuration file.
    package var config: String?
    /// Where the token counts: ids, and beginnings of ids and `*`.
    package var sessions: [String] = []
    /// The channel of a subscription token; nil for a connection token.
    package var channel: Channel?
    /// The highest role.
    package var role = BearerRole.observer
    /// Seconds that it counts.
    package var seconds: Int64 = 3600
    /// Whose it is.
    package var user: String?
    /// The device's id.
    package var device: String?
    /// Whether its bearer may make sessions.
    package var create = false
    /// Whether its bearer may place bets as a mirror.
    package var place = false
    /// Whether to print JSON.
    package var json = false

    /// A year: longer-lived ones are keys.
    private static let seconds: ClosedRange<Int64> = 1...31_536_000
    private static let nameBytes = 256

    /// Only defaults.
    package init() {}

    init(_ arguments: ParsedArguments) throws(UsageError) {
        config = try arguments.text("--config")
        sessions = try Self.scopes(arguments)
        channel = try Self.channel(arguments)
        role = try arguments.choice("--role", of: BearerRole.self) ?? role
        seconds = try arguments.duration("--ttl", Self.seconds) ?? seconds
        user = try Self.name("--user", arguments)
        device = try Self.name("--device", arguments)
        create = arguments.has("--create")
        place = arguments.has("--place")
        json = arguments.has("--json")
        guard sessions.isEmpty != (channel == nil) else {
            throw arguments.error(
                sessions.isEmpty
                    ? "--session or --channel is needed: a token without either allows nothing"
                    : "--channel names the one place where a subscription token counts, so it does "
                        + "not go with --session")
        }
        if case .stage? = channel, role != .player {
            throw arguments.error(
                "--channel stage:… needs --role player: nobody else holds a stage")
        }
    }

    private static func scopes(_ arguments: ParsedArguments) throws(UsageError) -> [String] {
        guard let text = try arguments.text("--session") else { return [] }
        let scopes = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for scope in scopes where SessionScope(scope) == nil {
            throw arguments.error(
                "--session: found \(ParsedArguments.quoted(scope)); allowed: 1 to "
                    + "\(SessionID.maximumBytes) letters, digits and . _ ~ -, or such a beginning "
                    + "and *, several with commas between")
        }
        return scopes
    }

    private static func channel(_ arguments: ParsedArguments) throws(UsageError) -> Channel? {
        guard let text = try arguments.text("--channel") else { return nil }
        guard let channel = Channel(text) else {
            throw arguments.error(
                "--channel: found \(ParsedArguments.quoted(text)); allowed: session:ID or stage:ID")
        }
        return channel
    }

    private static func name(
        _ flag: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> String? {
        guard let name = try arguments.text(flag) else { return nil }
        guard name.utf8.count <= nameBytes else {
            throw arguments.error("\(flag): allowed: at most \(nameBytes) bytes")
        }
        return name
    }
}
