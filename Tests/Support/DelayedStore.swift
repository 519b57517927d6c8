package import Actors
package import Coordinator

/// A store whose completions a test releases by hand, or turns into failures.
package final class DelayedStore: Store {
    private var stored: [SessionID: StoredSession] = [:]
    private var existing: Set<SessionID> = []
    private var observer: ((Settlement) -> Void)?
    private var loads: [(session: SessionID, completion: (LoadedSession) -> Void)] = []
    /// Commits that are neither durable nor failed, oldest first.
    package private(set) var pending: [(session: SessionID, commit: Commit)] = []
    /// Whether loads wait for ``releaseLoads()`` too.
    package var delaysLoads = false

    /// An empty store.
    package init() {}

    package var holdings: StoreHoldings { StoreHoldings(sessions: existing.count) }

    package func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
    ) {
        completion(0)
    }

    /// Loads that wait.
    package var pendingLoads: Int { loads.count }

    package func append(_ commit: Commit, for session: SessionID) {
        pending.append((session, commit))
        if case .create = commit.change { existing.insert(session) }
    }

    package func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
        guard delaysLoads else {
            return completion(take(session))
        }
        loads.append((session, completion))
    }

    package func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        self.stored[session] = stored
    }

    package func observe(_ observer: @escaping (Settlement) -> Void) {
        self.observer = observer
    }

    /// Makes the oldest `count` commits durable, one report for each.
    package func release(_ count: Int = .max) {
        for (session, commit) in take(count) {
            if case .delete = commit.change { existing.remove(session) }
            observer?(.committed(session, through: commit.sequence))
        }
    }

    /// Makes all commits of one session durable that wait, whatever waits before them.
    package func release(of session: SessionID) {
        let taken = pending.filter { $0.session == session }
        pending.removeAll { $0.session == session }
        for (session, commit) in taken {
            observer?(.committed(session, through: commit.sequence))
        }
    }

    /// Fails the oldest commit, and with it all of its session that wait.
    ///
    /// The oldest `count` before it become durable, of which nothing is said but this.
    package func fail(_ reason: String, after count: Int = 0) {
        _ = take(count)
        guard let first = pending.first else { return }
        pending.removeAll { $0.session == first.session }
        observer?(.failed(first.session, from: first.commit.sequence, reason: reason))
    }

    /// Ends all loads that wait.
    package func releaseLoads() {
        let waiting = loads
        loads = []
        for (session, completion) in waiting {
            completion(take(session))
        }
    }

    package func snapshot(_ stored: StoredSession, of session: SessionID) {}

    package func abandon(_ session: SessionID) {
        existing.remove(session)
    }

    private func take(_ session: SessionID) -> LoadedSession {
        stored.removeValue(forKey: session).map(LoadedSession.stored) ?? .absent(placements: [])
    }

    private func take(_ count: Int) -> [(session: SessionID, commit: Commit)] {
        let taken = Array(pending.prefix(count))
        pending.removeFirst(taken.count)
        return taken
    }
}
