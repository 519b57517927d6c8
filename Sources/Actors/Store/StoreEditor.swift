package import Coordinator
package import Security

/// Changes the sessions in a stopped daemon's folder, which is opened as a daemon opens it.
///
/// For one thread at a time.
package final class StoreEditor {
    /// What was done with one session.
    package struct Deletion: Sendable, Equatable {
        /// The session.
        package var id: SessionID
        /// Its newest revision; nil of one that was damaged.
        package var revision: UInt64?
        /// Placements of it that are still remembered.
        package var placements: Int
        /// What was wrong with it; its rows are in the table `quarantine` then.
        package var fault: String?
    }

    /// What was taken in of one session.
    package struct Adoption: Sendable, Equatable {
        /// The session.
        package var id: SessionID
        /// Its new epoch.
        package var epoch: String
        /// Its newest revision.
        package var revision: UInt64
        /// Placements that were remembered here of a session of this id.
        package var merged: Int
        /// Whether it took the place of one that was here.
        package var isReplacement: Bool
    }

    /// Why nothing was done.
    package enum Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// These sessions are not there.
        case absent([SessionID])
        /// These are there already.
        case present([SessionID])
        /// These are damaged.
        case damaged([SessionID], String)

        /// The refusal in plain words.
        package var description: String {
            switch self {
            case .absent(let ids): "there is no session \(Self.list(ids))"
            case .present(let ids): "there is a session \(Self.list(ids)) already"
            case .damaged(let ids, let reason): "session \(Self.list(ids)) is damaged: \(reason)"
            }
        }

        private static func list(_ ids: [SessionID]) -> String {
            let names = ids.prefix(10).map(\.description).joined(separator: ", ")
            return ids.count > 10 ? "\(names) and \(ids.count - 10) more" : names
        }
    }

    private let tables: StoreTables
    private let note: SequenceNote?
    private let settings: SessionSettings
    private let now: Instant
    private var index: JournalIndex
    private var census: StoreCensus
    private var nextKey: Int64

    /// What the opening found and did.
    package let findings: [StoreFinding]

    /// Opens or makes the database at `path`; `note` begins the path of the sequence note.
    ///
    /// - Throws: ``StoreFault`` when the database cannot be used.
    package init(
        path: String, key: SealingKey, settings: SessionSettings, durability: StoreDurability,
        note: String?, now: Instant
    ) throws(StoreFault) {
        let opened = try OpenedStore.open(
            OpenedStore.Request(
                path: path, key: key, durability: durability, note: note, now: now)
        ) { _ in }
        tables = opened.tables
        index = opened.index
        census = opened.census
        nextKey = opened.nextKey
        findings = opened.findings
        self.note = opened.note
        self.settings = settings
        self.now = now
    }

    /// Leaves the database as a daemon does that ends.
    package func close() throws(SQLiteError) {
        try tables.beginTransaction()
        do throws(SQLiteError) {
            try tables.trim(before: index.oldest ?? census.nextSeq)
            try tables.setMeta("stopped", "cleanly")
            try tables.commitTransaction()
        } catch {
            tables.rollbackTransaction()
            throw error
        }
        try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        note?.sync()
    }

    /// Does all of `body` in one transaction, or nothing.
    private func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        let before = (index: index, census: census, nextKey: nextKey)
        try tables.beginTransaction()
        do {
            let result = try body()
            try tables.noteCounts(of: census)
            try tables.commitTransaction()
            note?.write(census.nextSeq - 1)
            return result
        } catch {
            tables.rollbackTransaction()
            (index, census, nextKey) = before
            throw error
        }
    }

    /// A beginning or an end is a row too, so that one that was lost is missed.
    private func addMark(of key: Int64, number: Int64) throws(SQLiteError) -> Int64 {
        let seq = census.nextSeq
        census.nextSeq += 1
        try tables.add(JournalRow(seq: seq, session: key, number: number, revision: 0))
        return seq
    }
}

