package import Coordinator

/// Plays a transcript against a daemon: each of its devices is a connection, and one more watches.
///
/// After each step every connection asks for the state: what was sent to it before, it has then. So
/// nothing is missed and nothing is waited for by time, but for timers and lost connections.
/// Confined to the loop of its connections.
package final class WireReplay {
    /// A publication that the watcher heard.
    struct Heard {
        var revision: UInt64?
        var data: JSON
    }

    let session: SessionID
    let isStrict: Bool
    let world: World
    private let transcript: Transcript
    private let speed: Double
    private let onRow: (TranscriptRow) -> Void
    private let onEnd: (End) -> Void

    private var watcher: (any Link)?
    private var devices: [WireDevice.Key: WireDevice] = [:]
    /// Connections whose stage another connection of the same device has.
    private var replaced: [any Link] = []
    private var index = 0
    private var startedAt: UInt64 = 0
    private var isEnded = false
    /// Takes the publication that a step waits for.
    private var awaited: ((Heard) -> Bool)?

    /// The state that the watcher folded, and its revision.
    var folded = Mirror()
    /// Publications since the step before.
    var heard: [Heard] = []
    /// Effects since the step before.
    var effects: [JSON] = []
    /// Whether a device of the transcript held the stage when the step began.
    private(set) var hadStage = false
    /// What brings the server's time of a revision to the transcript's.
    var shifts: [UInt64: Int64] = [:]
    /// The revision that showed the present toast.
    var toastRevision: UInt64?

    /// How long a lost connection may take to show, in milliseconds.
    private static let detachMilliseconds: UInt64 = 5000
    /// How much later than its time a timer may come, in milliseconds.
    private static let timerMilliseconds: UInt64 = 5000
    private static let retryMilliseconds: UInt64 = 100
    /// A wait that deserves a word, in milliseconds.
    private static let longWait: UInt64 = 60_000

    /// A replay that has not begun.
    ///
    /// - Parameters:
    ///   - transcript: What is played.
    ///   - session: Where; a new session, or expectations about revisions do not hold.
    ///   - speed: How many times as fast as the transcript.
    ///   - isStrict: Whether what is not expected must not happen.
    ///   - world: What it needs.
    ///   - onRow: Takes what came of each step.
    ///   - onEnd: Called once.
    package init(
        _ transcript: Transcript, session: SessionID, speed: Double, isStrict: Bool, world: World,
        onRow: @escaping (TranscriptRow) -> Void, onEnd: @escaping (End) -> Void
    ) {
        self.transcript = transcript
        self.session = session
        self.speed = speed
        self.isStrict = isStrict
        self.world = world
        self.onRow = onRow
        self.onEnd = onEnd
    }

    /// Connects the watcher and plays.
    package func start() {
        if let configuration = transcript.configuration {
            world.note(
                "line \(configuration.line): the daemon must run with this configuration; "
                    + "a transcript cannot set it")
        }
        if speed > 1, transcript.steps.contains(where: \.isTimer) {
            world.note("the daemon's timers are not hastened by --speed; they are waited for")
        }
        watcher = world.dial(world.watcher) { [weak self] event in
            guard let self else { return }
            switch event {
            case .opened: self.watch()
            case .push(let push): self.received(push)
            case .ended(let end): self.fail(end.description)
            }
        }
    }

    /// Ends it without a word.
    package func stop() {
        isEnded = true
        for link in links + replaced { link.close() }
    }

    /// Every connection that counts.
    private var links: [any Link] { [watcher].compactMap { $0 } + devices.values.map(\.link) }

    private func end(_ failure: String?) {
        guard !isEnded else { return }
        stop()
        onEnd(
            End(
                revision: folded.position?.offset ?? 0,
                state: failure == nil ? folded.state : nil, failure: failure))
    }

    func fail(_ why: String) {
        end(why)
    }
}

// MARK: - Watching

extension WireReplay {
    private func watch() {
        let subscribe = Coordinator.Command.Subscribe(
            channel: "session:\(session)", data: JSONDocument(root: ["role": "observer"]))
        ask(watcher, .subscribe(subscribe)) { replay, result in
            guard case .success(.subscribe(let reply)) = result,
                replay.folded.subscribed(reply, asked: nil) != nil
            else { return replay.fail("cannot follow the session: \(result.reason)") }
            if reply.position?.offset != 0 {
                replay.world.note("the session is not new: expectations of a new one may fail")
            }
            replay.startedAt = replay.world.now()
            replay.next()
        }
    }

