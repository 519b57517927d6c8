import TestSupport

/// The whole daemon in a simulated world, about which one seed decides.
///
/// Real sessions, connections, framing and encoding on a loop
/// and a clock that stand still until they are moved, a network that cuts and delays, a disk that
/// fails and tears, clients that come back.
package struct Rehearsal {
    /// The number that everything is drawn from.
    package let seed: UInt64
    /// How many random steps are taken before the world is left to settle.
    package let steps: Int
    /// What the disk does wrong, to see that it is found out; nil: nothing.
    package var lie: Lie?
    /// Whether a report tells what happened last.
    package var traces = false

    /// What a disk may do wrong.
    package enum Lie: Sendable, CaseIterable {
        /// At a crash it loses the newest commit of each session, whatever was said of it.
        case losesNewest
        /// It does not keep the answers to remembered ids with the commits.
        case forgetsAnswers
        /// It does not keep the replay window with the snapshots.
        case losesWindows
    }

    /// What came of it.
    package struct Outcome: Sendable {
        /// The seed.
        package var seed: UInt64
        /// What happened.
        package var tally: Tally
        /// The same for the same seed: made of all bytes that clients got, and when.
        package var digest: UInt64
        /// What is not as it must be, with the step at which that showed; nil when all is well.
        package var problem: String?
        /// What happened last, when that was wanted.
        package var trace: [String]
    }

    /// A rehearsal of a seed.
    package init(seed: UInt64, steps: Int) {
        self.seed = seed
        self.steps = steps
    }

    /// Plays it; stops at the first problem.
    package func run() -> Outcome {
        let world = World(seed: seed, traces: traces, lie: lie)
        world.play(steps: steps)
        return Outcome(
            seed: seed, tally: world.tally, digest: world.digest, problem: world.problem,
            trace: world.traced)
    }
}
