import Coordinator

/// What all parts of one simulation share: connections, time, work for later, and the counts.
package final class SimulationContext {
    /// Opens a connection that connects as `device`.
    package typealias Dial = (_ device: String, _ handler: @escaping (LinkEvent) -> Void) ->
        any Link

    /// Opens a connection.
    package var dial: Dial
    /// A steady clock in microseconds.
    package let now: () -> UInt64
    /// Work for later; its driver runs what is due.
    package var agenda = Agenda()
    /// The counts.
    package var tally = Tally()
    /// Whether lost connections and snapshots in place of recoveries are part of the game.
    package var toleratesLoss: Bool

    /// Whether a recovery may end with a snapshot, since the daemon is not ours.
    package var toleratesSnapshots: Bool
    /// Revisions that the daemon must have in its history; nil when that is not known.
    package var historySize: UInt64?
    /// Placements whose bet was offered to any phone; their ids differ between sessions.
    package var offeredBets: Set<String> = []
    /// Whether nobody is to connect, since our daemon is not there.
    package var isServerDown = false
    /// Called when an event was acknowledged.
    package var onAcknowledged: () -> Void = {}
    /// The seed of choices that are made while the simulation runs.
    package let seed: UInt64

    /// A context over a way to connect and a clock.
    package init(
        toleratesLoss: Bool, toleratesSnapshots: Bool = false, seed: UInt64 = 0,
        now: @escaping () -> UInt64, dial: @escaping Dial
    ) {
        self.toleratesLoss = toleratesLoss
        self.toleratesSnapshots = toleratesSnapshots
        self.seed = seed
        self.now = now
        self.dial = dial
    }

    /// Does `work` after so many milliseconds.
    package func schedule(afterMilliseconds delay: UInt64, _ work: @escaping () -> Void) {
        agenda.add(at: now() + delay * 1000, work)
    }

    /// Does everything that is due now.
    package func runDue() {
        let time = now()
        while let work = agenda.next(dueBy: time) { work() }
    }
}
