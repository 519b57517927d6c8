package import Coordinator

/// One simulated device that follows a session: its connection, its memory, and its requests.
///
/// It reconnects and recovers by offset by itself. Confined to the simulation's loop.
package final class SimulatedScreen {
    /// The device's stable id.
    package let device: String
    /// The session that it follows.
    package let session: SessionID
    /// What it remembers.
    package private(set) var memory = Mirror()
    /// Requests without an answer yet.
    package private(set) var outstanding = 0
    /// A text that no publication may hold; nil to look for none.
    package var secret: String?
    /// Whether it follows the session now.
    package private(set) var isFollowing = false

    /// Called after each subscribe reply of `session:`, the first and those after reconnects.
    package var onFollowing: () -> Void = {}
    /// Called for each revision or signal that was pushed, not for those of a recovery.
    package var onPushed: (Mirror.Item) -> Void = { _ in }
    /// Called for each publication on `stage:`.
    package var onEffect: (Publication) -> Void = { _ in }
    /// Called for each answer to an event, before the sender hears of it.
    package var onAnswer: (Answer) -> Void = { _ in }

    /// Called for each revision or signal, those of a recovery included.
    package var onItem: (Mirror.Item) -> Void = { _ in }
    /// Called when the server ends the subscription of `stage:`; an error while nil.
    package var onStageLost: ((Unsubscribe) -> Void)?
    /// Whether a refusal is to be expected for what this device has become.
    package var expects: (ReplyError) -> Bool = { _ in false }
    /// The vendor whose counts its events belong to.
    package var vendor = ""

    /// What the session's screens have seen; nil to keep no account.
    package var revisions: RevisionLedger?
    /// What was sent and answered, while there is an account.
    package var events: EventLedger
    /// Whether lost events are sent again as soon as the session is followed, not when the owner says.
    package var repeatsByItself = true

    let context: SimulationContext
    private var link: (any Link)?
    private var attempts = 0
    private var wasFollowing = false
    private var isStopped = false
    var expected: (position: StreamPosition, state: JSON, then: () -> Void)?

    /// Attempts to connect again before giving up; with the waits, about half a minute.
    package static let maximumAttempts = 40
    /// How often it is asked whether a server that is down is back.
    private static let waitMilliseconds: UInt64 = 5

    /// A device that is not connected yet.
    package init(session: SessionID, device: String, context: SimulationContext) {
        self.session = session
        self.device = device
        self.context = context
        events = EventLedger(device: device, seed: context.seed)
    }

    /// Whether something that was sent has no answer.
    package var awaitsAnswers: Bool { outstanding > 0 || !events.unanswered.isEmpty }

    /// How it is named in reports.
    var place: String { "\(session) \(device)" }

    /// Connects and follows the session.
    package func start() {
        guard !isStopped else { return }
        link = context.dial(device) { [weak self] event in self?.received(event) }
    }

    /// Ends the connection for good.
    package func stop() {
        isStopped = true
        isFollowing = false
        link?.close()
        link = nil
    }

    /// Drops the connection and comes back after so many milliseconds.
    package func drop(forMilliseconds pause: UInt64) {
        guard link != nil, isFollowing else { return }
        context.tally.chaos.drops += 1
        let dropped = link
        link = nil
        isFollowing = false
        dropped?.close()
        context.schedule(afterMilliseconds: pause) { [weak self] in self?.reconnect() }
    }

    /// Reads nothing for so many milliseconds.
    package func stall(forMilliseconds pause: UInt64) {
        guard let link else { return }
        context.tally.chaos.delays += 1
        link.setReading(false)
        context.schedule(afterMilliseconds: pause) { [weak link] in link?.setReading(true) }
    }

    private func reconnect() {
        guard !isStopped, link == nil else { return }
        guard !context.isServerDown else {
            return context.schedule(afterMilliseconds: Self.waitMilliseconds) { [weak self] in
                self?.reconnect()
            }
        }
        context.tally.reconnects += 1
        start()
    }

    private func received(_ event: LinkEvent) {
        switch event {
        case .opened:
            attempts = 0
            follow()
        case .push(let push): received(push)
        case .ended(let end):
            link = nil
            isFollowing = false
            guard !isStopped else { return }
            attempts += 1
            if !end.invitesReconnect || attempts > Self.maximumAttempts
                || !(context.toleratesLoss || isUnreachable(end))
            {
                context.tally.unexpected(end.description, at: place)
            }
            guard end.invitesReconnect, attempts <= Self.maximumAttempts else { return }
            let pause = min(1000, UInt64(25) << UInt64(min(attempts, 6)))
            context.schedule(afterMilliseconds: pause) { [weak self] in self?.reconnect() }
        }
    }

    /// A refused connection attempt is tried again before it counts as an error.
    private func isUnreachable(_ end: LinkEnd) -> Bool {
        if case .unreachable = end { true } else { false }
    }

    private func follow() {
        let asked = memory.position
        let known = revisions?.top ?? 0
        let subscribe = Coordinator.Command.Subscribe(
            channel: "session:\(session)", data: JSONDocument(root: ["role": "mirror"]),
            recover: asked)
        request(.subscribe(subscribe)) { screen, result in
            guard case .success(.subscribe(let reply)) = result else {
                return screen.failed("subscribe to the session", result)
            }
            screen.noteSubscribed(reply, asked: asked, known: known)
            screen.subscribed(reply, asked: asked)
        }
    }

    private func subscribed(_ reply: Reply.Subscribe, asked: StreamPosition?) {
        let start = collectingFaults { $0.subscribed(reply, asked: asked) }
        switch start {
        case nil: break
        case .snapshot(let afterRecovery):
            if afterRecovery {
                context.tally.snapshotRecoveries += 1
                if !context.toleratesSnapshots, revisions == nil {
                    context.tally.unexpected("a recovery ended with a snapshot", at: place)
                }
            }
        case .recovered(let items):
            context.tally.fullRecoveries += 1
            context.tally.recoveredPublications += items.count
            context.tally.chaos.longestTail = max(context.tally.chaos.longestTail, items.count)
            for item in items { arrived(item) }
        }
        isFollowing = true
        onFollowing()
        guard asked != nil, revisions != nil else { return }
        if repeatsByItself { repeatEvents() }
        compareHistory()
    }

    private func received(_ push: Push) {
        switch push {
        case .publication(let channel, let publication) where channel == "session:\(session)":
            if let secret, Self.contains(publication.data, Array(secret.utf8)) {
                context.tally.unexpected("a secret was published", at: place)
            }
            revisions?.saw(publication, at: device)
            guard let item = collectingFaults({ $0.received(publication) }) else { return }
            arrived(item)
            onPushed(item)
        case .publication(let channel, let publication) where channel == "stage:\(session)":
            onEffect(publication)
        case .publication(let channel, _):
            context.tally.unexpected("a publication on \(channel)", at: place)
        case .join, .leave: break
        case .unsubscribe(let channel, let why):
            if let onStageLost, channel == "stage:\(session)" { return onStageLost(why) }
            context.tally.unexpected("unsubscribed from \(channel): \(why.reason)", at: place)
        case .disconnect: break  // The connection's end follows.
        }
    }

    private func arrived(_ item: Mirror.Item) {
        switch item {
        case .revision: context.tally.publications += 1
        case .signal: context.tally.signals += 1
        }
        onItem(item)
        compareIfReached()
    }

    private func collectingFaults<Result>(_ work: (inout Mirror) -> Result) -> Result {
        let result = work(&memory)
        for fault in memory.takeFaults() { context.tally.fault(fault, at: place) }
        return result
    }

    private static func contains(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
        guard let first = text.first, bytes.count >= text.count else { return false }
        return (0...(bytes.count - text.count)).contains { start in
            bytes[start] == first && bytes[start..<(start + text.count)].elementsEqual(text)
        }
    }

    /// Changes the simulation's counts.
    package func tally(_ change: (inout Tally) -> Void) {
        change(&context.tally)
    }

    package func failed(_ what: String, _ result: Result<Reply.Body, RequestFailure>) {
        switch result {
        case .failure(.refused(let error)) where expects(error): break
        case .failure(.refused(let error)):
            context.tally.unexpected("\(what): \(error.code) \(error.message)", at: place)
        case .failure(.lost): break  // The end of the connection is handled where it is told.
        case .success: context.tally.unexpected("\(what): another kind of reply", at: place)
        }
    }
}

