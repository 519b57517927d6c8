package import Coordinator

extension SQLiteStore {
    package func ids(
        after start: String, limit: Int, _ completion: @escaping ([String]?) -> Void
    ) {
        guard stall == nil else { return completion(nil) }
        lastQuestion += 1
        listings[lastQuestion] = { [weak self] ids in
            completion(ids.map { self?.adding(to: $0, after: start, limit: limit) ?? $0 })
        }
        post(.list(lastQuestion, after: start, limit: limit))
    }

    package func outlines(
        of sessions: [SessionID], _ completion: @escaping ([SessionOutline]?) -> Void
    ) {
        guard stall == nil else { return completion(nil) }
        var known: [SessionOutline] = []
        var others: [SessionID] = []
        for id in sessions {
            if let stored = parked[id]?.stored {
                known.append(
                    SessionOutline(
                        id: id, epoch: stored.epoch, revision: stored.revision,
                        state: stored.viewing.state))
            } else {
                others.append(id)
            }
        }
        lastQuestion += 1
        lookups[lastQuestion] = { completion($0.map { known + $0 }) }
        post(.outline(lastQuestion, others))
    }

    package func holds(_ session: SessionID) -> Bool {
        (places[session] ?? parked[session]?.place)?.slot.isInTables ?? true
    }

    /// With durability `memory` sessions are in the tables only once they were passivated.
    ///
    /// This looks at every active session; with durability `commit` the tables have them all.
    private func adding(to ids: [String], after start: String, limit: Int) -> [String] {
        guard durability == .memory else { return ids }
        let isThere = { (id: String) in SessionID(id).map { self.undeleted[$0] == nil } ?? true }
        var all = Set(ids.filter(isThere))
        for (id, place) in places where !place.slot.isInTables { all.insert(id.description) }
        for (id, entry) in parked where !entry.place.slot.isInTables {
            all.insert(id.description)
        }
        let sorted = all.filter { $0.isAfter(start) }.sorted { $1.isAfter($0) }
        return Array(sorted.prefix(limit))
    }

    func answer(_ question: UInt64, listed ids: [String]?) {
        listings.removeValue(forKey: question)?(ids)
    }

    func answer(_ question: UInt64, outlined outlines: [SessionOutline]?) {
        lookups.removeValue(forKey: question)?(outlines)
    }
}

extension String {
    /// Whether it comes later in the order of bytes, which is the order of the tables.
    package func isAfter(_ other: String) -> Bool {
        other.utf8.lexicographicallyPrecedes(utf8)
    }
}
