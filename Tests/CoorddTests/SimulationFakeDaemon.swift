import Coordinator
import coordd

/// A daemon of a few rules inside the test, with a clock that is turned by hand.
///
/// Its state is a count of events and the last event's type; it loads a page, offers placed bets,
/// recovers from a complete history, and can spoil what it sends.
final class FakeDaemon {
    /// What one screen is given in place of publication `offset`; nil leaves it out.
    var spoil: (_ device: String, _ publication: Publication) -> Publication? = { $1 }
    /// What is answered to an event; nil accepts it.
    var refuse: (_ event: JSON) -> ReplyError? = { _ in nil }
    /// Whether every attempt to connect fails.
    var isUnreachable = false
    /// Whether ids of events are remembered.
    var remembersIDs = true
    /// Names the incarnation of all sessions.
    var epoch = "fake"
    /// Whether the content of a load is published as it came.
    var publishesSecrets = false
    /// Microseconds since the start.
    private(set) var time: UInt64 = 0
    private(set) var context: SimulationContext?
    /// All connections ever made.
    private(set) var links: [FakeLink] = []
    private var sessions: [String: FakeSession] = [:]

    /// A context whose connections end here.
    func makeContext(toleratesLoss: Bool = false) -> SimulationContext {
        let context = SimulationContext(
            toleratesLoss: toleratesLoss, now: { [unowned self] in self.time }
        ) { [unowned self] device, handler in
            let link = FakeLink(daemon: self, device: device, handler: handler)
            self.links.append(link)
            if self.isUnreachable {
                self.later { link.fail(.unreachable("refused")) }
                return link
            }
            self.later { link.deliver(.opened(.init(client: device, version: "fake", ping: 0))) }
            return link
        }
        self.context = context
        return context
    }

    /// Turns the clock of another context, whose connections end here too.
    func use(_ context: SimulationContext) {
        self.context = context
    }

    /// Lets time pass, from one thing that is due to the next, until `isDone` or a limit.
    func run(maximumSeconds: UInt64 = 120, until isDone: () -> Bool) {
        while !isDone(), let due = context?.agenda.nextDue, due < maximumSeconds * 1_000_000 {
            time = max(time, due)
            context?.runDue()
        }
    }

    /// Does something half a millisecond later, as a network would.
    func later(_ work: @escaping () -> Void) {
        context?.agenda.add(at: time + 500, work)
    }

    /// The session that a channel or a call names.
    func session(_ id: String) -> FakeSession {
        if let session = sessions[id] { return session }
        let session = FakeSession(id: id, daemon: self)
        sessions[id] = session
        return session
    }

    /// Ends all connections, as a daemon does that is killed; every session forgets its newest
    /// revisions.
    func crash(forgetting revisions: Int = 0) {
        for session in sessions.values { session.forget(revisions) }
        for link in links { link.fail(.lost("crashed")) }
    }

    /// What a publication becomes for one screen.
    func spoiled(_ publication: Publication, for device: String) -> Publication? {
        spoil(device, publication)
    }
}

/// One session of the fake daemon.
final class FakeSession {
    private let id: String
    private unowned let daemon: FakeDaemon
    private(set) var history: [Publication] = []
    private var answers: [String: UInt64] = [:]
    private var lasts: [String] = []
    private var effects: UInt64 = 0
    private var page: UInt64 = 0
    private var last: String { lasts.last ?? "none" }
    /// The data of every acknowledgement.
    var acknowledgements: [JSON] = []
    /// Every event that was applied.
    private(set) var events: [JSON] = []
    var followers: [FakeLink] = []
    var stage: FakeLink?
    /// The device that may have the stage; the first one that asks.
    private var holder: String?
    private var isTaken = false

    init(id: String, daemon: FakeDaemon) {
        self.id = id
        self.daemon = daemon
    }

    private var state: JSON { ["count": .integer(history.count), "last": .string(last)] }

