import Coordinator
import TestSupport
import Testing

/// Effects say what is to be, not what is to change: doing them twice is harmless, and a device that
/// does them all shows what the state says (contract: domain, sections 1, 4.7 and 6).
@Suite struct EffectPropertyTests {
    /// Everything that can be compared: what a request that is over asked for says nothing any more.
    private static func settled(_ device: ModelledDevice, _ state: SessionState) -> [String] {
        var shown = [
            "page \(device.page?.generation ?? 0)",
            "told \((device.page?.told ?? [:]).sorted { $0.key < $1.key })",
            "fullscreen \(device.isFullscreen)",
            "awake \(device.keepsAwake)", "keyboard \(device.isKeyboardHidden)",
            "report \(device.owesReport)", "presented \(device.isPresented)",
            "toast \(String(describing: device.toast))",
            "handed \(device.handed.sorted { $0.key < $1.key }.map { JSONWriter.text(of: $0.value) })",
        ]
        if state.orientation.requested != nil { shown.append("asked \(device.asked ?? "")") }
        if state.pip.phase == .stopping { shown.append("window \(device.smallWindow == true)") }
        return shown
    }

    @Test(arguments: 301...320 as ClosedRange<UInt64>)
    func `what a reconnect brings once more changes nothing`(seed: UInt64) throws {
        var walk = RandomWalk(seed: seed)
        walk.acknowledgesInOrder = true
        var random = SplitMix(seed: seed)
        var post = StagePost()
        for _ in 0..<300 {
            for moment in try walk.step() { try post.follow(moment) }
            let state = walk.session.viewing.state
            guard state.stage?.connected == true, !post.isLossy else { continue }
            let count = post.sent.count
            let once = try post.device(after: 0..<count)
            // Any run of what was sent, twice.
            let start = Int.random(in: 0...count, using: &random)
            let end = Int.random(in: start...count, using: &random)
            var device = try post.device(after: 0..<end)
            let before = device
            try post.run(start..<end, on: &device)
            try #require(device == before, "\(walk.place): effects \(start)..<\(end) twice")
            // The outbox, on a device that has seen less.
            let loss = Int.random(in: post.firstLoss...count, using: &random)
            device = try post.device(after: 0..<loss)
            for effect in walk.session.viewing.memory.outbox.effects {
                try StagePost.execute(effect, on: &device)
            }
            let differences = zip(Self.settled(device, state), Self.settled(once, state))
                .filter { $0 != $1 }
            guard differences.isEmpty else {
                Issue.record("\(walk.place), outbox after \(loss) of \(count): \(differences)")
                return
            }
        }
    }

    @Test(arguments: 401...430 as ClosedRange<UInt64>)
    func `a device that does all it is told shows what the state says`(seed: UInt64) throws {
        var walk = RandomWalk(seed: seed)
        walk.acknowledgesInOrder = true
        var post = StagePost()
        for _ in 0..<400 {
            for moment in try walk.step() { try post.follow(moment) }
            let state = walk.session.viewing.state
            guard state.stage?.connected == true, !post.isLossy else { continue }
            let differences = Self.differences(post.device, state)
            guard differences.isEmpty else {
                Issue.record("\(walk.place): \(differences)")
                return
            }
        }
    }

    private static func differences(_ device: ModelledDevice, _ state: SessionState) -> [String] {
        var differences: [String] = []
        func compare<Value: Equatable>(_ what: String, _ shown: Value, _ said: Value) {
            if shown != said { differences.append("\(what) is \(shown), not \(said)") }
        }
        compare("keep-awake", device.keepsAwake, state.keepAwake)
        if let request = state.orientation.requested {
            compare("the orientation asked for", device.asked, request.rawValue)
        }
        if state.pip.phase == .stopping {
            compare("the small window", device.smallWindow, false)
        }
        // Whoever closed the player has no view that could be in full screen.
        guard state.player.phase != .closed else { return differences }
        compare("full screen", device.isFullscreen, state.presentation.mode == .fullscreen)
        guard let page = device.page else { return differences }
        compare("the page", page.generation, state.player.page)
        guard state.player.phase == .ready else { return differences }
        switch state.vendor?.rawValue {
        case "genius":
            compare(
                "the page's full screen", page.told["fullscreen"] == "true",
                state.presentation.mode == .fullscreen)
        case "sauceflex":
            compare(
                "the page's button", page.told["button"], state.pip.button.map { "\($0)" })
        case "sportradar":
            compare("the page's theme", page.told["theme"] != nil, state.player.theme != nil)
            compare(
                "the page's language", page.told["locale"],
                state.player.locale.map { "\"\($0)\"" })
        default: break
        }
        return differences
    }
}
