import Coordinator
import Testing
import coordd

@Suite struct SimulationPhoneTests {
    /// A phone whose page is up, on a fake daemon.
    private final class Bench {
        let daemon = FakeDaemon()
        let context: SimulationContext
        let phone: GeniusPhone
        var session: FakeSession { daemon.session("s") }

        init() throws {
            context = daemon.makeContext()
            let screen = SimulatedScreen(
                session: try #require(SessionID("s")), device: "phone", context: context)
            phone = GeniusPhone(screen: screen, fixture: 1, seed: 9, context: context)
            screen.start()
            daemon.run { false }
        }

        /// The events and acknowledgements that an effect leads to.
        func offer(_ effect: JSON) -> (events: [JSON], acknowledgements: [JSON]) {
            let events = session.events.count
            let acknowledgements = session.acknowledgements.count
            session.offer(effect)
            daemon.run { false }
            return (
                Array(session.events.dropFirst(events)),
                Array(session.acknowledgements.dropFirst(acknowledgements))
            )
        }
    }

    @Test func `a phone loads its player and says init once the page came`() throws {
        let bench = try Bench()
        #expect(bench.session.events.map { $0["type"] } == ["player.load", "bridge"])
        #expect(bench.session.events[1]["body"] == ["type": "init"])
        #expect(bench.session.events[1]["page"] == 1)
        #expect(bench.session.acknowledgements == [["session": "s", "done": [1]]])
        #expect(bench.phone.isReady)
        #expect(bench.context.tally.isClean)
    }

    @Test(arguments: ["setFullscreen", "showToast", "hideKeyboard", "evaluateJavaScript"])
    func `an effect that needs no answer is acknowledged`(kind: String) throws {
        let bench = try Bench()
        let result = bench.offer(["kind": .string(kind)])
        #expect(result.events == [])
        #expect(result.acknowledgements == [["session": "s", "done": [2]]])
    }

    @Test func `an asked orientation is confirmed by the interface, or refused now and then`()
        throws
    {
        let bench = try Bench()
        var confirmed = 0
        var refused = 0
        for _ in 0..<200 {
            let result = bench.offer([
                "kind": "requestOrientation", "orientation": "landscapeRight",
            ])
            #expect(result.acknowledgements.count == 1)
            if result.acknowledgements.first?["failed"] != nil {
                refused += 1
                #expect(result.events == [])
            } else {
                confirmed += 1
                #expect(result.events == [PhoneEvents.interface(.landscapeLeft)])
            }
        }
        #expect(confirmed > 150 && refused > 0)
        #expect(bench.context.tally.acknowledgedFailed == refused)
    }

    @Test func `an offered bet is settled`() throws {
        let bench = try Bench()
        for number in 1...30 {
            let id = "b-\(number)"
            let result = bench.offer([
                "kind": "placeBet", "placementId": .string(id), "selections": [],
            ])
            #expect(result.acknowledgements.count == 1)
            let outcomes = result.events.map { $0["outcome"]?.string ?? "" }
            #expect([["accepted"], ["rejected"], ["unknown", "accepted"]].contains(outcomes))
            #expect(result.events.allSatisfy { $0["placementId"] == .string(id) })
        }
        #expect(bench.phone.intentions == 0)
        #expect(bench.context.tally.isClean)
    }

    @Test func `a bet that is offered twice is an error and settled once`() throws {
        let bench = try Bench()
        let bet: JSON = ["kind": "placeBet", "placementId": "b", "selections": []]
        _ = bench.offer(bet)
        let again = bench.offer(bet)
        #expect(again.events == [])
        #expect(bench.context.tally.unexpected == ["a bet was offered twice": 1])
    }

    @Test func `facts that are asked for are reported`() throws {
        let bench = try Bench()
        let result = bench.offer(["kind": "reportFacts"])
        #expect(result.events.map { $0["type"] } == ["device.report"])
        #expect(result.events.first?["facts"]?["screen"] == ["width": 390, "height": 844])
    }

    @Test func `effects whose numbers do not increase are an error`() throws {
        let bench = try Bench()
        _ = bench.offer(["kind": "showToast", "seq": 1])
        #expect(bench.context.tally.unexpected == ["effect showToast out of order": 1])
    }
}
