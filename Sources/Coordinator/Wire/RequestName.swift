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

    /// The names of all, in their order.
    static let names = allCases.map(\.rawValue)

    /// What a field must hold, unless it is `null` or absent.
    enum Kind {
        case string, bool, unsigned, signed, object, array
    }

    /// A field's name and what it must hold.
    typealias Field = (name: String, kind: Kind)

    /// The fields that the protocol gives the request, but for payloads of any type.
    ///
    /// Those that this server ignores are here too: a client that sends one wrong is told so. Names
    /// that are not here are ignored.
    var fields: [Field] {
        switch self {
        case .connect: Self.connectFields
        case .subscribe: Self.subscribeFields
        case .unsubscribe, .presence, .presenceStats: Self.channelFields
        case .publish: Self.publishFields
        case .history: Self.historyFields
        case .rpc: Self.rpcFields
        case .refresh: Self.refreshFields
        case .subRefresh: Self.subRefreshFields
        case .send, .ping: []
        }
    }

    private static let channelFields: [Field] = [("channel", .string)]

    private static let publishFields: [Field] = [
        ("channel", .string), ("type", .signed), ("key", .string), ("removed", .bool),
    ]

    private static let rpcFields: [Field] = [("method", .string)]

    private static let refreshFields: [Field] = [("token", .string)]

    private static let connectFields: [Field] = [
        ("token", .string), ("subs", .object), ("name", .string), ("version", .string),
        ("headers", .object), ("flag", .signed), ("dict", .string), ("profile", .string),
    ]

    private static let subscribeFields: [Field] = [
        ("channel", .string), ("token", .string), ("recover", .bool), ("epoch", .string),
        ("offset", .unsigned), ("positioned", .bool), ("recoverable", .bool), ("join_leave", .bool),
        ("delta", .string), ("tf", .object), ("flag", .signed), ("type", .signed),
        ("phase", .signed),
        ("cursor", .string), ("limit", .signed), ("asc", .bool),
    ]

    private static let historyFields: [Field] = [
        ("channel", .string), ("limit", .signed), ("since", .object), ("reverse", .bool),
    ]

    private static let subRefreshFields: [Field] = [
        ("channel", .string), ("token", .string), ("type", .signed), ("track", .array),
        ("untrack", .array),
    ]
}