    var stateReply: JSON {
        ["epoch": .string(daemon.epoch), "rev": .integer(history.count), "state": state]
    }

    func subscribe(_ link: FakeLink, _ request: Coordinator.Command.Subscribe) -> Reply.Body {
        followers.append(link)
        if let asked = request.recover, asked.epoch == daemon.epoch, asked.offset <= history.count {
            let missed = history.dropFirst(Int(asked.offset))
            return .subscribe(
                .init(
                    position: asked, wasRecovering: true, recovered: true,
                    publications: missed.compactMap { daemon.spoiled($0, for: link.device) }))
        }
        let data: JSON = ["rev": .integer(history.count), "state": state]
        return .subscribe(
            .init(
                position: .init(epoch: daemon.epoch, offset: UInt64(history.count)),
                wasRecovering: request.recover != nil, data: JSONWriter.bytes(of: data)))
    }

    /// Applies an event once for each id.
    func answer(_ event: JSON, id: String?, by device: String) -> JSON {
        let key = id.map { "\(device) \($0)" }
        if daemon.remembersIDs, let key, let revision = answers[key] {
            return ["rev": .integer(revision), "duplicate": true]
        }
        let revision = apply(event, by: device)
        if let key { answers[key] = revision }
        return ["rev": .integer(revision)]
    }

    /// Loses the newest revisions with all that belongs to them.
    func forget(_ revisions: Int) {
        history = history.dropLast(revisions)
        lasts = lasts.dropLast(revisions)
        let top = history.count
        answers = answers.filter { $0.value <= top }
    }

    func apply(_ event: JSON, by device: String) -> UInt64 {
        events.append(event)
        lasts.append(event["type"]?.string ?? "?")
        let revision = UInt64(history.count + 1)
        var published = JSONObject([.init(key: "type", value: .string(last))])
        published.append("mark", ifPresent: event["mark"])
        let data: JSON = [
            "rev": .integer(revision), "at": .integer(daemon.time / 1000),
            "by": ["device": .string(device), "role": "mirror"],
            "event": daemon.publishesSecrets ? event : .object(published),
            "patch": ["count": .integer(revision), "last": .string(last)],
        ]
        let publication = Publication(offset: revision, data: JSONWriter.bytes(of: data))
        history.append(publication)
        for link in followers {
            guard let sent = daemon.spoiled(publication, for: link.device) else { continue }
            link.deliver(.push(.publication(channel: "session:\(id)", sent)))
        }
        if last == "player.load" || event["phase"] == "terminated" {
            loadPage()
        } else if last == "player.close" {
            sayFarewell()
        } else if last == "betslip.place" {
            offer([
                "kind": "placeBet", "placementId": event["placementId"] ?? "", "selections": [],
            ])
        }
        return revision
    }

    private func loadPage() {
        page += 1
        offer(["kind": "loadPage", "page": .integer(page), "html": "<p>"])
    }

    private func sayFarewell() {
        let script = "window.GeniusLivePlayer.player.close()"
        offer(["kind": "evaluateJavaScript", "script": .string(script)])
        offer(["kind": "dismissPlayer"])
    }

    /// Lets another device have the stage; the one before is sent away.
    func take(for device: String) {
        guard holder != device else { return }
        sayFarewell()
        stage?.deliver(.push(.unsubscribe(channel: "stage:\(id)", .stageTaken)))
        stage = nil
        holder = device
        isTaken = true
    }

