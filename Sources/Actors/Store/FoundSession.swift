package import Coordinator

/// A session as it lies in a stopped daemon's database.
package struct FoundSession: Sendable {
    /// What could be read of it.
    package enum Content: Sendable {
        /// All of it.
        case stored(StoredSession)
        /// Nothing, for this reason.
        case damaged(String)
    }

    /// Its id as it is stored; one that is damaged may have an id that no session can have.
    package var id: String
    /// Since when nobody uses it; nil when it was in use as the daemon ended.
    package var idleSince: Instant?
    /// Bytes of its stored texts: snapshot, replay window, answers and commits since.
    package var bytes = 0
    /// What could be read of it.
    package var content: Content
}
