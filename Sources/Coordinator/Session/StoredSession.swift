/// All of a session that outlives its activation.
package struct StoredSession: Sendable {
    /// The incarnation of the stream of revisions.
    package var epoch: String
    /// The newest revision.
    package var revision: UInt64
    /// State and memory.
    package var viewing: Viewing
    /// Remembered idempotency ids.
    package var requests: RequestMemory
    /// The replay window.
    package var history: History

    /// The parts of a stored session.
    package init(
        epoch: String, revision: UInt64, viewing: Viewing, requests: RequestMemory,
        history: History
    ) {
        self.epoch = epoch
        self.revision = revision
        self.viewing = viewing
        self.requests = requests
        self.history = history
    }
}
