package import Coordinator
package import Distributed

/// The sessions of this process: finds, activates and retires their actors.
///
/// A distributed actor system without a remote half: every id is resolved here, and a call to
/// another process is an error (decision: executor).
package final class SessionSystem: DistributedActorSystem, Sendable {
    package typealias ActorID = SessionAddress
    package typealias SerializationRequirement = any Codable
    package typealias InvocationEncoder = LocalInvocation
    package typealias InvocationDecoder = LocalInvocation
    package typealias ResultHandler = LocalInvocation

    /// The loop that runs all sessions of this system.
    package let loop: any EventLoop
    /// The way to the other loops; nil when there are none.
    let post: Post?
    /// The counters of this system and of the connections that use it.
    package let metrics: Metrics
    /// Milliseconds without any input after which a session without clients is passivated.
    let idleMilliseconds: Int64

    let settings: SessionSettings
    let caps: SessionCaps
    let directory: LoopBound<Directory>
    /// What the present turn has to write.
    let turn: TurnWriter
    /// Memory for what a session asks for, which one after the other uses.
    let spareActions: LoopBound<[SessionAction]>
    /// Actions of which the memory is kept, at most.
    static let spareActions = 64
    private let generator: LoopBound<any RandomNumberGenerator>

    struct Directory {
        enum Entry {
            case active(ViewingSession)
            /// Being loaded; calls wait, each connection's number of them is bounded elsewhere.
            case loading([SessionRequest], creates: Bool)
        }

        var store: any Store
        var sessions: [SessionID: Entry] = [:]
        var peers: [UInt64: any SessionPeer] = [:]
        /// The id of the actor that is being initialised.
        var assigning: SessionAddress?
        /// New sessions of users whose number of sessions is being counted.
        var applications = OwnerApplications()
        /// Sessions with clients.
        var attached = 0
        /// What was asked without a connection so far.
        var questions: UInt64 = 0

        /// Has a call wait for its session to be loaded.
        mutating func wait(for request: SessionRequest, creates: Bool) {
            // Taken out meanwhile, or each of many calls would copy all before it.
            let entry = sessions.updateValue(.loading([], creates: false), forKey: request.session)
            guard case .loading(var waiting, let alreadyCreates)? = consume entry else { return }
            waiting.append(request)
            sessions[request.session] = .loading(waiting, creates: creates || alreadyCreates)
        }
    }

    /// A system on `loop` that keeps passivated sessions in `store`; names are made of `random`.
    package init(
        loop: any EventLoop, store: any Store, settings: SessionSettings, idleSeconds: Int64,
        maximumSessions: Int, sessionsPerUser: Int = 0, post: Post? = nil,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.loop = loop
        self.post = post
        metrics = Metrics(on: loop)
        self.settings = settings
        caps = SessionCaps(sessions: maximumSessions, perUser: sessionsPerUser)
        idleMilliseconds = idleSeconds * 1000
        turn = TurnWriter(on: loop, metrics: metrics)
        directory = LoopBound(Directory(store: store), on: loop)
        spareActions = LoopBound([], on: loop)
        generator = LoopBound(random, on: loop)
        store.observe { [weak self] settlement in self?.settled(settlement) }
        store.observeStalls { [weak self] reason in self?.stalled(reason) }
    }

    /// The place of the loop among those of the process.
    var place: Int { post?.index ?? Post.first }

    /// Sessions with an actor now.
    package var activeCount: Int { directory.withValue { $0.sessions.count } }

    /// Sessions that exist, active ones included.
    package var storedCount: Int { directory.withValue { $0.store.count } }

    /// What is worth watching of the store.
    package var condition: StoreCondition { directory.withValue { $0.store.condition } }

    /// The tokens that were taken back before the start.
    var storedRevocations: [Revocation] { directory.withValue { $0.store.revocations } }

    /// Has the store keep a revocation; `completion` hears nil, or why it does not.
    func keep(_ revocation: Revocation, _ completion: @escaping (String?) -> Void) {
        directory.withValue { $0.store }.revoke(revocation, completion)
    }

    /// Sessions by what is so of them now.
    package var counts: SessionCounts {
        let (holdings, attached) = tally
        return SessionCounts(holdings, attached: attached)
    }

    /// What the store holds, and how many of this loop's sessions have clients.
    var tally: (holdings: StoreHoldings, attached: Int) {
        directory.withValue { ($0.store.holdings, $0.attached) }
    }

    /// A session has got its first client, or lost its last one.
    func attached(_ change: Int) {
        directory.withValue { $0.attached += change }
    }

    /// Gives back the memory of a time when there were many more sessions and connections.
    package func shrinkIfSparse() {
        directory.withValue { directory in
            directory.sessions.shrinkIfSparse()
            directory.peers.shrinkIfSparse()
        }
    }

    /// Makes a connection reachable for sessions' answers.
    package func register(_ peer: any SessionPeer) {
        directory.withValue { $0.peers[peer.number] = peer }
    }

    /// Forgets a connection that no session was told of.
    func unregister(_ number: UInt64) {
        directory.withValue { $0.peers[number] = nil }
    }

    /// Forgets a connection and tells the sessions that it followed or was about to follow.
    package func connectionLost(_ number: UInt64, following sessions: some Sequence<SessionID>) {
        directory.withValue { $0.peers[number] = nil }
        for session in sessions {
            if let actor = active(session) { actor.connectionLost(number) }
        }
    }

    /// Hands a call to its session, which answers through the caller's peer.
    ///
    /// - Parameters:
    ///   - request: the call and its return address.
    ///   - creates: whether the session is made when it does not exist.
    ///   - asker: the caller's peer, where that is at hand.
    package func deliver(
        _ request: SessionRequest, creates: Bool, from asker: (any SessionPeer)? = nil
    ) {
        let (known, isHindered) = directory.withValue { directory in
            (directory.sessions[request.session], directory.store.isHindered)
        }
        switch known {
        case .active(let actor) where !isHindered:
            actor.receive(request, from: asker)
        case .active(let actor):
            let condition = condition
            if let stall = condition.stall, actor.wouldWait(request.call) {
                refuse(request, .storageUnavailable(stall))
            } else if let backlog = condition.backlog, actor.wouldCommit(request) {
                refuse(request, .storageUnavailable(backlog))
            } else if let shortage = condition.shortage, actor.needsRoom(request) {
                refuse(request, .storageUnavailable(shortage))
            } else {
                actor.receive(request)
            }
        case .loading: directory.withValue { $0.wait(for: request, creates: creates) }
        case nil:
            let store = directory.withValue { directory in
                directory.sessions[request.session] = .loading([request], creates: creates)
                return directory.store
            }
            let session = request.session
            store.load(session) { [self] stored in loaded(session, stored) }
        }
    }
}

