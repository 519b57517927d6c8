/// A channel name: `session:<id>` or `stage:<id>` (contract: protocol, Channels).
package enum Channel: Sendable, Hashable, CustomStringConvertible {
    /// A session's revisions, for every device.
    case session(SessionID)
    /// A session's effects, for the stage.
    case stage(SessionID)

    /// Parses a name; nil when it is neither kind or its id is not valid.
    package init?(_ name: String) {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")),
            let id = SessionID(name[name.utf8.index(after: colon)...])
        else { return nil }
        switch name[..<colon] {
        case "session": self = .session(id)
        case "stage": self = .stage(id)
        default: return nil
        }
    }

    /// The session that the channel belongs to.
    package var session: SessionID {
        switch self {
        case .session(let id), .stage(let id): id
        }
    }

    /// The name as clients write it.
    package var description: String {
        switch self {
        case .session(let id): "session:\(id)"
        case .stage(let id): "stage:\(id)"
        }
    }
}
