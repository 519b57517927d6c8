internal import Coordinator
internal import Security

/// A database that was opened, checked and scanned, ready for its writer.
struct OpenedStore {
    let tables: StoreTables
    private(set) var index = JournalIndex()
    private(set) var census = StoreCensus(sessions: 0, remains: 0, nextSeq: 1, trimmed: 0)
    /// The key in the tables of the next session.
    private(set) var nextKey: Int64 = 1
    /// Whether sessions got new epochs, since the run before may have lost what it acknowledged.
    private(set) var hasNewEpochs = false

    /// Opens or makes the database at `path`.
    ///
    /// `key` seals secrets and is the same one every time; `durability` is what an acknowledgement
    /// of this run promises.
    ///
    /// - Throws: ``StoreFault`` when the database is not one that can be used.
    init(
        path: String, key: SealingKey, durability: StoreDurability, now: Instant
    ) throws(StoreFault) {
        let database: SQLiteDatabase
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path: path, access: .create)
            try StoreSchema.configure(database)
        } catch {
            throw .database(error)
        }
        try StoreSchema.prepare(database)
        tables = try StoreTables(checked: database, key: key)
        do throws(SQLiteError) {
            try tables.beginTransaction()
            try begin(key, durability, now: now)
            try scan()
            // What was active when the server ended is idle from now on.
            try tables.setIdle(index.sessions, since: now)
            try tables.commitTransaction()
        } catch {
            tables.rollbackTransaction()
            throw .database(error)
        }
    }

    private mutating func begin(
        _ key: SealingKey, _ durability: StoreDurability, now: Instant
    ) throws(SQLiteError) {
        let database = tables.database
        try tables.setMeta("key", key.fingerprint)
        if try tables.meta("folder") == nil {
            // Names the folder wherever a copy of it goes.
            try tables.setMeta("folder", SHA256.hex(RandomBytes.make(32)))
        }
        if try tables.mayLackRevisions {
            // Revisions were seen that are not here: no device may recover over that gap.
            try database.execute("UPDATE session SET epoch = lower(hex(randomblob(8)))")
            hasNewEpochs = database.changes > 0
            try database.execute("DELETE FROM window")
        }
        try tables.setMeta("durability", durability.rawValue)
        try tables.setMeta("stopped", "not yet")
    }

    /// Counts what there is and finds the commits that no snapshot covers.
    private mutating func scan() throws(SQLiteError) {
        let database = tables.database
        census.sessions = Int(try database.number("SELECT count(*) FROM session") ?? 0)
        census.remains = Int(try database.number("SELECT count(*) FROM remains") ?? 0)
        census.trimmed = Int64(try tables.meta("trimmed") ?? "") ?? 0
        let newest = try database.number("SELECT max(seq) FROM journal") ?? 0
        census.nextSeq = max(newest + 1, census.trimmed, 1)
        nextKey =
            1
            + max(
                try database.number("SELECT max(key) FROM session") ?? 0,
                try database.number("SELECT max(session) FROM journal") ?? 0)
        index = try JournalIndex(scanning: database)
    }
}

/// What an acknowledgement promises (contract: protocol, configuration `durability`).
package enum StoreDurability: String, Sendable, CaseIterable {
    /// The change is on disk.
    case commit
    /// The change is in memory, and on disk after a clean stop.
    case memory
}
