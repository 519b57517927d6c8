import Coordinator
import Testing
import coordd

@Suite struct SimulationDeviceTests {
    /// A device, and what it did.
    private struct Bench {
        var device: ModelledDevice
        var random = SplitMix64(seed: 1)
        var newest: UInt64 = 0

        init(_ marks: [ScriptMark] = VendorScript.sauceflex.marks) {
            device = ModelledDevice(marks: marks)
        }

        /// Carries out an effect and all that follows at once; gives the types of facts told, the
        /// phases of the small window, and the effects acknowledged.
        @discardableResult
        mutating func perform(_ effect: JSON) -> (facts: [String], done: [UInt64], failed: Int) {
            newest += 1
            return settle(
                device.perform(
                    effect, seq: newest, kind: effect["kind"]?.string ?? "", using: &random))
        }

        mutating func live(_ step: PhoneStep) -> [String] { settle(device.live(step)).facts }

        private mutating func settle(
            _ reactions: [ModelledDevice.Reaction]
        ) -> (facts: [String], done: [UInt64], failed: Int) {
            var open = reactions[...]
            var told: [String] = []
            var done: [UInt64] = []
            var failed = 0
            while let reaction = open.popFirst() {
                switch reaction {
                case .tell(let event):
                    told.append(event["phase"]?.string ?? event["type"]?.string ?? "?")
                case .acknowledge(let seq, nil): done.append(seq)
                case .acknowledge: failed += 1
                case .later(let act, _): open += device.complete(act)
                case .complain(let text): told.append("complaint: \(text)")
                case .pageIsUp, .offered, .logIn: break
                }
            }
            return (told, done, failed)
        }
    }

    private static let page: JSON = ["kind": "loadPage", "page": 1, "url": "https://a.example"]

    @Test func `a page arrives, takes scripts and goes with its process`() {
        var bench = Bench()
        let loaded = bench.perform(Self.page)
        #expect(loaded.facts == ["committed", "finished"])
        #expect(loaded.done == [1])
        #expect(bench.device.page?.isUp == true && bench.device.isShown)
        let script = "window.dispatchEvent(sauceflexPictureInPictureUse(true));"
        bench.perform(["kind": "evaluateJavaScript", "script": .string(script), "afterMs": 500])
        #expect(bench.device.page?.told == ["pipButton": "true"])
        #expect(bench.live(.processDied) == ["terminated"])
        #expect(bench.device.page == nil)
    }

    @Test func `a page that comes again after a lost acknowledgement is the same page`() {
        var bench = Bench()
        bench.perform(Self.page)
        #expect(bench.perform(Self.page).facts == [])
        #expect(bench.device.page?.isUp == true)
    }

