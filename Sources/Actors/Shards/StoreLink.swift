internal import Coordinator

/// The store as the sessions of a loop see it that has none: everything goes by mail, in order.
///
/// Confined to its loop.
final class StoreLink: Store {
    /// What was so of the store when the loop began.
    struct Facts: Sendable {
        var isVolatile: Bool
        var revocations: [Revocation]
        var condition: StoreCondition
        var room: StoreRoom
    }

    private let post: Post
    private let room: StoreRoom
    let isVolatile: Bool
    let revocations: [Revocation]
    /// As the store's loop told it last.
    var condition: StoreCondition
    private var observer: ((Settlement) -> Void)?
    private var stallObserver: ((String) -> Void)?
    /// Sessions that are made and that the store has not been told of.
    private var reserved: Set<SessionID> = []
    private var pending: [Settlement] = []
    /// The newest durable commit that each session has heard of, in the store's own count: that is what
    /// its next snapshot covers, whatever the store knows by then.
    private var newest: [SessionID: Int64] = [:]
    private var isTurnEndAwaited = false

    init(_ facts: Facts, _ post: Post) {
        self.post = post
        room = facts.room
        isVolatile = facts.isVolatile
        revocations = facts.revocations
        condition = facts.condition
    }

    /// Only the store's own loop counts.
    var holdings: StoreHoldings { StoreHoldings() }

    func takesSession(_ session: SessionID, under limit: Int) -> Bool {
        guard room.take(under: limit) else { return false }
        reserved.insert(session)
        return true
    }

    func append(_ commit: Commit, for session: SessionID) {
        let isUpdate = if case .update = commit.change { true } else { false }
        post.send(.commit(commit, session), to: Post.first, isUrgent: !isVolatile || !isUpdate)
        if case .create = commit.change { releaseRoom(of: session) }
        if isVolatile { settle(commit, of: session) }
    }

    /// The store gives no other answer in the end, and nobody should have to wait for it.
    private func settle(_ commit: Commit, of session: SessionID) {
        if case .committed(session, _) = pending.last { pending.removeLast() }
        pending.append(.committed(session, through: commit.sequence))
        guard !isTurnEndAwaited else { return }
        isTurnEndAwaited = true
        post.loop.atTurnEnd { [weak self] in
            guard let self else { return }
            isTurnEndAwaited = false
            let settlements = pending
            pending = []
            for settlement in settlements { observer?(settlement) }
        }
    }

    func snapshot(_ stored: StoredSession, of session: SessionID) {
        guard let number = newest[session] else { return }
        tell { $0.store.snapshot(stored, of: session, through: number) }
    }

    func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
        let loaded = { [self] (answer: (LoadedSession, newest: Int64?)) in
            newest[session] = answer.newest
            completion(answer.0)
        }
        ask(loaded) { hub, answer in
            hub.load(session) { answer(($0, newest: hub.store.newestCommit(of: session))) }
        }
    }

    func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        newest[session] = nil
        tell { $0.passivate(session, stored, at: now) }
    }

    func abandon(_ session: SessionID) {
        newest[session] = nil
        tell { $0.abandon(session) }
        releaseRoom(of: session)
    }

    /// The store knows how many there are when it has read the mail so far.
    private func releaseRoom(of session: SessionID) {
        guard reserved.remove(session) != nil else { return }
        tell { hub in
            hub.room.update(known: hub.store.count)
            hub.room.giveBack()
        }
    }

    func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
    ) {
        let made = { [self] (count: Int?) in
            completion(count)
            // Behind the sessions that were made of the answer.
            tell { $0.counted(of: user) }
        }
        ask(made) { hub, answer in hub.count(of: user, limit: limit, answer) }
    }

    func revoke(_ revocation: Revocation, _ completion: @escaping (String?) -> Void) {
        ask(completion) { hub, answer in hub.revoke(revocation, answer) }
    }

    func observe(_ observer: @escaping (Settlement) -> Void) { self.observer = observer }

    func observeStalls(_ observer: @escaping (String) -> Void) { stallObserver = observer }

    /// The store's loop says how a commit ended.
    func settled(_ settlement: Settlement, newest number: Int64?) {
        // Nil when it was the last one, which has deleted the session.
        newest[settlement.session] = number
        if case .failed(let session, _, _) = settlement {
            // Before anything that the session asks for then.
            tell { $0.isAware(session) }
        }
        observer?(settlement)
    }

    /// The disk has not answered for too long.
    func stalled(_ reason: String) { stallObserver?(reason) }

    private func tell(_ message: @escaping @Sendable (StoreHub) -> Void) {
        post.send(to: Post.first) { shard in
            if let hub = shard.hub { message(hub) }
        }
    }

    private func ask<Answer: Sendable>(
        _ completion: @escaping (Answer) -> Void,
        _ question: @escaping @Sendable (StoreHub, _ answer: @escaping (Answer) -> Void) -> Void
    ) {
        let (home, completion) = (post.index, LoopBound(completion, on: post.loop))
        post.send(to: Post.first) { shard in
            guard let hub = shard.hub else { return }
            question(hub) { answer in
                shard.post.send(to: home) { _ in completion.value(answer) }
            }
        }
    }
}
