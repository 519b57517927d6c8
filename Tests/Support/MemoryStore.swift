package import Actors
package import Coordinator

/// A store whose sessions live as long as the test.
///
/// Commits settle together at the end of the loop turn that made them, so the output gate works as
/// it does with a disk behind it.
package final class MemoryStore: Store {
    private struct Entry {
        /// Nil while the session is active: its actor holds the newest state.
        var stored: StoredSession?
        var passivatedAt = Instant(milliseconds: 0)
    }

    /// What outlives a deleted session.
    private struct Remains {
        var placements: [PlacementRecord]
        var deletedAt: Instant
    }

    private let loop: any EventLoop
    private var entries: [SessionID: Entry] = [:]
    private var remains: [SessionID: Remains] = [:]
    /// The named users who made sessions.
    private var owners: [SessionID: String] = [:]
    private var pending: [(session: SessionID, sequence: UInt64)] = []
    private var observer: ((Settlement) -> Void)?

    /// An empty store whose completions are events of `loop`.
    package init(loop: any EventLoop) {
        self.loop = loop
    }

    package var holdings: StoreHoldings {
        StoreHoldings(sessions: entries.count, remembered: remains.count)
    }

    package func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
    ) {
        completion(min(limit, owners.values.count { $0 == user }))
    }

    package func ids(
        after start: String, limit: Int, _ completion: @escaping ([String]?) -> Void
    ) {
        let later = entries.keys.map(\.description).filter { $0.isAfter(start) }
        let ids = Array(later.sorted { $1.isAfter($0) }.prefix(limit))
        loop.atTurnEnd { completion(ids) }
    }

    package func outlines(
        of sessions: [SessionID], _ completion: @escaping ([SessionOutline]?) -> Void
    ) {
        let outlines = sessions.compactMap { id in
            entries[id]?.stored.map { stored in
                SessionOutline(
                    id: id, epoch: stored.epoch, revision: stored.revision,
                    state: stored.viewing.state)
            }
        }
        loop.atTurnEnd { completion(outlines) }
    }

    package func holds(_ session: SessionID) -> Bool { true }

    package func append(_ commit: Commit, for session: SessionID) {
        switch commit.change {
        case .create, .update:
            guard entries[session] == nil else { break }
            entries[session] = Entry()
            if case .create(let stored) = commit.change, !stored.owner.isEmpty {
                owners[session] = stored.owner
            }
            // A session of this id is there again and has taken them over.
            remains[session] = nil
        case .delete(let placements):
            bury(session, placements)
        }
        pending.append((session, commit.sequence))
        if pending.count == 1 {
            loop.atTurnEnd { [weak self] in self?.settle() }
        }
    }

    package func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
        if let stored = entries[session]?.stored {
            entries[session]?.stored = nil
            completion(.stored(stored))
        } else {
            completion(.absent(placements: remains[session]?.placements ?? []))
        }
    }

    package func snapshot(_ stored: StoredSession, of session: SessionID) {}

    package func abandon(_ session: SessionID) {
        entries[session] = nil
        owners[session] = nil
    }

    private func bury(_ session: SessionID, _ placements: [PlacementRecord]) {
        entries[session] = nil
        owners[session] = nil
        guard !placements.isEmpty else { return }
        remains[session] = Remains(placements: placements, deletedAt: loop.now)
    }

    package func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        entries[session] = Entry(stored: stored, passivatedAt: now)
    }

    package func observe(_ observer: @escaping (Settlement) -> Void) {
        self.observer = observer
    }

    /// Deletes the sessions that were passivated before `limit`; gives their number.
    ///
    /// Placements of sessions deleted before `placementLimit` are forgotten with that.
    package func expire(
        passivatedBefore limit: Instant, deletedBefore placementLimit: Instant
    ) -> Int {
        remains = remains.filter { $0.value.deletedAt >= placementLimit }
        let old = entries.filter { $0.value.passivatedAt < limit }.compactMap { session, entry in
            entry.stored.map { (session, $0.viewing.memory.placements) }
        }
        for (session, placements) in old { bury(session, placements) }
        return old.count
    }

    private func settle() {
        let settled = pending
        pending.removeAll(keepingCapacity: true)
        for (index, commit) in settled.enumerated() {
            // Only the last of a session's commits in the batch needs to be told.
            if index + 1 < settled.count, settled[index + 1].session == commit.session { continue }
            observer?(.committed(commit.session, through: commit.sequence))
        }
    }
}
