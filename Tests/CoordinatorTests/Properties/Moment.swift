import Coordinator

/// One transition of a session: what was there, what came, what it became.
struct Moment {
    /// What can come.
    enum Cause {
        case event(String)
        case attach(String)
        case detach
        case take(String)
        case acknowledge(done: [UInt64], failed: [UInt64])
        case expire
        case restart
    }

    let cause: Cause
    let before: Viewing
    let after: Viewing
    let now: Instant
    /// What came of it; nil when it was rejected, or for a restart.
    let outcome: Outcome?
    /// What the stage before is still told, at a take-over.
    var farewell: [Effect] = []

    /// All effects of the transition, for whomever.
    var effects: [Effect] { farewell + (outcome?.effects ?? []) }

    /// Whether the cause is an event of this type.
    func isEvent(_ type: String) -> Bool {
        guard case .event(let text) = cause else { return false }
        return text.hasPrefix(#"{"type":"\#(type)""#)
    }
}
