import Coordinator
import Testing
import coordd

@Suite struct SimulationScriptTests {
    private static func scenes(
        _ vendor: SimulatedVendor, seed: UInt64, fixture: Int = 1, count: Int = 200
    ) -> [(scene: String, steps: [PhoneStep])] {
        var play = Performance(vendor.script, seed: seed, fixture: fixture, name: "s")
        return (0..<count).map { _ in play.next() }
    }

    private static func steps(
        _ vendor: SimulatedVendor, seed: UInt64, fixture: Int = 1
    ) -> [PhoneStep] {
        scenes(vendor, seed: seed, fixture: fixture).flatMap(\.steps)
    }

    @Test func `the generator is SplitMix64`() {
        // The published test vector for seed 1234567.
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test(arguments: SimulatedVendor.allCases)
    func `the same seed gives the same steps, another seed or session others`(
        vendor: SimulatedVendor
    ) {
        let steps = Self.steps(vendor, seed: 7)
        #expect(steps == Self.steps(vendor, seed: 7))
        #expect(steps != Self.steps(vendor, seed: 8))
        #expect(steps != Self.steps(vendor, seed: 7, fixture: 2))
    }

    @Test(arguments: SimulatedVendor.allCases)
    func `every scene is played before the deck is dealt anew`(vendor: SimulatedVendor) {
        let script = vendor.script
        let cards = script.scenes.reduce(0) { $0 + $1.weight }
        let played = Self.scenes(vendor, seed: 42, count: cards).map(\.scene)
        for scene in script.scenes {
            let expected = min(scene.weight, scene.most ?? .max)
            #expect(played.count { $0 == scene.name } >= expected, "\(scene.name)")
        }
        #expect(Set(script.scenes.map(\.name)).count == script.scenes.count)
    }

    @Test(arguments: SimulatedVendor.allCases)
    func `what is hard for a session is in every script`(vendor: SimulatedVendor) {
        let scenes = Self.scenes(vendor, seed: 42)
        let steps = scenes.flatMap(\.steps)
        #expect(
            steps.contains { if case .rotate(let sides) = $0 { sides.count >= 6 } else { false } })
        #expect(steps.contains(.takeOver))
        #expect(steps.contains(.refuseRotations(2)))
        #expect(steps.contains(.readyAgain))
        #expect(steps.contains(.load))
        #expect(steps.contains(.swipe))
        // The rules allow three deaths of the web process a minute.
        #expect((1...2).contains(steps.count { $0 == .processDied }))
        // Somebody taps twice.
        #expect(scenes.contains { $0.steps.count == 2 && $0.steps[0] == $0.steps[1] })
        #expect(steps.contains(.refuseSmallWindow) == vendor.script.hasPictureInPicture)
        #expect(steps.contains(.smallWindow(.restored)) == vendor.script.hasPictureInPicture)
    }

    @Test func `odds move while a placement is open`() throws {
        let scene = try #require(
            Self.scenes(.genius, seed: 1).first { $0.scene == "odds move during a placement" })
        let place = try #require(
            scene.steps.firstIndex { if case .place = $0 { true } else { false } })
        for step in scene.steps[(place + 1)...] {
            guard case .message(let message) = step else {
                Issue.record("\(step)")
                continue
            }
            #expect(message.body["payload"]?["decimalPrice"] != nil)
            #expect(message.body["payload"]?["command"] == nil)
        }
        #expect(scene.steps.count == place + 3)
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

    @Test func `a turn is reported by its orientation and then by its interface`() {
        var device = ModelledDevice(marks: [])
        let events = device.live(.rotate([.landscapeLeft])).compactMap { reaction in
            if case .tell(let event) = reaction { event } else { nil }
        }
        #expect(events.map { $0["type"] } == ["device.orientation", "device.interface"])
        #expect(events[0]["orientation"] == "landscapeLeft")
        // The screen is drawn for the opposite edge (contract: domain, section 2).
        #expect(events[1]["orientation"] == "landscapeRight")
        #expect(events[1]["screen"] == ["width": 844, "height": 390])
    }

    @Test func `a message goes out with its handler and page`() {
        #expect(
            PhoneEvents.bridge(PageMessage("srBridge", ["type": "x"]), page: 2) == [
                "type": "bridge", "handler": "srBridge", "body": ["type": "x"], "page": 2,
            ])
    }

    @Test func `tenths have a fraction only where there is one`() {
        var improvisation = Improvisation(seed: 1, fixture: 1, name: "s")
        #expect(improvisation.tenths(in: 2500...2500) == 250)
        #expect(improvisation.tenths(in: 3001...3001) == .number(JSONNumber(text: "300.1")))
        #expect(improvisation.tenths(in: 5...5) == .number(JSONNumber(text: "0.5")))
    }

    @Test func `a secret of the content is the run's own`() {
        let load = VendorScript.genius.load(fixture: 3, canary: "canary")
        #expect(load["vendor"] == "genius")
        #expect(load["content"]?["password"] == "canary-password")
        let shop = VendorScript.sauceflex.load(fixture: 3, canary: "canary")
        #expect(shop["content"]?["accessToken"] == "canary-token")
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