extension StoreEditor {
    /// Deletes sessions, all or none; their placements are remembered.
    ///
    /// Damaged ones go only with `damaged`: their rows are kept in the table `quarantine`.
    ///
    /// - Throws: ``Refusal``, ``SQLiteError``.
    package func delete(_ ids: [SessionID], damaged: Bool) throws -> [Deletion] {
        try transaction {
            try ids.map { id in
                guard let deletion = try delete(id) else { throw Refusal.absent([id]) }
                if let fault = deletion.fault, !damaged { throw Refusal.damaged([id], fault) }
                return deletion
            }
        }
    }

    /// Deletes a session within a transaction; nil when there is none.
    private func delete(_ id: SessionID) throws -> Deletion? {
        switch try tables.load(id, index, settings) {
        case (.stored(let stored), let slot?):
            let placements = stored.viewing.memory.placements
            census.sessions -= try tables.delete(slot.key)
            census.remains += try tables.remember(placements, of: id, deletedAt: now)
            _ = try addMark(of: slot.key, number: slot.number + 1)
            index.cover(slot.key, through: .max)
            return Deletion(
                id: id, revision: stored.revision, placements: placements.count, fault: nil)
        case (.damaged(let reason), _):
            let result = try SessionRepair(
                id: id, reason: reason, now: now, tables: tables, index: index, settings: settings
            ).discard()
            census.sessions += result.sessions
            census.remains += result.remains
            if let key = result.key {
                _ = try addMark(of: key, number: 1)
                index.cover(key, through: .max)
            }
            var count = 0
            if case .absent(let placements) = result.loaded { count = placements.count }
            return Deletion(id: id, revision: nil, placements: count, fault: reason)
        case (.absent, _): return nil
        case (.failed(let reason), _): throw Refusal.damaged([id], reason)
        case (.stored, nil): preconditionFailure("a session that was read has a place")
        }
    }
}

extension StoreEditor {
    /// Takes in the sessions that `next` gives, all or none, each in a new epoch.
    ///
    /// One that is there is replaced when `replacing`. Placements that are remembered of an id stay
    /// so. `each` hears of every session.
    ///
    /// - Throws: ``Refusal``, ``SQLiteError``, and what `next` throws.
    package func adopt(
        replacing: Bool, next: () throws -> SessionDocument?,
        each: (Adoption) throws -> Void
    ) throws {
        try transaction {
            while let document = try next() {
                try each(try adopt(document, replacing: replacing))
            }
        }
    }

    private func adopt(_ document: SessionDocument, replacing: Bool) throws -> Adoption {
        let id = document.id
        var isReplacement = false
        if case (.absent, _) = try tables.load(id, index, settings) {
        } else {
            guard replacing else { throw Refusal.present([id]) }
            isReplacement = try delete(id) != nil
        }
        var remembered: [PlacementRecord] = []
        if case (.absent(let placements), _) = try tables.load(id, index, settings) {
            remembered = placements
        }
        let stored = document.stored.adopted(
            epoch: StoreLosses.newEpoch(), remembered: remembered, at: now, settings: settings)
        let slot = StoreSlot(id: id, key: nextKey, number: 1, isInTables: false)
        nextKey += 1
        _ = try tables.add(slot, epoch: stored.epoch, owner: stored.owner)
        census.sessions += 1
        census.remains -= try tables.forgetPlacements(of: id)
        let seq = try addMark(of: slot.key, number: slot.number)
        try tables.put(
            stored, slot, chain: RowChecksum.chainStart(of: slot.key), through: seq)
        // Age counts from here: what was kept elsewhere for long is not deleted at once.
        try tables.setIdle(slot.key, since: now, isVacant: stored.viewing.isVacant)
        return Adoption(
            id: id, epoch: stored.epoch, revision: stored.revision, merged: remembered.count,
            isReplacement: isReplacement)
    }
}