extension SessionSystem {
    /// Ends a load: activates what was stored, makes what may be made, and hands on what waited.
    private func loaded(_ id: SessionID, _ loaded: LoadedSession) {
        if case .absent(let placements) = loaded {
            return absent(id, placements)
        }
        guard case (let requests, _)? = takeWaiting(id) else { return }
        switch loaded {
        case .stored(let stored):
            activate(Session(id: id, stored: stored, settings: settings))
            return hand(requests, to: id)
        case .damaged(let fault):
            let reason = "store.damaged: session \(id): \(fault)"
            return requests.forEach { refuse($0, .storageUnavailable(reason)) }
        case .failed(let reason):
            return requests.forEach { refuse($0, .storageUnavailable(reason)) }
        case .absent: break
        }
    }

    /// Takes the calls that wait for a session out of the directory.
    func takeWaiting(_ id: SessionID) -> (requests: [SessionRequest], creates: Bool)? {
        let waited = directory.withValue { $0.sessions.removeValue(forKey: id) }
        guard case .loading(let requests, let creates) = waited else { return nil }
        return (requests, creates)
    }

    func hand(_ requests: [SessionRequest], to id: SessionID) {
        for request in requests { deliver(request, creates: false) }
        // Nobody was there to tell when these were lost; their calls count, as they would have.
        for number in Set(requests.map(\.caller.connection)).sorted() where peer(number) == nil {
            active(id)?.connectionLost(number)
        }
    }

    func activate(_ session: Session) {
        directory.withValue {
            $0.assigning = SessionAddress(loop: place, session: session.id)
        }
        let actor = ViewingSession(session, actorSystem: self)
        directory.withValue { $0.sessions[session.id] = .active(actor) }
        actor.start()
    }

    func refuse(_ request: SessionRequest, _ error: ReplyError) {
        peer(request.caller.connection)?.reply(to: request.command, .error(error))
    }

