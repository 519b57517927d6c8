internal import Coordinator

/// A look for sessions without an activation, the oldest first, from some place on.
struct IdleQuery: Sendable, Equatable {
    /// Whether those are wanted that never held anything, or the others.
    var isVacant: Bool
    /// They have no activation since before this time.
    var before: Instant
    /// How many are wanted.
    var limit: Int
    /// Behind which row the look goes on, so that one that stays does not hold up the others.
    var idleSince: Int64 = .min
    var key: Int64 = .min
}

extension StoreTables {
    /// Sessions that had no activation for long enough, and how to go on; nil: those were all.
    func idle(_ query: IdleQuery) throws(SQLiteError) -> (found: [SessionID], next: IdleQuery?) {
        getIdle.bind(1, query.isVacant ? 1 : 0)
        getIdle.bind(2, query.before.milliseconds)
        getIdle.bind(3, query.idleSince)
        getIdle.bind(4, query.key)
        getIdle.bind(5, Int64(query.limit))
        var found: [SessionID] = []
        var next = query
        var rows = 0
        while try getIdle.step() {
            rows += 1
            (next.idleSince, next.key) = (getIdle.integer(1), getIdle.integer(3))
            // A time that is not as it was written is no reason to delete anything.
            let crc = RowChecksum.idleness(next.idleSince, isVacant: query.isVacant)
            guard getIdle.integer(2) == crc, let id = SessionID(getIdle.text(0)) else { continue }
            found.append(id)
        }
        return (found, rows < query.limit ? nil : next)
    }

    /// Sessions behind a key in order of their keys, and how to go on; nil: those were all.
    func sessions(
        after key: Int64, limit: Int
    ) throws(SQLiteError) -> (found: [SessionID], next: Int64?) {
        getNext.bind(1, key)
        getNext.bind(2, Int64(limit))
        var found: [SessionID] = []
        var last: Int64?
        var rows = 0
        while try getNext.step() {
            rows += 1
            last = getNext.integer(0)
            if let id = SessionID(getNext.text(1)) { found.append(id) }
        }
        // A damaged tree may lead back to where one was.
        return (found, rows < limit ? nil : last.flatMap { $0 > key ? $0 : nil })
    }

    /// Sessions that this user made, counted up to `limit`.
    func sessions(ownedBy user: String, limit: Int) throws(SQLiteError) -> Int {
        countOwned.bind(1, user)
        countOwned.bind(2, Int64(limit))
        defer { countOwned.reset() }
        return try countOwned.step() ? Int(countOwned.integer(0)) : 0
    }

    /// The user who made a session, right or wrong; empty when that was nobody with a name.
    func owner(of key: Int64) -> String {
        getOwner.bind(1, key)
        defer { getOwner.reset() }
        return (try? getOwner.step()) == true ? getOwner.text(0) : ""
    }
}

extension StoreTables {
    /// The note about how many sessions there are.
    static let counts = "counts"

    /// Notes how many sessions there are, in the transaction that changes it.
    func noteCounts(of census: StoreCensus) throws(SQLiteError) {
        try setMeta(Self.counts, "\(census.sessions) \(census.remains)")
    }

    /// What was noted so, that a start need not count; nil when that is not there or not whole.
    var notedCounts: (sessions: Int, remains: Int)? {
        get throws(SQLiteError) {
            let words = try meta(Self.counts)?.split(separator: " ").compactMap { Int($0) } ?? []
            return words.count == 2 ? (words[0], words[1]) : nil
        }
    }
}