    /// Gives the stage to the device that may have it.
    func attach(_ link: FakeLink) -> Result<Reply.Body, RequestFailure> {
        guard holder == nil || holder == link.device else {
            return .failure(.refused(ReplyError(code: 423, message: "stage.taken: by another")))
        }
        holder = link.device
        stage = link
        if isTaken { loadPage() }
        isTaken = false
        return .success(.subscribe(.init(position: nil, data: Array(#"{"pending":[]}"#.utf8))))
    }

    /// Sends an effect to the stage, with a number of its own unless `members` has one.
    func offer(_ members: JSON) {
        effects += 1
        let seq = members["seq"] ?? .integer(effects)
        var effect = JSONObject([.init(key: "seq", value: seq)])
        for member in members.object?.members ?? [] where member.key != "seq" {
            effect.append(member.key, member.value)
        }
        let publication = Publication(offset: nil, data: JSONWriter.bytes(of: .object(effect)))
        stage?.deliver(.push(.publication(channel: "stage:\(id)", publication)))
    }
}

/// A connection to the fake daemon.
final class FakeLink: Link {
    let device: String
    private unowned let daemon: FakeDaemon
    private let handler: (LinkEvent) -> Void
    private var isClosed = false
    private var unanswered: [Int: (Result<Reply.Body, RequestFailure>) -> Void] = [:]
    private var requests = 0

    init(daemon: FakeDaemon, device: String, handler: @escaping (LinkEvent) -> Void) {
        self.daemon = daemon
        self.device = device
        self.handler = handler
    }

    func deliver(_ event: LinkEvent) {
        daemon.later { [self] in
            if !isClosed { handler(event) }
        }
    }

    func request(
        _ request: Coordinator.Command.Request,
        then: @escaping (Result<Reply.Body, RequestFailure>) -> Void
    ) {
        requests += 1
        let number = requests
        unanswered[number] = then
        daemon.later { [self] in
            guard !isClosed else { return }
            let result = perform(request)
            daemon.later { self.unanswered.removeValue(forKey: number)?(result) }
        }
    }

    /// Ends the connection from the server's side.
    func fail(_ end: LinkEnd) {
        guard !isClosed else { return }
        close()
        handler(.ended(end))
    }

    func close() {
        isClosed = true
        for session in [sessionID].compactMap({ $0 }).map(daemon.session) {
            session.followers.removeAll { $0 === self }
            if session.stage === self { session.stage = nil }
        }
        let lost = unanswered
        unanswered = [:]
        for then in lost.values { then(.failure(.lost)) }
    }

    func setReading(_ reads: Bool) {}

    private var sessionID: String?

    private func perform(_ request: Coordinator.Command.Request) -> Result<
        Reply.Body, RequestFailure
    > {
        switch request {
        case .subscribe(let subscribe):
            let parts = subscribe.channel.split(separator: ":").map(String.init)
            let session = daemon.session(parts[1])
            sessionID = parts[1]
            guard parts[0] == "stage" else { return .success(session.subscribe(self, subscribe)) }
            return session.attach(self)
        case .rpc("session.apply", let data?):
            guard let event = data.root["event"], let id = data.root["session"]?.string else {
                return .failure(.refused(.badRequest("no event")))
            }
            if let error = daemon.refuse(event) { return .failure(.refused(error)) }
            let key = data.root["id"]?.string
            let answer = daemon.session(id).answer(event, id: key, by: device)
            return .success(.rpc(data: JSONWriter.bytes(of: answer)))
        case .history(let history):
            let id = history.channel.split(separator: ":").last.map(String.init) ?? ""
            let publications = daemon.session(id).history
            return .success(
                .history(
                    .init(
                        position: .init(epoch: daemon.epoch, offset: UInt64(publications.count)),
                        publications: publications)))
        case .rpc("session.state", let data?):
            let session = daemon.session(data.root["session"]?.string ?? "")
            return .success(.rpc(data: JSONWriter.bytes(of: session.stateReply)))
        case .rpc("stage.take", let data?):
            daemon.session(data.root["session"]?.string ?? "").take(for: device)
            return .success(.rpc(data: Array("{}".utf8)))
        case .rpc("effects.ack", let data?):
            let session = daemon.session(data.root["session"]?.string ?? "")
            session.acknowledgements.append(data.root)
            return .success(.rpc(data: Array("{}".utf8)))
        default: return .failure(.refused(.methodNotFound("\(request)")))
        }
    }
}
