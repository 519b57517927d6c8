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

    /// A context over a way to connect and a clock.
    package init(toleratesLoss: Bool, now: @escaping () -> UInt64, dial: @escaping Dial) {
        self.toleratesLoss = toleratesLoss
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
