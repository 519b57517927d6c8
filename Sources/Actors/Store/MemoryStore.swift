package import Coordinator

/// A store for `durability: memory`: sessions live as long as the process.
///
/// Commits settle together at the end of the loop turn that made them, so the output gate works as
/// it does with a disk behind it.
package final class MemoryStore: Store {
    private struct Entry {
        /// Nil while the session is active: its actor holds the newest state.
        var stored: StoredSession?
        var passivatedAt = Instant(milliseconds: 0)
    }

    private let loop: any EventLoop
    private var entries: [SessionID: Entry] = [:]
    private var pending: [(session: SessionID, sequence: UInt64)] = []
    private var observer: ((Settlement) -> Void)?

    /// An empty store whose completions are events of `loop`.
    package init(loop: any EventLoop) {
        self.loop = loop
    }

    package var count: Int { entries.count }

    package func append(_ commit: Commit, for session: SessionID) {
        switch commit.change {
        case .update:
            if entries[session] == nil { entries[session] = Entry() }
        case .delete:
            entries[session] = nil
        }
        pending.append((session, commit.sequence))
        if pending.count == 1 {
            loop.atTurnEnd { [weak self] in self?.settle() }
        }
    }

    package func load(_ session: SessionID, _ completion: @escaping (StoredSession?) -> Void) {
        let stored = entries[session]?.stored
        entries[session]?.stored = nil
        completion(stored)
    }

    package func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        entries[session] = Entry(stored: stored, passivatedAt: now)
    }

    package func observe(_ observer: @escaping (Settlement) -> Void) {
        self.observer = observer
    }

    /// Deletes the sessions that were passivated before `limit`; gives their number.
    package func expire(passivatedBefore limit: Instant) -> Int {
        let old = entries.filter { $0.value.stored != nil && $0.value.passivatedAt < limit }.keys
        for session in old { entries[session] = nil }
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
