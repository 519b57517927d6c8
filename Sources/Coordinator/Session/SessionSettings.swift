/// The numbers of one session that are not rules of the domain.
package struct SessionSettings: Sendable {
    /// The rules' numbers, selectors and templates.
    package var policy: Policy
    /// Revisions in the replay window.
    package var historySize: Int
    /// Age of the oldest revision in the replay window, in seconds.
    package var historySeconds: Int64
    /// Bytes of publications that one recovery may bring; more is answered with a snapshot.
    package var recoveryBytes: Int
    /// Idempotency ids remembered for each device.
    package var idempotencyIDs: Int
    /// Devices whose idempotency ids are remembered.
    package var idempotencyDevices: Int
    /// When snapshots are asked for; nil: only when the session is passivated.
    package var snapshots: SnapshotSettings?

    /// Whether a commit counts as durable as soon as it is asked for, as with durability `memory`: then
    /// nothing is held back, and nobody reports that it settled.
    package var settlesAtOnce: Bool

    /// The contract's defaults for whatever is not given.
    package init(
        policy: Policy = Policy(), historySize: Int = 256, historySeconds: Int64 = 600,
        recoveryBytes: Int = 524_288, idempotencyIDs: Int = 256, idempotencyDevices: Int = 64,
        snapshots: SnapshotSettings? = SnapshotSettings(), settlesAtOnce: Bool = false
    ) {
        self.policy = policy
        self.historySize = historySize
        self.historySeconds = historySeconds
        self.recoveryBytes = recoveryBytes
        self.idempotencyIDs = idempotencyIDs
        self.idempotencyDevices = idempotencyDevices
        self.snapshots = snapshots
        self.settlesAtOnce = settlesAtOnce
    }
}

/// When a session is written as a whole (contract: protocol, configuration `snapshot`).
package struct SnapshotSettings: Sendable {
    /// Commits after which a snapshot is asked for.
    package var revisions: Int
    /// Seconds after which a changed session's snapshot is asked for.
    package var seconds: Int64

    /// The contract's defaults for whatever is not given.
    package init(revisions: Int = 200, seconds: Int64 = 60) {
        self.revisions = revisions
        self.seconds = seconds
    }
}