    @Test func `a page that needs a close script must get it`() {
        var bench = Bench(VendorScript.genius.marks)
        bench.perform(Self.page)
        let next: JSON = ["kind": "loadPage", "page": 2, "url": "https://b.example"]
        #expect(
            bench.perform(next).facts.first
                == "complaint: a page was replaced without its close script")
        bench.perform(["kind": "evaluateJavaScript", "script": "player.close()"])
        #expect(bench.perform(["kind": "dismissPlayer"]).facts == [])
    }

    @Test func `a page on its way to a device that loses the stage does not come`() {
        var device = ModelledDevice(marks: VendorScript.genius.marks)
        var random = SplitMix64(seed: 1)
        _ = device.perform(Self.page, seq: 1, kind: "loadPage", using: &random)
        let script: JSON = ["script": "window.GeniusLivePlayer.player.close()"]
        _ = device.perform(script, seq: 2, kind: "evaluateJavaScript", using: &random)
        _ = device.perform(JSON.object(JSONObject()), seq: 3, kind: "dismissPlayer", using: &random)
        device.loseStage()
        #expect(device.complete(.pageArrives(generation: 1)) == [])
        let next: JSON = ["page": 2, "url": "https://a.example"]
        #expect(
            device.perform(next, seq: 4, kind: "loadPage", using: &random)
                == [.acknowledge(4), .later(.pageArrives(generation: 2), 5...40)])
    }

    @Test func `the small window starts, stops and is restored`() {
        var bench = Bench()
        bench.perform(Self.page)
        #expect(bench.perform(["kind": "startPictureInPicture"]).facts == ["willStart", "started"])
        #expect(bench.device.window == .active)
        #expect(bench.device.facts["pip"] == "active")
        #expect(bench.live(.smallWindow(.restored)) == ["restore", "willStop", "stopped"])
        #expect(bench.device.window == .none)
        // By itself, and then by an effect.
        #expect(bench.live(.smallWindow(.startsByItself)) == ["willStart", "started"])
        let stopped = bench.perform(["kind": "stopPictureInPicture"])
        #expect(stopped.facts == ["willStop", "stopped"])
        #expect(stopped.done == [3])
    }

    @Test func `a refused small window is a failure, once`() {
        var bench = Bench()
        bench.perform(Self.page)
        _ = bench.live(.refuseSmallWindow)
        let refused = bench.perform(["kind": "startPictureInPicture"])
        #expect(refused.failed == 1 && refused.facts == [])
        #expect(bench.perform(["kind": "startPictureInPicture"]).facts == ["willStart", "started"])
    }

    @Test func `a stop that comes while the window opens is carried out either way`() {
        for seed: UInt64 in 0..<8 {
            var bench = Bench()
            bench.random = SplitMix64(seed: seed)
            bench.perform(Self.page)
            let opening = bench.device.perform(
                [:], seq: 8, kind: "startPictureInPicture", using: &bench.random)
            let stopping = bench.device.perform(
                [:], seq: 9, kind: "stopPictureInPicture", using: &bench.random)
            var acknowledged: Set<UInt64> = []
            var open = (opening + stopping)[...]
            while let reaction = open.popFirst() {
                if case .acknowledge(let seq, nil) = reaction { acknowledged.insert(seq) }
                if case .later(let act, _) = reaction { open += bench.device.complete(act) }
            }
            #expect(bench.device.window == .none)
            #expect(acknowledged == [8, 9])
        }
    }

    @Test func `a newer turn takes the place of an older one`() {
        var bench = Bench()
        var acts: [ModelledDevice.Act] = []
        for (seq, side) in [(1, "landscapeRight"), (2, "portrait")] as [(UInt64, JSON)] {
            for case .later(let act, _) in bench.device.perform(
                ["orientation": side], seq: seq, kind: "requestOrientation", using: &bench.random)
            {
                acts.append(act)
            }
        }
        // The older one comes to its end last.
        for act in acts.reversed() { _ = bench.device.complete(act) }
        #expect(bench.device.interface == .portrait)
    }

    @Test func `a device that agrees has no differences`() {
        var bench = Bench()
        bench.perform(Self.page)
        bench.perform(["kind": "setFullscreen", "on": true])
        bench.perform(["kind": "setKeepAwake", "on": true])
        let state: JSON = [
            "player": ["phase": "ready", "page": 1], "keepAwake": true,
            "presentation": ["mode": "fullscreen", "tab": "video"],
            "orientation": ["device": "portrait", "interface": "portrait"],
            "pip": ["phase": "inactive"],
        ]
        #expect(bench.device.differences(from: state) == [])
        #expect(bench.device.remains.count == 2)
    }

    @Test(
        arguments: [
            (["player": ["phase": "ready", "page": 2]], "page: 1 here, 2 in the state"),
            (["keepAwake": true], "keep-awake: false here, true in the state"),
            (
                ["presentation": ["mode": "fullscreen"]],
                "full screen: false here, true in the state"
            ),
            (["pip": ["phase": "starting"]], "small window: inactive here, starting in the state"),
            (
                ["orientation": ["requested": "portrait"]],
                "turn asked for: none here, portrait in the state"
            ),
            (["pip": ["button": true]], "script pipButton: none here, true in the state"),
        ] as [(JSON, String)])
    func `each difference is found`(change: JSON, difference: String) {
        var bench = Bench()
        bench.perform(Self.page)
        let state: JSON = [
            "player": ["phase": "ready", "page": 1], "keepAwake": false,
            "presentation": ["mode": "inline", "tab": "video"],
            "orientation": ["device": "portrait", "interface": "portrait"],
            "pip": ["phase": "inactive"],
        ]
        #expect(bench.device.differences(from: Fold.folding(change, over: state)) == [difference])
    }
}
