import Actors
import Coordinator
import TestSupport

/// How one simulated world is made, drawn from its seed: each world has other weak places.
struct Weather {
    /// Session by session, how many devices it has.
    let devices: [Int]
    let session: SessionSettings
    let server: ServerSettings
    let idleSeconds: Int64

    /// Of ten thousand steps, how many break something.
    let drops: Int
    let crashes: Int
    let stops: Int
    let diskFaults: Int
    let jumps: Int
    let burials: Int

    /// Of a hundred transactions, how many are slow, how many are reported late, how many fail.
    let slowWrites: Int
    let lateReports: Int
    let failedWrites: Int
    let failedReads: Int

    /// Milliseconds between two steps, at most.
    let pace: Int64
    /// Milliseconds that bytes are on their way, at most.
    let latency: Int64
    /// Of a hundred connections, how many belong to a slow reader.
    let slowReaders: Int
    /// Of a hundred connections, how many are stuck when the client has left.
    let lateFrames: Int

    init(random: inout SplitMix) {
        func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        devices = (0..<pick([1, 1, 2, 3])).map { _ in pick([2, 3, 3, 4]) }
        var policy = Policy()
        policy.stageGraceSeconds = pick([1, 5, 30])
        policy.betslipDeadlineSeconds = pick([2, 10, 30])
        policy.effectDeadlineSeconds = pick([1, 5])
        policy.outboxLimit = pick([4, 64, 64])
        var client = ClientSettings()
        client.pingSeconds = pick([1, 5, 25])
        client.pongMilliseconds = client.pingSeconds * 400
        client.eventsPerSecond = pick([20, 200, 1000])
        client.outstanding = pick([4, 1024])
        var server = ServerSettings()
        server.outboundBytes = pick([16_384, 65_536, 1_048_576])
        server.drainSeconds = 1
        server.client = client
        self.server = server
        session = SessionSettings(
            policy: policy, historySize: pick([3, 16, 64, 256]),
            historySeconds: pick([10, 60, 600]), recoveryBytes: server.outboundBytes / 2,
            idempotencyIDs: pick([32, 256]),
            snapshots: SnapshotSettings(
                revisions: pick([2, 10, 50, 200]), seconds: pick([1, 10, 60])))
        idleSeconds = pick([1, 3, 20, 60])
        drops = pick([20, 200, 500, 1500])
        crashes = pick([0, 10, 50, 200])
        stops = pick([0, 0, 5])
        diskFaults = pick([0, 10, 50])
        jumps = pick([5, 20, 100])
        burials = pick([0, 2, 10])
        slowWrites = pick([0, 5, 50])
        lateReports = pick([0, 10, 50])
        failedWrites = pick([0, 0, 1, 10])
        failedReads = pick([0, 0, 5])
        pace = pick([2, 20, 100])
        latency = pick([1, 10, 80])
        slowReaders = pick([0, 0, 10, 30])
        lateFrames = pick([0, 20, 60])
    }
}
