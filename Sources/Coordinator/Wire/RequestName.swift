/// The requests of a command, in the order in which the first one counts (protocol facts:
/// Centrifugal, envelope).
enum RequestName: String, CaseIterable {
    case connect
    case subscribe
    case unsubscribe
    case publish
    case presence
    case presenceStats = "presence_stats"
    case history
    case rpc
    case send
    case refresh
    case subRefresh = "sub_refresh"
    case ping

    /// What a field must hold, unless it is `null` or absent.
    enum Kind {
        case string, bool, unsigned, signed, object, array
    }

    /// The fields that the protocol gives the request, but for payloads of any type.
    ///
    /// Those that this server ignores are here too: a client that sends one wrong is told so. Names
    /// that are not here are ignored.
    var fields: [String: Kind] {
        switch self {
        case .connect: Self.connectFields
        case .subscribe: Self.subscribeFields
        case .unsubscribe, .presence, .presenceStats: Self.channelFields
        case .publish: Self.publishFields
        case .history: Self.historyFields
        case .rpc: Self.rpcFields
        case .refresh: Self.refreshFields
        case .subRefresh: Self.subRefreshFields
        case .send, .ping: [:]
        }
    }

    private static let channelFields: [String: Kind] = ["channel": .string]

    private static let publishFields: [String: Kind] = [
        "channel": .string, "type": .signed, "key": .string, "removed": .bool,
    ]

    private static let rpcFields: [String: Kind] = ["method": .string]

    private static let refreshFields: [String: Kind] = ["token": .string]

    private static let connectFields: [String: Kind] = [
        "token": .string, "subs": .object, "name": .string, "version": .string,
        "headers": .object, "flag": .signed, "dict": .string, "profile": .string,
    ]

    private static let subscribeFields: [String: Kind] = [
        "channel": .string, "token": .string, "recover": .bool, "epoch": .string,
        "offset": .unsigned, "positioned": .bool, "recoverable": .bool, "join_leave": .bool,
        "delta": .string, "tf": .object, "flag": .signed, "type": .signed, "phase": .signed,
        "cursor": .string, "limit": .signed, "asc": .bool,
    ]

    private static let historyFields: [String: Kind] = [
        "channel": .string, "limit": .signed, "since": .object, "reverse": .bool,
    ]

    private static let subRefreshFields: [String: Kind] = [
        "channel": .string, "token": .string, "type": .signed, "track": .array,
        "untrack": .array,
    ]
}