    private func received(_ push: Push) {
        switch push {
        case .publication(_, let publication):
            guard let data = try? JSONParser.parse(publication.data.span).root else {
                return fail("a publication that is not JSON")
            }
            _ = folded.received(publication)
            if let fault = folded.takeFaults().first {
                return fail("broken stream: \(fault.kind.rawValue): \(fault.description)")
            }
            let item = Heard(revision: publication.offset, data: data)
            heard.append(item)
            if awaited?(item) == true {
                awaited = nil
                settle()
            }
        case .unsubscribe(_, let why): fail("unsubscribed: \(why.code) \(why.reason)")
        case .join, .leave, .disconnect: break
        }
    }

    /// Asks on a connection; an answer after the end, or none, is nobody's business.
    private func ask(
        _ link: (any Link)?, _ request: Coordinator.Command.Request,
        then: @escaping (WireReplay, Result<Reply.Body, RequestFailure>) -> Void
    ) {
        link?.request(request) { [weak self] result in
            guard let self, !self.isEnded, result != .failure(.lost) else { return }
            then(self, result)
        }
    }
}

// MARK: - Steps

extension WireReplay {
    private var step: TranscriptStep { transcript.steps[index] }

    /// Waits for the next step's time, and does it.
    private func next() {
        guard !isEnded else { return }
        guard index < transcript.steps.count else { return end(nil) }
        let step = self.step
        // A timer is waited for as long as the daemon needs, from now on.
        guard !step.isTimer else { return perform(step) }
        let elapsed = (world.now() - startedAt) / 1000
        let due = UInt64(Double(span(to: step)) / speed)
        guard due > elapsed else { return perform(step) }
        if due - elapsed >= Self.longWait {
            world.note("line \(step.line) is due in \((due - elapsed) / 1000) s")
        }
        world.schedule(due - elapsed) { [weak self] in
            guard let self, !self.isEnded else { return }
            self.perform(step)
        }
    }

    /// Milliseconds from the first step to another, by the transcript's clock.
    private func span(to step: TranscriptStep) -> Int64 {
        step.at.milliseconds(since: transcript.steps[0].at)
    }

    private func perform(_ step: TranscriptStep) {
        hadStage = devices.values.contains { $0.holdsStage }
        switch step.action {
        case .event(let event):
            let data: JSON = ["session": .string("\(session)"), "event": event.root]
            call(step, "session.apply", data)
        case .take: call(step, "stage.take", ["session": .string("\(session)")])
        case .acknowledge(let done, let failed):
            let failures = failed.map { failure -> JSON in
                [
                    "seq": .integer(failure.seq), "code": .string(failure.code),
                    "message": .string(failure.message),
                ]
            }
            call(
                step, "effects.ack",
                [
                    "session": .string("\(session)"),
                    "done": .array(done.map { .integer($0) }), "failed": .array(failures),
                ])
        case .attach(let facts): attach(step, facts)
        case .detach: detach(step)
        case .expire(let type):
            let limit = UInt64(max(0, span(to: step))) + Self.timerMilliseconds
            awaitPublication(limit) { $0.isMade(by: type) }
        }
    }

    private func call(_ step: TranscriptStep, _ method: String, _ data: JSON) {
        withDevice(of: step) { replay, device in
            replay.ask(device.link, .rpc(method: method, data: JSONDocument(root: data))) {
                replay, result in
                // Too many events a second are no fault of the event: it goes again a little later.
                if case .failure(.refused(let error)) = result, error.code == 111 {
                    return replay.world.schedule(Self.retryMilliseconds) { [weak replay] in
                        replay?.call(step, method, data)
                    }
                }
                replay.settle(result)
            }
        }
    }

    private func attach(_ step: TranscriptStep, _ facts: JSON?) {
        let key = WireDevice.Key(step)
        // A device that comes while it is there has a second connection, which replaces the first.
        if let device = devices[key], device.holdsStage {
            replaced.append(device.link)
            devices[key] = nil
        }
        withDevice(of: step) { replay, device in
            let data = facts.map { JSONDocument(root: ["facts": $0]) }
            let subscribe = Coordinator.Command.Subscribe(
                channel: "stage:\(replay.session)", data: data)
            replay.ask(device.link, .subscribe(subscribe)) { replay, result in
                if case .success = result { device.holdsStage = true }
                replay.settle(result)
            }
        }
    }

