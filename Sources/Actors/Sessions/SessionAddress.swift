package import Coordinator

/// The actor id of a session: which loop runs it, and its name.
///
/// The loop is part of the id because an actor's executor may depend on nothing else.
package struct SessionAddress: Sendable, Hashable {
    /// The index of the loop.
    package var loop: Int
    /// The session.
    package var session: SessionID
}
