import Coordinator

/// A simulated phone with a vendor's player: it holds the stage, plays the page's, the app's and the
/// viewer's part, and has its device carry out the effects it is given.
package final class SimulatedPhone {
    /// What the phone has to do with the stage.
    private enum Hold {
        /// Nothing yet → `wanted`.
        case none
        /// It asks for the stage, taking it from another when `takes` → `held`.
        case wanted(takes: Bool)
        /// It has the stage, also while its connection is away → `lost`.
        case held
        /// Another phone took it → `wanted`.
        case lost
    }

    /// The phone's connection and memory.
    package let screen: SimulatedScreen
    /// What the phone is and does, as far as it can be seen from outside.
    package private(set) var device: ModelledDevice
    /// Whether the page is up, so that the script can go on.
    package private(set) var isReady = false
    /// Whether it has ever connected.
    package private(set) var hasJoined = false

    private let script: VendorScript
    private let context: SimulationContext
    private let fixture: Int
    private let canary: String
    private var random: SplitMix64
    private var hold = Hold.none
    /// Things that the phone still means to do: answer the book, turn the screen.
    private var open = 0
    private var needsLoad = false
    private var newestEffect: UInt64 = 0
    private var offeredBets: Set<String> = []
    /// A placement whose answer was lost with the connection, to be sent again as it was.
    private var unansweredPlacement: JSON?

    /// A phone for session number `fixture` of a run, not connected yet.
    package init(
        screen: SimulatedScreen, script: VendorScript, fixture: Int, seed: UInt64,
        context: SimulationContext
    ) {
        self.screen = screen
        self.script = script
        self.fixture = fixture
        self.context = context
        device = ModelledDevice(marks: script.marks)
        canary = "canary-\(seed)-\(fixture)"
        screen.secret = canary
        // Only the stage may send most of its events.
        screen.repeatsByItself = false
        random = SplitMix64(seed: seed, part: UInt64(2 * fixture + 1))
        screen.onFollowing = { [weak self] in self?.follow() }
        screen.onEffect = { [weak self] in self?.received($0) }
        screen.onStageLost = { [weak self] in self?.unsubscribed($0) }
        screen.expects = { [weak self] error in
            // What was sent before the phone heard that it had lost the stage.
            guard let self, error.code == 103 else { return false }
            return !self.holdsStage
        }
    }

    /// Whether it has the stage, as far as it knows.
    package var holdsStage: Bool { if case .held = hold { true } else { false } }

    private var takesStage: Bool { if case .wanted(takes: true) = hold { true } else { false } }

    /// Things that the phone still means to do, waiting for the stage included.
    package var intentions: Int { if case .wanted = hold { open + 1 } else { open } }

    /// Connects as the session's first phone, which loads the player.
    package func start() {
        needsLoad = true
        hold = .wanted(takes: false)
        join()
    }

    /// Takes the stage from the other phone.
    package func takeOver() {
        hold = .wanted(takes: true)
        if hasJoined {
            if screen.isFollowing { follow() }
        } else {
            join()
        }
    }

    private func join() {
        hasJoined = true
        screen.start()
    }

    /// Whether a step can be played now.
    package func canPlay(_ step: PhoneStep) -> Bool {
        holdsStage && screen.isFollowing && (isReady || step == .load)
    }

    /// Plays one step of the script.
    package func play(_ step: PhoneStep) {
        switch step {
        case .message(let message): say(message)
        case .readyAgain: for message in script.ready { say(message) }
        case .command(let event): screen.apply(event)
        case .load: load()
        case .place(let id, let withConditions):
            place(
                PhoneEvents.place(
                    id: id, seen: screen.memory.state, withConditions: withConditions))
        default:
            if step == .processDied { isReady = false }
            react(device.live(step))
        }
    }

    /// Closes the player, as when the viewer leaves.
    package func close() {
        isReady = false
        screen.apply(["type": "player.close"])
    }

    private func say(_ message: PageMessage) {
        guard let page = device.page?.generation else { return }
        screen.apply(PhoneEvents.bridge(message, page: page))
    }

    private func load() {
        needsLoad = true
        screen.apply(script.load(fixture: fixture, canary: canary)) { [weak self] answer in
            if case .lost = answer { return }
            self?.needsLoad = false
        }
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
}

/// Holding and losing the stage.
extension SimulatedPhone {
    private func follow() {
        switch hold {
        case .none, .lost: catchUp()
        case .held, .wanted(takes: false): subscribe()
        case .wanted(takes: true):
            // The word that another phone had taken it may have been lost with a connection, but the
            // state tells of it: whatever is still there of the old player is the app's to give up.
            isReady = false
            device.leave()
            screen.call("stage.take", JSONObject()) { [weak self] _, result in
                if result != nil { self?.subscribe() }
            }
        }
    }

    private func subscribe() {
        let subscribe = Coordinator.Command.Subscribe(
            channel: "stage:\(screen.session)", data: JSONDocument(root: ["facts": device.facts]))
        screen.request(.subscribe(subscribe)) { [weak self] screen, result in
            guard let self else { return }
            switch result {
            case .success(.subscribe(let reply)): self.tookStage(reply)
            case .failure(.lost): break
            // It was taken while this phone was away.
            case .failure(.refused(let error)) where error.code == 423 && self.holdsStage:
                self.hold = .lost
                self.isReady = false
                self.device.leave()
                self.catchUp()
            // It is being taken back already.
            case .failure(.refused(let error)) where error.code == 423 && self.takesStage: break
            case .failure(.refused), .success: screen.failed("subscribe to the stage", result)
            }
        }
    }

    private func tookStage(_ reply: Reply.Subscribe) {
        guard let data = reply.data, let value = try? JSONParser.parse(data.span).root,
            let pending = value["pending"]?.array
        else {
            return context.tally.unexpected("a stage without pending effects", at: screen.device)
        }
        hold = .held
        screen.repeatEvents()
        for effect in pending { perform(effect, isPending: true) }
        if needsLoad { load() }
        if let event = unansweredPlacement { place(event) }
    }

    /// Without the stage only what anybody may send is sent again.
    private func catchUp() {
        screen.repeatEvents()
        if let event = unansweredPlacement { place(event) }
    }

    private func unsubscribed(_ why: Unsubscribe) {
        guard why.code == Unsubscribe.stageTaken.code else {
            return context.tally.unexpected(
                "unsubscribed from the stage: \(why.reason)", at: screen.device)
        }
        if holdsStage { hold = .lost }
        isReady = false
        for remains in device.remains {
            context.tally.deviceMismatch("\(screen.device) lost the stage, but \(remains)")
        }
        device.loseStage()
    }
}

/// Effects and what comes of them.
extension SimulatedPhone {
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
        case "loadPage": isReady = false
        case "dismissPlayer": isReady = false
        case "placeBet": return offered(effect, seq, isPending: isPending)
        default: break
        }
        react(device.perform(effect, seq: seq, kind: kind, using: &random))
    }

    private func react(_ reactions: [ModelledDevice.Reaction]) {
        for reaction in reactions {
            switch reaction {
            case .acknowledge(let seq, let failure): acknowledge(seq, failure: failure)
            case .tell(let event): if holdsStage { screen.apply(event) }
            case .later(let act, let delay):
                later(delay) { $0.react($0.device.complete(act)) }
            case .pageIsUp(let generation): pageIsUp(generation)
            case .offered(let id): offered(id)
            case .logIn: later(50...300) { $0.logIn() }
            case .complain(let text): context.tally.unexpected(text, at: screen.device)
            }
        }
    }

    /// Lets the page say that it is ready; where it does not, its navigation has said so.
    private func pageIsUp(_ generation: UInt64) {
        guard holdsStage else { return }
        guard !script.ready.isEmpty else {
            isReady = device.isShown
            return
        }
        for message in script.ready {
            screen.apply(PhoneEvents.bridge(message, page: generation)) { [weak self] answer in
                guard let self, self.device.page?.generation == generation else { return }
                switch answer {
                case .accepted: self.isReady = self.device.isShown
                // The page waits for its answer; a lost one is asked for again.
                case .lost: self.later(20...60) { $0.pageIsUp(generation) }
                case .refused: break
                }
            }
        }
    }

    private func logIn() {
        guard holdsStage else { return }
        screen.apply(["type": "login.complete", "accessToken": .string("\(canary)-token")])
    }

    private func offered(_ effect: JSON, _ seq: UInt64, isPending: Bool) {
        let reactions = device.perform(effect, seq: seq, kind: "placeBet", using: &random)
        if case .offered(let id)? = reactions.first, context.offeredBets.contains(id) {
            // An acknowledgement may have been lost with its connection; to another phone it is never
            // offered.
            if isPending, offeredBets.contains(id) { return acknowledge(seq) }
            return context.tally.unexpected("a bet was offered twice", at: screen.device)
        }
        acknowledge(seq)
        react(reactions)
    }

    private func offered(_ id: String) {
        offeredBets.insert(id)
        context.offeredBets.insert(id)
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

    /// The phone that was offered a bet settles it, also when it has lost the stage.
    private func settle(_ id: String, _ outcome: String, reason: String? = nil) {
        open += 1
        screen.apply(PhoneEvents.settle(id: id, outcome: outcome, reason: reason)) {
            [weak self] answer in
            guard let self else { return }
            self.open -= 1
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

    private func acknowledge(_ seq: UInt64, failure: ModelledDevice.Failure? = nil) {
        // Before the phone holds the stage again nobody takes its word; the effect comes once more.
        guard holdsStage, screen.isFollowing else { return }
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
        let vendor = script.vendor
        screen.call("effects.ack", members) { screen, result in
            guard result != nil else { return }
            screen.tally { tally in
                if failure == nil {
                    tally.acknowledged += 1
                    tally.vendors[vendor, default: VendorTally()].done += 1
                } else {
                    tally.acknowledgedFailed += 1
                    tally.vendors[vendor, default: VendorTally()].refused += 1
                }
            }
        }
    }

    private func later(_ delay: ClosedRange<UInt64>, _ work: @escaping (SimulatedPhone) -> Void) {
        open += 1
        let pause = UInt64.random(in: delay, using: &random)
        context.schedule(afterMilliseconds: pause) { [weak self] in
            guard let self else { return }
            self.open -= 1
            work(self)
        }
    }

    /// Compares the device with the state that its screen has folded, when nothing is under way.
    package func compareDevice() {
        guard let state = screen.memory.state, state["player"] != nil else { return }
        context.tally.devicesCompared += 1
        let differences =
            holdsStage && state["stage"]?["device"]?.string == screen.device
            ? device.differences(from: state) : device.remains
        for difference in differences {
            context.tally.deviceMismatch("\(screen.place): \(difference)")
        }
    }
}