    /// Only a subscribe would have made the session, and then it was forbidden (contract: protocol,
    /// Channels).
    static func noSession(_ id: SessionID, for call: SessionCall) -> ReplyError {
        if case .subscribe = call {
            return .permissionDenied("the session \(id) does not exist and may not be made")
        }
        return .unknownChannel("there is no session \(id)")
    }

    /// Eight random letters: a new incarnation of a stream never gets an old one's name.
    func newEpoch() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let chosen = random { random in
            (0..<8).map { _ in letters[Int.random(in: letters.indices, using: &random)] }
        }
        return String(decoding: chosen, as: UTF8.self)
    }
}

extension SessionSystem {
    /// Lends the source of what must be different each time.
    func random<Value>(_ draw: (inout any RandomNumberGenerator) -> Value) -> Value {
        generator.withValue(draw)
    }

    func peer(_ number: UInt64) -> (any SessionPeer)? {
        directory.withValue { $0.peers[number] }
    }

    func append(_ commit: Commit, for session: SessionID) {
        directory.withValue { $0.store }.append(commit, for: session)
    }

    func snapshot(_ session: SessionID, _ stored: StoredSession) {
        directory.withValue { $0.store }.snapshot(stored, of: session)
    }

    /// Retires an actor whose session is quiet.
    func passivate(_ session: SessionID, _ stored: StoredSession) {
        let store = directory.withValue { directory in
            directory.sessions[session] = nil
            return directory.store
        }
        store.passivate(session, stored, at: loop.now)
    }

    /// Retires every actor whose session has nothing under way, for the end of the server.
    package func passivateAll() {
        let entries = directory.withValue { $0.sessions.values }
        for case .active(let actor) in entries { actor.retireForEnd() }
    }

    /// Retires the actor of a session that never became durable.
    func abandon(_ session: SessionID) {
        directory.withValue { $0.store }.abandon(session)
        forget(session)
    }

    /// Retires the actor of a deleted session.
    func forget(_ session: SessionID) {
        directory.withValue { $0.sessions[session] = nil }
    }

    private func active(_ session: SessionID) -> ViewingSession? {
        directory.withValue { directory in
            guard case .active(let actor) = directory.sessions[session] else { return nil }
            return actor
        }
    }

    /// Nobody waits any longer for what is only read.
    private func stalled(_ reason: String) {
        let entries = directory.withValue { $0.sessions.values }
        for case .active(let actor) in entries { actor.giveUpReading(reason) }
    }

    private func settled(_ settlement: Settlement) {
        let session =
            switch settlement {
            case .committed(let session, _), .failed(let session, _, _),
                .snapshotFailed(let session):
                session
            }
        active(session)?.receive(settlement)
    }
}

extension SessionSystem {
    /// The executor of the actor with this id.
    func executor(of address: SessionAddress) -> UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    package func resolve<Act>(id: SessionAddress, as actorType: Act.Type) throws -> Act?
    where Act: DistributedActor, Act.ID == SessionAddress {
        guard id.loop == place, let actor = active(id.session) as? Act else {
            throw LocalSystemError.notHere(id.session.description)
        }
        return actor
    }

    package func assignID<Act>(_ actorType: Act.Type) -> SessionAddress
    where Act: DistributedActor, Act.ID == SessionAddress {
        let assigned = directory.withValue { $0.assigning.take() }
        guard let assigned else {
            preconditionFailure("session actors are made by SessionSystem.activate alone")
        }
        return assigned
    }

    package func actorReady<Act>(_ actor: Act)
    where Act: DistributedActor, Act.ID == SessionAddress {}

    package func resignID(_ id: SessionAddress) {}

    package func makeInvocationEncoder() -> LocalInvocation { LocalInvocation() }

    package func remoteCall<Act, Err, Res>(
        on actor: Act, target: RemoteCallTarget, invocation: inout LocalInvocation,
        throwing: Err.Type, returning: Res.Type
    ) async throws -> Res
    where
        Act: DistributedActor, Act.ID == SessionAddress, Err: Error, Res: Codable
    {
        throw LocalSystemError.noRemoteHalf(target.identifier)
    }

    package func remoteCallVoid<Act, Err>(
        on actor: Act, target: RemoteCallTarget, invocation: inout LocalInvocation,
        throwing: Err.Type
    ) async throws
    where Act: DistributedActor, Act.ID == SessionAddress, Err: Error {
        throw LocalSystemError.noRemoteHalf(target.identifier)
    }
}