extension SimulatedScreen {
    /// Sends a request; `then` gets this screen and the result, once.
    package func request(
        _ request: Coordinator.Command.Request,
        then: @escaping (SimulatedScreen, Result<Reply.Body, RequestFailure>) -> Void
    ) {
        guard let link else { return then(self, .failure(.lost)) }
        outstanding += 1
        link.request(request) { [weak self] result in
            guard let self else { return }
            self.outstanding -= 1
            then(self, result)
        }
    }

    /// Calls a method of the session; `then` gets the result's data, or nil when it failed.
    package func call(
        _ method: String, _ members: JSONObject, then: @escaping (SimulatedScreen, JSON?) -> Void
    ) {
        var data = JSONObject()
        data.append("session", .string(session.description))
        for member in members.members { data.append(member.key, member.value) }
        let request = Coordinator.Command.Request.rpc(
            method: method, data: JSONDocument(root: .object(data)))
        self.request(request) { screen, result in
            guard case .success(.rpc(let bytes)) = result,
                let value = try? JSONParser.parse(bytes.span).root
            else {
                screen.failed(method, result)
                return then(screen, nil)
            }
            then(screen, value)
        }
    }

    /// How an event was answered.
    package enum Answer: Equatable {
        /// The result, with the time of sending in microseconds.
        case accepted(JSON, sentAt: UInt64)
        /// An error of the server.
        case refused(ReplyError)
        /// No answer before the connection ended.
        case lost
    }

