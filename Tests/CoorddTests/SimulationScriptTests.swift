import Coordinator
import Testing
import coordd

@Suite struct SimulationScriptTests {
    private static func steps(seed: UInt64, fixture: Int = 1) -> [PhoneStep] {
        var script = GeniusScript(seed: seed, fixture: fixture, name: "s")
        return (0..<1000).map { _ in script.next() }
    }

    @Test func `the generator is SplitMix64`() {
        // The published test vector for seed 1234567.
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func `the same seed gives the same steps`() {
        #expect(Self.steps(seed: 7) == Self.steps(seed: 7))
    }

    @Test func `another seed or session gives other steps`() {
        #expect(Self.steps(seed: 7) != Self.steps(seed: 8))
        #expect(Self.steps(seed: 7) != Self.steps(seed: 7, fixture: 2))
    }

    @Test func `a mirror's commands follow the seed whatever the screen shows`() {
        var first = MirrorScript(seed: 3, fixture: 1, mirror: 0, name: "m")
        var second = MirrorScript(seed: 3, fixture: 1, mirror: 0, name: "m")
        let shown: JSON = ["betslip": ["selections": [["sportsbookFixtureId": "x"]]]]
        for _ in 0..<300 {
            let event = first.next(seeing: nil)
            #expect(event["type"] == second.next(seeing: shown)["type"])
        }
    }

    @Test func `every kind of step occurs, and the web process dies at most twice`() {
        let steps = Self.steps(seed: 42)
        var kinds: Set<String> = []
        for step in steps { kinds.insert(String("\(step)".prefix { $0 != "(" })) }
        #expect(
            kinds == [
                "rotate", "pageFullscreen", "openBetslip", "addToBetslip", "oddsMoved",
                "removeFromBetslip", "closeBetslip", "container", "stake", "place", "tab",
                "keyboard", "lifecycle", "processDied",
            ])
        #expect(steps.count { $0 == .processDied } <= 2)
    }

    @Test func `a turn is reported by its orientation and then by its interface`() {
        let events = PhoneEvents.events(for: .rotate([.landscapeLeft]), page: 1, seen: nil)
        #expect(events.map { $0["type"] } == ["device.orientation", "device.interface"])
        #expect(events[0]["orientation"] == "landscapeLeft")
        // The screen is drawn for the opposite edge (contract: domain, section 2).
        #expect(events[1]["orientation"] == "landscapeRight")
        #expect(events[1]["screen"] == ["width": 844, "height": 390])
    }

    @Test func `the page's messages have the vendor's shape`() {
        let dimensions = PhoneEvents.events(
            for: .container(top: 0, left: 5, width: 2500, height: 3001), page: 2, seen: nil)
        #expect(
            dimensions == [
                [
                    "type": "bridge", "handler": "gsVideoPlayerBridge", "page": 2,
                    "body": [
                        "type": "betslip-container-dimensions",
                        "payload": [
                            "top": 0, "left": .number(JSONNumber(text: "0.5")), "width": 250,
                            "height": .number(JSONNumber(text: "300.1")),
                        ],
                    ],
                ]
            ])
        let odds = PhoneEvents.events(for: .oddsMoved(185), page: 1, seen: nil)
        #expect(
            odds[0]["body"] == ["type": "multibet-event", "payload": ["decimalPrice": "1.85"]])
        let toggle = PhoneEvents.events(for: .pageFullscreen(nil), page: 1, seen: nil)
        #expect(toggle[0]["body"] == ["type": "toggleFullscreen"])
    }

    @Test func `a placement with conditions names what the viewer saw`() {
        let state: JSON = [
            "betslip": ["revision": 8, "stake": "10.00", "totals": ["price": "1.85"]]
        ]
        #expect(
            PhoneEvents.place(id: "b-1", seen: state, withConditions: true) == [
                "type": "betslip.place", "placementId": "b-1", "ifSlip": 8,
                "decimalPrice": "1.85", "stake": "10.00",
            ])
    }
}
