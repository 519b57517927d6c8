import Rehearsal
import Testing

/// The whole daemon in simulated worlds; `make simulate` plays many more.
@Suite struct RehearsalTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `nothing is lost, repeated or told wrong whatever breaks`(seed: UInt64) {
        let outcome = Rehearsal(seed: seed, steps: 1500).run()
        #expect(outcome.problem == nil, "make simulate SEED=\(seed) STEPS=1500")
    }
}
