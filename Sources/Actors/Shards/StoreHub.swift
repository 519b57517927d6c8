internal import Coordinator

/// The one store of the process, on its loop: for the sessions there, and for those of the other loops,
/// which reach it by mail.
///
/// Confined to that loop.
final class StoreHub {
    let store: any Store
    let room = StoreRoom()
    private let post: Post
    private var observer: ((Settlement) -> Void)?
    private var stallObserver: ((String) -> Void)?
    private var reserved: Set<SessionID> = []
    /// Who wants to know how many sessions a user has: one loop at a time, until what it made of the
    /// answer is known here.
    private var counting: [String: [() -> Void]] = [:]
    private var told: StoreCondition
    /// Sessions of other loops that have not heard yet that a commit failed.
    private var unaware: Set<SessionID> = []

    init(_ store: any Store, _ post: Post) {
        self.store = store
        self.post = post
        told = store.condition
        room.update(known: store.count)
        store.observe { [weak self] in self?.settled($0) }
        store.observeStalls { [weak self] in self?.stalled($0) }
        store.observeCondition { [weak self] in self?.look() }
    }

    private func settled(_ settlement: Settlement) {
        let place = post.place(of: settlement.session)
        if place == post.index {
            observer?(settlement)
        } else if !store.isVolatile {
            if case .failed(let session, _, _) = settlement { unaware.insert(session) }
            post.send(
                .settled(settlement, newest: store.newestCommit(of: settlement.session)), to: place)
        }
    }

    /// Takes a change of a session of another loop.
    ///
    /// One that was on its way when an earlier one failed has failed with it: it builds on what is not
    /// there, and the session, which hears of the failure next, counts it among those.
    func appendRemote(_ commit: Commit, for session: SessionID) {
        guard !unaware.contains(session) else { return }
        store.append(commit, for: session)
    }

    /// A session has heard that a commit failed: what it asks for next builds on what is there.
    func isAware(_ session: SessionID) {
        unaware.remove(session)
    }

    /// Tells the other loops once they can be told.
    func introduce() {
        tellCondition()
    }

    private func stalled(_ reason: String) {
        look()
        stallObserver?(reason)
        for place in 0..<post.count where place != post.index {
            post.send(to: place) { $0.link?.stalled(reason) }
        }
    }

    /// Tells the other loops what has changed and what they must know.
    func look() {
        room.update(known: store.count)
        let condition = store.condition
        // The words hold numbers that always change.
        guard
            (condition.stall == nil) != (told.stall == nil)
                || (condition.backlog == nil) != (told.backlog == nil)
                || (condition.shortage == nil) != (told.shortage == nil)
        else { return }
        told = condition
        tellCondition()
    }

    private func tellCondition() {
        let condition = told
        for place in 0..<post.count where place != post.index {
            post.send(to: place) { $0.link?.condition = condition }
        }
    }
}

// MARK: - The store of this loop's sessions

extension StoreHub: Store {
    var holdings: StoreHoldings { store.holdings }
    var condition: StoreCondition { store.condition }
    var isVolatile: Bool { store.isVolatile }
    var revocations: [Revocation] { store.revocations }

    func takesSession(_ session: SessionID, under limit: Int) -> Bool {
        guard room.take(under: limit) else { return false }
        reserved.insert(session)
        return true
    }

    func append(_ commit: Commit, for session: SessionID) {
        store.append(commit, for: session)
        if case .update = commit.change { return }
        settleRoom(of: session)
    }

    func abandon(_ session: SessionID) {
        store.abandon(session)
        settleRoom(of: session)
    }

    private func settleRoom(of session: SessionID) {
        room.update(known: store.count)
        if reserved.remove(session) != nil { room.giveBack() }
    }

    func snapshot(_ stored: StoredSession, of session: SessionID) {
        store.snapshot(stored, of: session)
    }

    func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
        store.load(session, completion)
    }

    func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        store.passivate(session, stored, at: now)
    }

    func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
    ) {
        count(of: user, limit: limit) { [self] count in
            completion(count)
            counted(of: user)
        }
    }

    /// Counts for whoever has nobody before them; ``counted(of:)`` must follow when all that is made of
    /// the answer was asked for.
    func count(of user: String, limit: Int, _ completion: @escaping (Int?) -> Void) {
        let ask = { [store] in store.countSessions(ownedBy: user, limit: limit, completion) }
        counting[user, default: []].append(ask)
        if counting[user]?.count == 1 { ask() }
    }

    func counted(of user: String) {
        guard var waiting = counting[user] else { return }
        waiting.removeFirst()
        counting[user] = waiting.isEmpty ? nil : waiting
        waiting.first?()
    }

    func ids(after start: String, limit: Int, _ completion: @escaping ([String]?) -> Void) {
        store.ids(after: start, limit: limit, completion)
    }

    func outlines(
        of sessions: [SessionID], _ completion: @escaping ([SessionOutline]?) -> Void
    ) {
        store.outlines(of: sessions, completion)
    }

    func holds(_ session: SessionID) -> Bool { store.holds(session) }

    func revoke(_ revocation: Revocation, _ completion: @escaping (String?) -> Void) {
        store.revoke(revocation, completion)
    }

    func observe(_ observer: @escaping (Settlement) -> Void) { self.observer = observer }

    func observeStalls(_ observer: @escaping (String) -> Void) { stallObserver = observer }
}

extension Settlement {
    /// Whose commits they were.
    var session: SessionID {
        switch self {
        case .committed(let session, _), .failed(let session, _, _), .snapshotFailed(let session):
            session
        }
    }
}
