import Coordinator
import Testing
import coordd

/// What chaos finds at a daemon that breaks its promises, and does not find at an honest one.
@Suite struct SimulationChaosTests {
    /// A run with three crashes; `crash` is done at each, so long after many events were sent.
    ///
    /// The fake network takes half a millisecond: after one the answers are on their way, after three
    /// they have come.
    private static func tally(
        afterMilliseconds pause: UInt64 = 1,
        prepare: (FakeDaemon) -> Void = { _ in },
        crash: @escaping (FakeDaemon) -> Void
    ) -> Tally {
        let daemon = FakeDaemon()
        prepare(daemon)
        let context = daemon.makeContext(toleratesLoss: true)
        let plan = SimulatedSession.Plan(
            mirrors: 2, milliseconds: 12_000, seed: 3, chaos: true, name: "c")
        let simulation = Simulation(count: 2, plan: plan, context: context)
        for second: UInt64 in [3, 6, 9] {
            context.schedule(afterMilliseconds: second * 1000) {
                simulation.burst()
                context.schedule(afterMilliseconds: pause) { crash(daemon) }
            }
        }
        var isDone = false
        simulation.onFinished = { isDone = true }
        simulation.start()
        daemon.run { isDone }
        #expect(isDone)
        return context.tally
    }

    @Test func `crashes of an honest daemon leave nothing to complain about`() {
        let tally = Self.tally { $0.crash() }
        #expect(tally.problems == [])
        #expect(tally.chaos.resentAcknowledged > 0)
        #expect(tally.chaos.duplicates >= tally.chaos.resentAcknowledged)
        #expect(tally.chaos.historyCompared > 0)
    }

    @Test func `a daemon that forgets its last acknowledged revision is found out`() {
        let tally = Self.tally(afterMilliseconds: 3) { $0.crash(forgetting: 1) }
        #expect(tally.chaos.violations["lostRevision", default: 0] > 0)
        #expect(tally.chaos.violations["notRecovered", default: 0] > 0)
        #expect(!tally.isClean)
        // It is named: the session, the device, what was expected, what was found.
        let problem = tally.problems.first { $0.hasPrefix("lostRevision: ") } ?? ""
        #expect(problem.contains("c-"))
        #expect(problem.contains("expected revision "))
        #expect(problem.contains(", found the newest is "))
    }

    @Test func `a daemon that forgets ids is found out`() {
        let tally = Self.tally(prepare: { $0.remembersIDs = false }, crash: { $0.crash() })
        #expect(tally.chaos.violations["forgottenID", default: 0] > 0)
        #expect(tally.chaos.violations["appliedTwice", default: 0] > 0)
    }

    @Test func `a daemon that changes its epoch is found out`() {
        let tally = Self.tally { daemon in
            daemon.epoch = "another"
            daemon.crash()
        }
        #expect(tally.chaos.violations["epoch", default: 0] > 0)
        #expect(tally.chaos.violations["notRecovered", default: 0] > 0)
    }

    @Test func `a daemon that recovers with another text is found out`() {
        let tally = Self.tally { daemon in
            daemon.spoil = { _, publication in
                let text = String(decoding: publication.data, as: UTF8.self)
                // Another time changes no state, so that only the bytes tell.
                let data = text.split(separator: #""at":"#).joined(separator: #""at":9"#)
                return Publication(offset: publication.offset, data: Array(data.utf8))
            }
            daemon.crash()
        }
        #expect(tally.chaos.violations["rewritten", default: 0] > 0)
        #expect(tally.mismatches == 0)
    }
}
