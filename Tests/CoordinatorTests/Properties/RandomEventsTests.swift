import Coordinator
import TestSupport
import Testing

/// Any events in any order: no trap, no drift, no half-applied rejection.
@Suite struct RandomEventsTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `patches fold to the state and a refused event changes nothing`(seed: UInt64) throws {
        var walk = RandomWalk(seed: seed)
        for _ in 0..<500 {
            var revision = walk.session.revision
            for moment in try walk.step() {
                guard let outcome = moment.outcome else {
                    #expect(moment.after == moment.before, "\(walk.place)")
                    continue
                }
                if outcome.kind == .revision { revision += 1 }
                if !outcome.isDurable {
                    #expect(moment.after == moment.before, "\(walk.place)")
                }
            }
            #expect(walk.session.revision == revision, "\(walk.place)")
            let state = walk.session.viewing.state.json
            guard walk.session.folded == state else {
                Issue.record("\(walk.place): the fold is another state")
                return
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `what is stored folds to the session`(seed: UInt64) throws {
        // So little room that ids, effects and placements are forgotten and used again.
        var policy = Policy()
        policy.placementLimit = seed.isMultiple(of: 2) ? 2 : 3
        policy.placementSeconds = 30
        policy.outboxLimit = 4
        policy.betslipConfirm = seed.isMultiple(of: 3) ? .auto : .host
        var walk = RandomWalk(seed: seed, policy: policy)
        var mirror = try StoredMirror(walk.session.viewing)
        for number in 0..<200 {
            _ = try walk.step()
            try mirror.fold(walk.session.viewing)
            if number % 10 == 0 { try mirror.check(walk.place) }
        }
    }
}
