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

    /// The contract's defaults for whatever is not given.
    package init(
        policy: Policy = Policy(), historySize: Int = 256, historySeconds: Int64 = 600,
        recoveryBytes: Int = 524_288, idempotencyIDs: Int = 256, idempotencyDevices: Int = 64
    ) {
        self.policy = policy
        self.historySize = historySize
        self.historySeconds = historySeconds
        self.recoveryBytes = recoveryBytes
        self.idempotencyIDs = idempotencyIDs
        self.idempotencyDevices = idempotencyDevices
    }
}