    /// Applies an event to the session and counts how it was answered.
    package func apply(_ event: JSON, then: @escaping (Answer) -> Void = { _ in }) {
        let isConnected = link != nil && isFollowing
        guard revisions == nil else {
            countSent()
            return applyNoted(event, isConnected: isConnected, then: then)
        }
        guard isConnected else { return then(.lost) }
        countSent()
        send(event, id: nil) { screen, answer in
            screen.count(answer)
            screen.onAnswer(answer)
            then(answer)
        }
    }

    private func countSent() {
        context.tally.eventsSent += 1
        context.tally.vendors[vendor, default: VendorTally()].events += 1
    }

    /// Counts how an event was answered.
    func count(_ answer: Answer) {
        switch answer {
        case .accepted: context.tally.eventsAccepted += 1
        case .refused(let error):
            if expects(error) {
                context.tally.rejections[error.reason, default: 0] += 1
            } else {
                context.tally.refused(error, at: place)
            }
        case .lost: context.tally.eventsUnanswered += 1
        }
    }

    /// Sends an event, the first time or again.
    func send(
        _ event: JSON, id: String?, then: @escaping (SimulatedScreen, Answer) -> Void
    ) {
        var data = JSONObject()
        data.append("session", .string(session.description))
        data.append("id", ifPresent: id.map { .string($0) })
        data.append("event", event)
        let sentAt = context.now()
        let request = Coordinator.Command.Request.rpc(
            method: "session.apply", data: JSONDocument(root: .object(data)))
        self.request(request) { screen, result in
            then(screen, screen.answer(result, sentAt: sentAt))
        }
    }

    private func answer(
        _ result: Result<Reply.Body, RequestFailure>, sentAt: UInt64
    ) -> Answer {
        switch result {
        case .success(.rpc(let bytes)):
            guard let value = try? JSONParser.parse(bytes.span).root,
                value["rev"]?.number?.unsigned != nil
            else {
                context.tally.unexpected("an answer without rev", at: place)
                return .lost
            }
            context.tally.latencyToAnswers.record(context.now() &- sentAt)
            return .accepted(value, sentAt: sentAt)
        case .failure(.refused(let error)): return .refused(error)
        case .failure(.lost): return .lost
        case .success:
            context.tally.unexpected("session.apply: another kind of reply", at: place)
            return .lost
        }
    }
}

extension ReplyError {
    /// The stable reason that the message begins with.
    fileprivate var reason: String { String(message.prefix { $0 != ":" }) }
}
