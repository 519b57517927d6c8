import Coordinator

/// A simulated phone that shows a Genius player: it holds the stage, plays the page's and the
/// viewer's part, and carries out the effects it is given.
package final class GeniusPhone {
    /// The phone's connection and memory.
    package let screen: SimulatedScreen
    /// Whether the page is up, so that the script can go on.
    package private(set) var isReady = false
    /// Things that the phone still means to do: answer the book, say `init`.
    package private(set) var intentions = 0

    private let context: SimulationContext
    private let fixture: Int
    private let canary: String
    private var random: SplitMix64
    private var page: UInt64 = 0
    private var side = PhoneSide.portrait
    private var interface = PhoneSide.portrait
    private var tab = "video"
    private var lifecycle = "active"
    private var hasLoaded = false
    private var newestEffect: UInt64 = 0
    private var offeredBets: Set<String> = []
    /// A placement whose answer was lost with the connection, to be sent again as it was.
    private var unansweredPlacement: JSON?

    /// A phone for session number `fixture` of a run.
    package init(screen: SimulatedScreen, fixture: Int, seed: UInt64, context: SimulationContext) {
        self.screen = screen
        self.fixture = fixture
        self.context = context
        canary = "canary-\(seed)-\(fixture)"
        screen.secret = canary
        // Only the stage may send most of its events.
        screen.repeatsByItself = false
        random = SplitMix64(seed: seed, part: UInt64(2 * fixture + 1))
        screen.onFollowing = { [weak self] in self?.takeStage() }
        screen.onEffect = { [weak self] in self?.received($0) }
    }

    /// Plays one step of the script.
    package func play(_ step: PhoneStep) {
        switch step {
        case .rotate(let sides):
            side = sides.last ?? side
            interface = side
        case .tab(let tab): self.tab = tab
        case .lifecycle(let phase): lifecycle = phase
        case .processDied: isReady = false
        default: break
        }
        for event in PhoneEvents.events(for: step, page: page, seen: screen.memory.state) {
            if case .place = step { place(event) } else { screen.apply(event) }
        }
    }

    /// Closes the player, as when the viewer leaves.
    package func close() {
        isReady = false
        screen.apply(["type": "player.close"])
    }

    private func place(_ event: JSON) {
        screen.apply(event) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .accepted(let result, _):
                unansweredPlacement = nil
                if result["duplicate"] == nil { context.tally.placements += 1 }
            case .refused: unansweredPlacement = nil
            case .lost: unansweredPlacement = event
            }
        }
    }

    private func takeStage() {
        let facts = PhoneEvents.facts(
            side: side, interface: interface, tab: tab, lifecycle: lifecycle)
        let subscribe = Coordinator.Command.Subscribe(
            channel: "stage:\(screen.session)", data: JSONDocument(root: ["facts": facts]))
        screen.request(.subscribe(subscribe)) { [weak self] screen, result in
            guard let self else { return }
            switch result {
            case .success(.subscribe(let reply)): self.tookStage(reply)
            case .failure(.lost): break
            case .failure(.refused(let error)):
                self.context.tally.unexpected(
                    "subscribe to the stage: \(error.code) \(error.message)", at: screen.device)
            case .success:
                self.context.tally.unexpected("stage: another kind of reply", at: screen.device)
            }
        }
    }

    private func tookStage(_ reply: Reply.Subscribe) {
        guard let data = reply.data, let value = try? JSONParser.parse(data.span).root,
            let pending = value["pending"]?.array
        else {
            return context.tally.unexpected("a stage without pending effects", at: screen.device)
        }
        screen.repeatEvents()
        for effect in pending { perform(effect, isPending: true) }
        if !hasLoaded {
            hasLoaded = true
            screen.apply(PhoneEvents.load(fixture: fixture, canary: canary))
        }
        if let event = unansweredPlacement { place(event) }
    }

    private func received(_ publication: Publication) {
        guard let effect = try? JSONParser.parse(publication.data.span).root else {
            return context.tally.unexpected("an effect that is not JSON", at: screen.device)
        }
        perform(effect, isPending: false)
    }

    private func perform(_ effect: JSON, isPending: Bool) {
        guard let seq = effect["seq"]?.number?.unsigned, let kind = effect["kind"]?.string else {
            return context.tally.unexpected("an effect without seq or kind", at: screen.device)
        }
        screen.revisions?.saw(effect: effect, seq: seq, at: screen.device)
        if seq <= newestEffect, !isPending {
            context.tally.unexpected("effect \(kind) out of order", at: screen.device)
        }
        newestEffect = max(newestEffect, seq)
        context.tally.effects[kind, default: 0] += 1
        switch kind {
        case "loadPage": load(effect, seq)
        case "requestOrientation": turn(effect, seq)
        case "placeBet": offered(effect, seq, isPending: isPending)
        case "reportFacts":
            let facts = PhoneEvents.facts(
                side: side, interface: interface, tab: tab, lifecycle: lifecycle)
            screen.apply(["type": "device.report", "facts": facts])
            acknowledge(seq)
        default: acknowledge(seq)
        }
    }

    private func load(_ effect: JSON, _ seq: UInt64) {
        guard let page = effect["page"]?.number?.unsigned,
            effect["html"]?.string != nil || effect["url"]?.string != nil
        else {
            return context.tally.unexpected("loadPage without page or content", at: screen.device)
        }
        self.page = page
        isReady = false
        acknowledge(seq)
        later(5...40) { phone in
            guard phone.page == page else { return }
            phone.screen.apply(PhoneEvents.bridge("init", page: page)) { [weak phone] answer in
                if case .accepted = answer { phone?.isReady = true }
                // The page waits for its answer; a lost one is asked for again.
                if case .lost = answer { phone?.load(effect, seq) }
            }
        }
    }

    /// Turns the interface as asked; now and then the operating system refuses.
    private func turn(_ effect: JSON, _ seq: UInt64) {
        guard let asked = effect["orientation"]?.string, let side = PhoneSide(interface: asked)
        else {
            context.tally.unexpected("requestOrientation to an unknown side", at: screen.device)
            return acknowledge(seq)
        }
        if random.chance(3) {
            return acknowledge(seq, failure: ("rotationLocked", "the simulated phone is locked"))
        }
        interface = side
        // Either word confirms the request, and systems differ in which comes first.
        let acknowledgesFirst = random.chance(50)
        if acknowledgesFirst { acknowledge(seq) }
        later(10...120) { phone in
            phone.screen.apply(PhoneEvents.interface(side))
            if !acknowledgesFirst { phone.acknowledge(seq) }
        }
    }

    private func offered(_ effect: JSON, _ seq: UInt64, isPending: Bool) {
        guard let id = effect["placementId"]?.string, effect["selections"]?.array != nil else {
            return context.tally.unexpected("placeBet without a placement", at: screen.device)
        }
        guard offeredBets.insert(id).inserted else {
            // An acknowledgement may have been lost with its connection.
            if isPending { return acknowledge(seq) }
            return context.tally.unexpected("a bet was offered twice", at: screen.device)
        }
        acknowledge(seq)
        let verdict = random.next() % 10
        later(20...200) { phone in
            switch verdict {
            case 0:
                phone.settle(id, "unknown")
                phone.later(20...100) { $0.settle(id, "accepted") }
            case 1...3: phone.settle(id, "rejected", reason: "price changed")
            default: phone.settle(id, "accepted")
            }
        }
    }

    private func settle(_ id: String, _ outcome: String, reason: String? = nil) {
        intentions += 1
        screen.apply(PhoneEvents.settle(id: id, outcome: outcome, reason: reason)) {
            [weak self] answer in
            guard let self else { return }
            self.intentions -= 1
            switch answer {
            case .accepted: self.context.tally.settlements[outcome, default: 0] += 1
            case .refused(let error):
                self.context.tally.unexpected(
                    "settling: \(error.code) \(error.message)", at: self.screen.device)
            // The same outcome again is harmless (contract: domain, section 4.4).
            case .lost: self.later(50...150) { $0.settle(id, outcome, reason: reason) }
            }
        }
    }

    private func acknowledge(_ seq: UInt64, failure: (code: String, message: String)? = nil) {
        // Before the phone holds the stage again nobody takes its word; the effect comes once more.
        guard screen.isFollowing else { return }
        var members = JSONObject()
        if let failure {
            let entry: JSON = [
                "seq": .integer(seq), "code": .string(failure.code),
                "message": .string(failure.message),
            ]
            members.append("failed", [entry])
        } else {
            members.append("done", [.integer(seq)])
        }
        screen.call("effects.ack", members) { screen, result in
            guard result != nil else { return }
            if failure == nil {
                screen.tally { $0.acknowledged += 1 }
            } else {
                screen.tally { $0.acknowledgedFailed += 1 }
            }
        }
    }

    private func later(_ delay: ClosedRange<UInt64>, _ work: @escaping (GeniusPhone) -> Void) {
        intentions += 1
        let pause = UInt64.random(in: delay, using: &random)
        context.schedule(afterMilliseconds: pause) { [weak self] in
            guard let self else { return }
            self.intentions -= 1
            work(self)
        }
    }
}
