/// All of a session that outlives its activation.
package struct StoredSession: Sendable, Equatable {
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
    /// How much of it the store's newest snapshot holds.
    package var mark: SnapshotMark
    /// The user who made it; empty when that was nobody with a name.
    package var owner: String

    /// The parts of a stored session.
    package init(
        epoch: String, revision: UInt64, viewing: Viewing, requests: RequestMemory,
        history: History, mark: SnapshotMark = SnapshotMark(), owner: String = ""
    ) {
        self.epoch = epoch
        self.revision = revision
        self.viewing = viewing
        self.requests = requests
        self.history = history
        self.mark = mark
        self.owner = owner
    }
}

/// How far the parts of a session that grow are in the store's newest snapshot already.
///
/// A snapshot writes only what came since: each publication goes to disk once with its commit and
/// once with a snapshot, however long the replay window is.
package struct SnapshotMark: Sendable, Equatable {
    /// The newest revision whose publication a snapshot holds; 0: none.
    package var revision: UInt64
    /// The newest stamp of a device's remembered ids that a snapshot holds; 0: none.
    package var stamp: UInt64
    /// Durable commits since the snapshot.
    package var commits: Int

    /// The mark of a session that has no snapshot.
    package init(revision: UInt64 = 0, stamp: UInt64 = 0, commits: Int = 0) {
        self.revision = revision
        self.stamp = stamp
        self.commits = commits
    }
}
