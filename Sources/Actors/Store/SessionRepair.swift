internal import Coordinator

/// The last good state of a damaged session, put in the place of what is damaged.
///
/// Good are the snapshot, when its checksum is right, and the commits after it as far as their chain
/// reaches. Without a good snapshot only the placements go on, because no bet may be placed twice.
struct SessionRepair {
    /// What became of the session.
    struct Result {
        var loaded: LoadedSession
        var slot: StoreSlot?
        /// The session's key; nil when there was only what is remembered of a deleted one.
        var key: Int64?
        /// By how many sessions there are more.
        var sessions = 0
        /// By how many remembered ones there are more.
        var remains = 0
    }

    let id: SessionID
    let reason: String
    let now: Instant
    let tables: StoreTables
    let index: JournalIndex
    let settings: SessionSettings

    private var name: [UInt8] { Array(id.description.utf8) }

    /// Repairs it, within a transaction.
    func run() throws -> Result {
        guard let key = try key() else { return try forgetRemains() }
        let snapshot = try? tables.snapshot(of: key)
        let entries = snapshot.map { commits(after: $0, of: key) } ?? []
        guard let snapshot, let stored = lastGood(snapshot, entries, key) else {
            return try forget(key)
        }
        let slot = StoreSlot(
            id: id, key: key, number: try newestNumber(of: key, atLeast: snapshot.number),
            isInTables: true)
        try isolateDamage(of: key, after: entries.count)
        for statement in [tables.dropWindow, tables.dropRequests] {
            statement.bind(1, key)
            try statement.run()
        }
        try tables.put(
            stored, slot, chain: RowChecksum.chainStart(of: key),
            through: 0)
        var loaded = stored
        loaded.mark = SnapshotMark(
            revision: stored.revision, stamp: stored.requests.stamp, commits: 0)
        return Result(loaded: .stored(loaded), slot: slot, key: key)
    }

    /// Deletes it, within a transaction: all that goes on is its placements, remembered as those of a
    /// deleted session.
    ///
    /// Of one whose own row is damaged nothing but that row goes: the rest may be another session's.
    func discard() throws -> Result {
        let key: Int64?
        do {
            key = try self.key()
        } catch is StorageFault {
            let drop = try tables.database.prepare("DELETE FROM session WHERE id = ?1")
            drop.bind(1, id.description)
            try drop.run()
            return Result(loaded: .absent(placements: []), sessions: -1)
        }
        guard let key else { return try forgetRemains() }
        return try forget(key)
    }

    /// There is only what is remembered of a deleted session, and that is damaged.
    private func forgetRemains() throws -> Result {
        try isolate("remains", "NULL, NULL, deleted_at, crc, placements, NULL, NULL", "id = ?2")
        let count = try tables.forgetPlacements(of: id)
        return Result(loaded: .absent(placements: []), remains: -count)
    }

    /// The session's key; nil when there is no such session.
    ///
    /// - Throws: ``StorageFault`` when its row is damaged: under the key in it may be the rows of
    ///   another session, which nobody may see here.
    private func key() throws -> Int64? {
        do {
            return try tables.head(of: id)?.key
        } catch is StorageFault {
            // It may be an index that leads to the wrong row.
            try tables.database.execute("REINDEX session")
            return try tables.head(of: id)?.key
        }
    }

    /// The commits after a snapshot, as far as they fit together.
    private func commits(after snapshot: SnapshotRow, of key: Int64) -> [JournalEntry] {
        guard let run = index[key], run.first == snapshot.number + 1 else { return [] }
        var entries: [JournalEntry] = []
        var chain = snapshot.chain
        for (place, seq) in run.seqs.enumerated() {
            let number = run.first + Int64(place)
            guard let entry = try? tables.entry(seq, number: number, of: key, &chain) else {
                break
            }
            entries.append(entry)
        }
        return entries
    }

    private func lastGood(
        _ snapshot: SnapshotRow, _ entries: [JournalEntry], _ key: Int64
    ) -> StoredSession? {
        let epoch = StoreLosses.newEpoch()
        var record = SessionRecord(
            epoch: epoch, revision: UInt64(bitPattern: snapshot.revision), body: snapshot.body)
        record.devices = tables.goodDevices(of: key)
        for journal in [entries, []] {
            record.journal = journal
            guard let stored = try? record.decode(tables.vault(of: id), settings: settings) else {
                continue
            }
            // A new stream: nothing of the old one is replayed, and all of it is written anew.
            return StoredSession(
                epoch: epoch, revision: stored.revision, viewing: stored.viewing,
                requests: stored.requests,
                history: History(
                    size: settings.historySize, seconds: settings.historySeconds,
                    top: stored.revision),
                owner: tables.owner(of: key))
        }
        return nil
    }

    /// A number that none of the session's rows in the journal exceeds, so that they stay covered.
    private func newestNumber(of key: Int64, atLeast number: Int64) throws -> Int64 {
        let rows = try tables.database.prepare(
            "SELECT seq, session, number, revision, place FROM journal WHERE session = \(key)")
        var newest = number
        while try rows.step() {
            let row = JournalRow(
                seq: rows.integer(0), session: rows.integer(1), number: rows.integer(2),
                revision: rows.integer(3))
            guard RowChecksum.place(row) == rows.integer(4) else { continue }
            newest = max(newest, row.number)
        }
        return newest
    }
}

extension SessionRepair {
    private func isolate(
        _ source: String, _ columns: String, _ condition: String
    ) throws(SQLiteError) {
        try tables.isolate(
            source, columns, where: condition, id: name, reason: reason, at: now)
    }

    /// Keeps apart what does not go on: windows and requests as a whole, and the commits after the
    /// good ones.
    private func isolateDamage(of key: Int64, after good: Int) throws(SQLiteError) {
        try isolate("window", "last, NULL, NULL, crc, lines, NULL, NULL", "session = \(key)")
        try isolate("request", "device, stamp, NULL, crc, answers, NULL, NULL", "session = \(key)")
        guard let run = index[key], run.seqs.count > good else { return }
        let first = run.seqs[good]
        try isolate(
            "journal", StoreTables.journalColumns,
            "(session = \(key) AND seq >= \(first)) OR seq = \(first)")
    }

    /// Nothing but placements goes on.
    private func forget(_ key: Int64) throws -> Result {
        let placements = placements(of: key)
        try isolateDamage(of: key, after: 0)
        try isolate(
            "snapshot", "session, number, revision, crc, body, NULL, NULL", "session = \(key)")
        let count = try tables.delete(key)
        let remains = try tables.remember(placements, of: id, deletedAt: now)
        return Result(
            loaded: .absent(placements: placements), key: key, sessions: -count, remains: remains)
    }

    /// The placements in what is left of the snapshot and of the commits, as far as they are whole.
    private func placements(of key: Int64) -> [PlacementRecord] {
        var placements = JSON.object(JSONObject())
        if let body = tables.body(of: key), let root = Self.parse(body),
            let stored = root["memory"]?["placements"]
        {
            placements = stored
        }
        // Also of those that the snapshot may hold: again in order they lead to the same.
        for memory in tables.memories(of: key) {
            guard let patch = Self.parse(memory)?["placements"] else { continue }
            placements = MergePatch.apply(patch, to: placements)
        }
        let records = placements.object?.members.compactMap { member in
            try? PlacementRecord(stored: member.value)
        }
        return (records ?? []).sorted { $0.number < $1.number }
    }

    private static func parse(_ text: [UInt8]) -> JSON? {
        try? JSONParser.parse(text.span, maximumDepth: JSONParser.maximumDepth + 8).root
    }
}