    private func detach(_ step: TranscriptStep) {
        let stage = folded.state?["stage"]
        let holder = devices.first { $0.key.device == step.device && $0.value.holdsStage }
        let key = holder?.key ?? WireDevice.Key(step)
        devices.removeValue(forKey: key)?.link.close()
        guard stage?["connected"] == true, stage?["device"]?.string == step.device else {
            return settle()
        }
        awaitPublication(Self.detachMilliseconds) { $0.isMade(by: "stage.detached") }
    }

    /// Waits for a publication, which may have been heard already, or until it is too late.
    private func awaitPublication(_ milliseconds: UInt64, _ isWanted: @escaping (Heard) -> Bool) {
        if heard.contains(where: isWanted) { return settle() }
        awaited = isWanted
        let waiting = index
        world.schedule(milliseconds) { [weak self] in
            guard let self, self.index == waiting, self.awaited != nil else { return }
            self.awaited = nil
            self.settle()
        }
    }

    /// Gives the connection of a step's device, which is made when it is not there.
    private func withDevice(
        of step: TranscriptStep, _ then: @escaping (WireReplay, WireDevice) -> Void
    ) {
        let key = WireDevice.Key(step, stage: folded.state?["stage"]?["device"]?.string)
        if let device = devices[key] { return then(self, device) }
        var made: WireDevice?
        let link = world.dial(key.device) { [weak self] event in
            guard let self, let device = made else { return }
            switch event {
            case .opened:
                let subscribe = Coordinator.Command.Subscribe(
                    channel: "session:\(self.session)",
                    data: JSONDocument(root: ["role": key.isObserver ? "observer" : "mirror"]))
                self.ask(device.link, .subscribe(subscribe)) { replay, result in
                    guard case .success = result else {
                        return replay.fail("\(key.device) cannot subscribe: \(result.reason)")
                    }
                    then(replay, device)
                }
            case .push(.publication(let channel, let publication)):
                guard channel.hasPrefix("stage:") else { return }
                if let effect = try? JSONParser.parse(publication.data.span).root {
                    self.effects.append(effect)
                }
            case .push(.unsubscribe(let channel, _)):
                if channel.hasPrefix("stage:") { device.holdsStage = false }
            case .push: break
            case .ended(let end):
                if self.devices[key] === device { self.fail("\(key.device): \(end.description)") }
            }
        }
        let device = WireDevice(link: link)
        made = device
        devices[key] = device
    }
}

// MARK: - Results

extension WireReplay {
    /// The step is answered: waits until every connection has what was sent to it.
    private func settle(_ answer: Result<Reply.Body, RequestFailure>? = nil) {
        let barrier = Coordinator.Command.Request.rpc(
            method: "session.state", data: JSONDocument(root: ["session": .string("\(session)")]))
        let asked = links
        var missing = asked.count
        for link in asked {
            ask(link, barrier) { replay, result in
                guard case .success(.rpc) = result else {
                    return replay.fail("session.state: \(result.reason)")
                }
                missing -= 1
                if missing == 0 { replay.collect(answer) }
            }
        }
    }

    private func collect(_ answer: Result<Reply.Body, RequestFailure>?) {
        let step = self.step
        for row in rows(of: step, answer) { onRow(row) }
        if step.isTimer {
            // The daemon took its own time: what follows keeps its distance to this step.
            let span = UInt64(Double(max(0, self.span(to: step))) / speed * 1000)
            startedAt = max(startedAt, world.now() - min(world.now(), span))
        }
        heard = []
        effects = []
        index += 1
        next()
    }
}

extension TranscriptStep {
    fileprivate var isTimer: Bool {
        if case .expire = action { true } else { false }
    }
}

extension WireReplay.Heard {
    /// Whether the session made this event by itself.
    func isMade(by type: String) -> Bool {
        data["by"]?["role"] == "system" && data["event"]?["type"]?.string == type
    }
}

extension Result<Reply.Body, RequestFailure> {
    /// Why it is not the result that was asked for.
    fileprivate var reason: String {
        switch self {
        case .success: "another kind of reply"
        case .failure(.refused(let error)): "\(error.code) \(error.message)"
        case .failure(.lost): "no answer"
        }
    }
}
