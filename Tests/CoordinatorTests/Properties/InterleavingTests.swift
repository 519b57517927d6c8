import Coordinator
import TestSupport
import Testing

/// Several devices on one session whose store is slow, fails and dies: there is one order of events
/// that explains everything (contract: domain, sections 1, 3 and 4.4).
@Suite struct InterleavingTests {
    /// Plays devices on a host, and everything else that can happen; then waits for rest.
    private static func play(
        seed: UInt64, steps: Int, bets: Int, policy: Policy = Policy()
    ) throws -> SessionHost {
        var random = SplitMix(seed: seed)
        var host = SessionHost(policy: policy)
        var connections: UInt64 = 1
        let observer = Caller(connection: 1, client: "c1", device: "wall", role: .observer)
        var devices = ["phone", "tablet", "tv"].enumerated().map { index, name in
            ScriptedDevice(
                name, seed: seed &* 8 &+ UInt64(index), isPatient: index == 1, bets: bets)
        }
        host.follow(as: observer)
        for _ in 0..<steps {
            switch Int.random(in: 0..<1000, using: &random) {
            case 0..<720:
                let index = Int.random(in: devices.indices, using: &random)
                try devices[index].step(&host, connections: &connections)
            case 720..<900: host.settle(Int.random(in: 1...5, using: &random))
            case 900..<915:
                host.fail(after: Int.random(in: 0...max(0, host.pendingCount), using: &random))
            case 915..<920:
                try host.crash(after: Int.random(in: 0...max(0, host.pendingCount), using: &random))
                for index in devices.indices { devices[index].disconnected() }
                host.follow(as: observer)
            case 920..<930: host.follow(as: observer)
            default:
                let most: Int64 = [100, 4000, 20_000].randomElement(using: &random) ?? 1
                host.wait(milliseconds: Int64.random(in: 0..<most, using: &random))
            }
            guard host.problems.isEmpty else { break }
        }
        // Nobody does anything any more: every timer runs out.
        var left = 40
        host.settle()
        while host.waitForTimer(), left > 0 {
            host.settle()
            left -= 1
        }
        host.demand(left > 0, "the timers end")
        host.checkRest()
        return host
    }

    @Test(arguments: 501...520 as ClosedRange<UInt64>)
    func `any interleaving gives a state that its revisions explain`(seed: UInt64) throws {
        let host = try Self.play(seed: seed, steps: 1500, bets: 10)
        for problem in host.problems { Issue.record("seed \(seed): \(problem)") }
        for (device, tags) in host.tags {
            let isInOrder = zip(tags, tags.dropFirst()).allSatisfy { $0 < $1 }
            #expect(isInOrder, "seed \(seed): \(device) sent its events in another order: \(tags)")
        }
    }

    @Test(arguments: 601...620 as ClosedRange<UInt64>)
    func `a bet is offered once and ends once`(seed: UInt64) throws {
        var policy = Policy()
        policy.betslipDeadlineSeconds = 8
        let host = try Self.play(seed: seed, steps: 1500, bets: 70, policy: policy)
        for problem in host.problems { Issue.record("seed \(seed): \(problem)") }
        for (id, count) in host.offers {
            #expect(count == 1, "seed \(seed): \(id) was offered \(count) times")
        }
        for (id, count) in host.acceptances {
            #expect(count == 1, "seed \(seed): \(id) was accepted \(count) times")
        }
        for placement in host.durable.memory.placements {
            #expect(
                placement.state.outcome != nil, "seed \(seed): \(placement.state.id) has no end")
        }
    }
}
