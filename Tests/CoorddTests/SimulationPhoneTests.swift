import Coordinator
import Testing
import coordd

@Suite struct SimulationPhoneTests {
    /// A phone whose page is up, on a fake daemon.
    private final class Bench {
        let daemon = FakeDaemon()
        let context: SimulationContext
        let phone: SimulatedPhone
        var session: FakeSession { daemon.session("s") }

        init() throws {
            context = daemon.makeContext()
            let screen = SimulatedScreen(
                session: try #require(SessionID("s")), device: "phone", context: context)
            phone = SimulatedPhone(
                screen: screen, script: .genius, fixture: 1, seed: 9, context: context)
            phone.start()
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
        let types = bench.session.events.map { $0["type"] }
        #expect(types == ["player.load", "device.navigation", "device.navigation", "bridge"])
        #expect(bench.session.events[3]["body"] == ["type": "init"])
        #expect(bench.session.events[3]["page"] == 1)
        #expect(bench.session.acknowledgements == [["session": "s", "done": [1]]])
        #expect(bench.phone.isReady)
        #expect(bench.context.tally.isClean)
    }

    @Test(arguments: ["setFullscreen", "showToast", "hideKeyboard", "setKeepAwake"])
    func `an effect that needs no answer is acknowledged`(kind: String) throws {
        let bench = try Bench()
        let result = bench.offer(["kind": .string(kind), "on": true])
        #expect(result.events == [])
        #expect(result.acknowledgements == [["session": "s", "done": [2]]])
    }

    @Test func `an asked orientation is confirmed by the interface, or refused when locked`()
        throws
    {
        let bench = try Bench()
        let order: JSON = ["kind": "requestOrientation", "orientation": "landscapeRight"]
        let done = bench.offer(order)
        #expect(done.events == [PhoneEvents.interface(.landscapeLeft)])
        #expect(done.acknowledgements.map { $0["failed"] } == [nil])
        bench.phone.play(.refuseRotations(1))
        let refused = bench.offer(order)
        #expect(refused.events == [])
        #expect(refused.acknowledgements.first?["failed"] != nil)
        #expect(bench.context.tally.acknowledgedFailed == 1)
        #expect(bench.context.tally.vendors["genius"]?.refused == 1)
    }

    @Test func `a phone whose stage is taken stops acting, and can take it back`() throws {
        let bench = try Bench()
        bench.session.take(for: "other")
        bench.daemon.run { false }
        #expect(!bench.phone.holdsStage)
        #expect(!bench.phone.device.isShown)
        #expect(!bench.phone.canPlay(.swipe))
        bench.phone.takeOver()
        bench.daemon.run { false }
        #expect(bench.phone.holdsStage && bench.phone.isReady)
        #expect(bench.context.tally.problems == [])
    }

    @Test func `a phone that takes the stage back unheard gives up its old player first`() throws {
        let bench = try Bench()
        _ = bench.offer(["kind": "setKeepAwake", "on": true])
        bench.phone.screen.drop(forMilliseconds: 100)
        bench.session.take(for: "other")
        bench.phone.takeOver()
        bench.daemon.run { false }
        #expect(bench.phone.holdsStage && bench.phone.isReady)
        #expect(bench.phone.device.page?.generation == 2)
        #expect(!bench.phone.device.staysAwake)
        #expect(bench.context.tally.problems == [])
    }

    @Test func `a phone that takes the stage back before it is refused takes it`() throws {
        let bench = try Bench()
        bench.phone.screen.drop(forMilliseconds: 100)
        bench.session.take(for: "other")
        bench.daemon.run { bench.phone.screen.isFollowing }
        #expect(bench.phone.holdsStage)
        bench.phone.takeOver()
        bench.daemon.run { false }
        #expect(bench.phone.holdsStage && bench.phone.isReady)
        #expect(bench.context.tally.problems == [])
    }

    @Test func `a take whose answer is lost behind the farewell is asked for again`() throws {
        let bench = try Bench()
        bench.session.take(for: "other")
        bench.phone.takeOver()
        let arrival = bench.daemon.time + 500
        bench.daemon.run { bench.daemon.time >= arrival }
        #expect(!bench.phone.device.isShown && !bench.phone.holdsStage)
        bench.phone.screen.drop(forMilliseconds: 100)
        bench.daemon.run { false }
        #expect(bench.phone.holdsStage && bench.phone.isReady)
        #expect(bench.context.tally.problems == [])
    }

    @Test func `a stage that is lost without a farewell leaves a difference`() throws {
        let bench = try Bench()
        bench.session.stage?.deliver(
            .push(.unsubscribe(channel: "stage:s", .stageTaken)))
        bench.daemon.run { false }
        #expect(bench.context.tally.deviceMismatches == 1)
        #expect(
            bench.context.tally.problems
                == ["device: phone lost the stage, but the player is still shown"])
    }

    @Test func `a script that the page does not know is an error`() throws {
        let bench = try Bench()
        _ = bench.offer(["kind": "evaluateJavaScript", "script": "alert(1)"])
        #expect(
            bench.context.tally.unexpected
                == ["a script that the vendor's page does not know": 1])
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

    @Test func `a bet that is offered to another phone again is an error`() throws {
        let bench = try Bench()
        let bet: JSON = ["kind": "placeBet", "placementId": "b", "selections": []]
        _ = bench.offer(bet)
        let other = SimulatedPhone(
            screen: SimulatedScreen(
                session: try #require(SessionID("s")), device: "other", context: bench.context),
            script: .genius, fixture: 1, seed: 10, context: bench.context)
        other.takeOver()
        bench.daemon.run { false }
        #expect(other.holdsStage && bench.context.tally.isClean)
        #expect(bench.offer(bet).events == [])
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
