/// A set of session ids: one, or all that begin in a way (contract: protocol, Authentication).
package enum SessionScope: Sendable, Hashable {
    /// One session.
    case one(SessionID)
    /// Sessions whose ids begin so; all of them with an empty text.
    case prefix(String)

    /// Reads an id, or the beginning of ids and `*`; nil for anything else.
    package init?(_ text: String) {
        if text.hasSuffix("*") {
            let beginning = String(text.dropLast())
            guard beginning.isEmpty || SessionID(beginning) != nil else { return nil }
            self = .prefix(beginning)
        } else {
            guard let id = SessionID(text) else { return nil }
            self = .one(id)
        }
    }

    /// Whether the session belongs to the set.
    package func contains(_ session: SessionID) -> Bool {
        switch self {
        case .one(let id): id == session
        case .prefix(let beginning): session.description.utf8.starts(with: beginning.utf8)
        }
    }
}
