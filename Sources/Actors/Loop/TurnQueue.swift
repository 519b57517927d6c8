/// The work of one loop turn: jobs and actions in their order, then what waits for the turn's end.
///
/// Confined to the loop's thread. It is a class because work that runs adds work.
package final class TurnQueue {
    /// Something an event loop was asked to run.
    package enum Work {
        /// A piece of a Swift task or an actor.
        case job(UnownedJob)
        /// A closure given to `execute`.
        case action(@Sendable () -> Void)
    }

    /// How often a turn goes back for work that its own work added.
    package static let roundsPerTurn = 64

    private var work: [Work] = []
    private var turnEnd: [() -> Void] = []
    // Emptied arrays that keep their memory, so a steady loop allocates nothing.
    private var spareWork: [Work] = []
    private var spareTurnEnd: [() -> Void] = []

    /// An empty queue.
    package init() {}

    /// Nothing is waiting, neither work nor actions for the turn's end.
    package var isEmpty: Bool { work.isEmpty && turnEnd.isEmpty }

    /// Adds work behind all other work.
    package func append(_ work: Work) {
        self.work.append(work)
    }

    /// Adds work that another thread has handed over, in its order.
    package func append(contentsOf batch: [Work]) {
        work.append(contentsOf: batch)
    }

    /// Adds an action that waits until no other work is left in this turn.
    package func appendAtTurnEnd(_ action: @escaping () -> Void) {
        turnEnd.append(action)
    }

    /// Runs what is waiting, and what that adds, for at most `roundsPerTurn` rounds.
    ///
    /// - Returns: true when nothing is left.
    package func drain(running run: (Work) -> Void) -> Bool {
        for _ in 0..<Self.roundsPerTurn {
            if !work.isEmpty {
                drainWork(running: run)
            } else if !turnEnd.isEmpty {
                drainTurnEnd()
            } else {
                return true
            }
        }
        return isEmpty
    }

    private func drainWork(running run: (Work) -> Void) {
        var batch = spareWork
        spareWork = []
        swap(&batch, &work)
        for item in batch { run(item) }
        batch.removeAll(keepingCapacity: true)
        spareWork = batch
    }

    private func drainTurnEnd() {
        var batch = spareTurnEnd
        spareTurnEnd = []
        swap(&batch, &turnEnd)
        for action in batch { action() }
        batch.removeAll(keepingCapacity: true)
        spareTurnEnd = batch
    }
}
