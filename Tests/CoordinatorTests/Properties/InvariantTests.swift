import Coordinator
import Testing

/// What holds at every step of a session, whatever happens to it.
@Suite struct InvariantTests {
    @Test(arguments: 101...140 as ClosedRange<UInt64>)
    func `every transition keeps what always holds`(seed: UInt64) throws {
        var policy = Policy()
        if seed.isMultiple(of: 4) { policy.betslipConfirm = .auto }
        if seed.isMultiple(of: 5) { policy.outboxLimit = 6 }
        var walk = RandomWalk(seed: seed, policy: policy)
        var invariants = Invariants()
        for _ in 0..<500 {
            for moment in try walk.step() {
                let broken = invariants.broken(by: moment, policy: policy)
                guard broken.isEmpty else {
                    Issue.record("\(walk.place), \(moment.cause): \(broken)")
                    return
                }
                // A restart lets overdue timers run, and so does time; nothing is late after that.
                if case .expire = moment.cause { continue }
                guard case .event = moment.cause, let due = moment.after.nextDeadline else {
                    continue
                }
                guard due > moment.now else {
                    Issue.record("\(walk.place), \(moment.cause): a deadline is in the past")
                    return
                }
            }
        }
    }

    @Test(arguments: 201...220 as ClosedRange<UInt64>)
    func `a session that is left alone comes to rest`(seed: UInt64) throws {
        var walk = RandomWalk(seed: seed)
        for _ in 0..<Int(seed % 7 + 1) * 40 { _ = try walk.step() }
        var session = walk.session
        // A request is tried twice; every other timer runs once.
        var left = 12
        while let due = session.viewing.nextDeadline {
            session.now = max(session.now, due)
            #expect(session.expire() != nil, "\(walk.place)")
            left -= 1
            guard left > 0 else {
                Issue.record("\(walk.place): the timers do not end")
                return
            }
        }
        #expect(session.viewing.state.toast == nil, "\(walk.place)")
        #expect(session.viewing.state.betslip.status != .placing, "\(walk.place)")
    }
}
