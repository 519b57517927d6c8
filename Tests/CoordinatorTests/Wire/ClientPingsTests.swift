import Coordinator
import Testing

@Suite struct ClientPingsTests {
    @Test func `without a connect the connection is stale after its time`() {
        var harness = ClientHarness()
        #expect(harness.client.deadline == ClientHarness.instant(10_000))
        let early = harness.tick(at: 9_999)
        #expect(early == .none)
        let late = harness.tick(at: 10_000)
        #expect(late == .disconnect(.stale))
    }

    @Test func `a refused connect does not stop the clock`() {
        var harness = ClientHarness()
        _ = harness.receive(#"{"id":1,"connect":{"data":{"device":5}}}"#, at: 9_000)
        #expect(harness.client.deadline == ClientHarness.instant(10_000))
        let late = harness.tick(at: 10_000)
        #expect(late == .disconnect(.stale))
    }

    @Test(arguments: [(0, 12_500), (0.5, 18_750), (0.75, 21_875)] as [(Double, Int64)])
    func `the first ping comes between half an interval and a whole one after connect`(
        jitter: Double, first: Int64
    ) {
        var harness = ClientHarness(jitter: jitter)
        _ = harness.receive(#"{"id":1,"connect":{}}"#, at: 3_000)
        #expect(harness.client.deadline == ClientHarness.instant(3_000 + first))
        let early = harness.tick(at: 3_000 + first - 1)
        #expect(early == .none)
        let ping = harness.tick(at: 3_000 + first)
        #expect(ping == .ping)
    }

    @Test func `then a ping comes every interval, counted from the ping and not the pong`() {
        var harness = ClientHarness.connected()
        for number in 0..<4 as Range<Int64> {
            let due = 12_500 + number * 25_000
            #expect(harness.client.deadline == ClientHarness.instant(due))
            let ping = harness.tick(at: due)
            #expect(ping == .ping)
            #expect(harness.client.deadline == ClientHarness.instant(due + 10_000))
            let pong = harness.receive("{}", at: due + 9_999)
            #expect(pong == .none)
        }
    }

    @Test func `a late timer does not move the pings after it`() {
        var harness = ClientHarness.connected()
        let late = harness.tick(at: 12_507)
        #expect(late == .ping)
        #expect(harness.client.deadline == ClientHarness.instant(22_507))
        _ = harness.receive("{}", at: 12_600)
        #expect(harness.client.deadline == ClientHarness.instant(37_500))
    }

    @Test func `pings that were slept through are not made up for`() {
        var harness = ClientHarness.connected()
        let late = harness.tick(at: 100_000)
        #expect(late == .ping)
        _ = harness.receive("{}", at: 100_001)
        #expect(harness.client.deadline == ClientHarness.instant(125_000))
    }

    @Test func `a ping without a pong in time ends the connection`() {
        var harness = ClientHarness.connected()
        _ = harness.tick(at: 12_500)
        _ = harness.receive(#"{"id":2,"presence":{"channel":"session:a"}}"#, at: 20_000)
        let early = harness.tick(at: 22_499)
        #expect(early == .none)
        let late = harness.tick(at: 22_500)
        #expect(late == .disconnect(.noPong))
    }

    @Test func `each ping allows one pong`() {
        var fresh = ClientHarness.connected()
        let unasked = fresh.receive("{}")
        #expect(unasked == .disconnect(.badRequest))
        var harness = ClientHarness.connected()
        _ = harness.tick(at: 12_500)
        let first = harness.receive("{}", at: 12_600)
        #expect(first == .none)
        let second = harness.receive("{}", at: 12_601)
        #expect(second == .disconnect(.badRequest))
    }

    @Test func `pings can be off`() {
        var harness = ClientHarness.connected(settings: ClientSettings(pingSeconds: 0))
        #expect(harness.client.deadline == Instant(milliseconds: .max))
        let tick = harness.tick(at: 1_000_000_000)
        #expect(tick == .none)
        let pong = harness.receive("{}")
        #expect(pong == .disconnect(.badRequest))
    }

    @Test func `an ending connection has nothing to do in time`() {
        var harness = ClientHarness.connected()
        harness.client.beginDisconnect()
        #expect(harness.client.deadline == Instant(milliseconds: .max))
        let tick = harness.tick(at: 1_000_000)
        #expect(tick == .none)
    }
}
