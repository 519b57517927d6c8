internal import Coordinator
internal import Security

/// Reads and writes the rows of the database; used by one thread at a time.
final class StoreTables {
    let database: SQLiteDatabase
    let key: SealingKey
    /// Whether pages of the file were found to be damaged.
    var hasDamagedPages = false

    private let begin, beginRead, commit, rollback: SQLiteStatement
    private let putMeta, getMeta: SQLiteStatement
    let addSession, addEntry, putSnapshot, setIdleness, setParts: SQLiteStatement
    let addWindow, cutWindow, putRequest, cutRequests, sumParts: SQLiteStatement
    let dropSession, dropSnapshot, dropWindow, dropRequests: SQLiteStatement
    let putRemains, dropRemains, cutRemains, getRemains: SQLiteStatement
    let getSession, getTwin, getSnapshot, getWindows, getRequests: SQLiteStatement
    let getEntry, getIdle, getNext, getChain, trimJournal, countOwned, getOwner: SQLiteStatement
    let getIDs: SQLiteStatement

    /// What each window and each request row adds to its session's `parts` besides its checksum,
    /// so that their number counts too.
    static let partWeight: Int64 = 1 << 40
    /// What the disk must take for it not to be full.
    private static let roomBytes = 65_536

    init(_ database: SQLiteDatabase, key: SealingKey) throws(SQLiteError) {
        self.database = database
        self.key = key
        begin = try database.prepare("BEGIN IMMEDIATE")
        beginRead = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        rollback = try database.prepare("ROLLBACK")
        putMeta = try database.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2, ?3)")
        getMeta = try database.prepare("SELECT value, crc FROM meta WHERE name = ?1")
        addSession = try database.prepare(
            """
            INSERT INTO session(key, id, epoch, hash, parts, crc, vacant, owner)
            VALUES(?1, ?2, ?3, ?4, 0, 0, 1, ?5) ON CONFLICT(key) DO NOTHING
            """)
        addEntry = try database.prepare(
            """
            INSERT INTO journal(
            seq, session, number, revision, place, chain, memory, answer, publication)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        putSnapshot = try database.prepare(
            "INSERT OR REPLACE INTO snapshot VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        setIdleness = try database.prepare(
            """
            UPDATE session SET idle_since = ?2, idle_crc = ?3, vacant = ?4 WHERE key = ?1
            """)
        setParts = try database.prepare(
            "UPDATE session SET epoch = ?2, parts = ?3, crc = ?4 WHERE key = ?1")
        addWindow = try database.prepare("INSERT OR REPLACE INTO window VALUES(?1, ?2, ?3, ?4)")
        cutWindow = try database.prepare("DELETE FROM window WHERE session = ?1 AND last < ?2")
        putRequest = try database.prepare(
            "INSERT OR REPLACE INTO request VALUES(?1, ?2, ?3, ?4, ?5)")
        cutRequests = try database.prepare("DELETE FROM request WHERE session = ?1 AND stamp < ?2")
        sumParts = try database.prepare(
            """
            SELECT (SELECT ifnull(sum(crc + \(Self.partWeight)), 0) FROM window
            WHERE session = ?1) + (SELECT ifnull(sum(crc + \(Self.partWeight)), 0) FROM request
            WHERE session = ?1)
            """)
        dropSession = try database.prepare("DELETE FROM session WHERE key = ?1")
        dropSnapshot = try database.prepare("DELETE FROM snapshot WHERE session = ?1")
        dropWindow = try database.prepare("DELETE FROM window WHERE session = ?1")
        dropRequests = try database.prepare("DELETE FROM request WHERE session = ?1")
        putRemains = try database.prepare("INSERT OR REPLACE INTO remains VALUES(?1, ?2, ?3, ?4)")
        dropRemains = try database.prepare("DELETE FROM remains WHERE id = ?1")
        cutRemains = try database.prepare(
            """
            DELETE FROM remains WHERE id IN (
            SELECT id FROM remains WHERE deleted_at < ?1 ORDER BY deleted_at LIMIT ?2)
            """)
        getRemains = try database.prepare(
            "SELECT id, deleted_at, crc, placements FROM remains WHERE id = ?1")
        getSession = try database.prepare(
            "SELECT key, id, epoch, parts, crc, owner FROM session WHERE id = ?1")
        getTwin = try database.prepare(
            "SELECT key, id FROM session INDEXED BY session_by_hash WHERE hash = ?1")
        getSnapshot = try database.prepare(
            """
            SELECT number, revision, chain, through, crc, body FROM snapshot WHERE session = ?1
            """)
        getWindows = try database.prepare(
            "SELECT last, crc, lines FROM window WHERE session = ?1 ORDER BY last")
        getRequests = try database.prepare(
            "SELECT device, stamp, crc, answers FROM request WHERE session = ?1")
        getEntry = try database.prepare(
            """
            SELECT session, number, revision, place, chain, publication, memory, answer
            FROM journal WHERE seq = ?1
            """)
        getChain = try database.prepare("SELECT number, chain FROM snapshot WHERE session = ?1")
        getIdle = try database.prepare(
            """
            SELECT id, idle_since, idle_crc, key FROM session
            WHERE vacant = ?1 AND idle_since < ?2 AND (idle_since, key) > (?3, ?4)
            ORDER BY idle_since, key LIMIT ?5
            """)
        getNext = try database.prepare(
            "SELECT key, id FROM session WHERE key > ?1 ORDER BY key LIMIT ?2")
        getIDs = try database.prepare(
            "SELECT id FROM session WHERE id > ?1 ORDER BY id LIMIT ?2")
        countOwned = try database.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM session WHERE owner = ?1 LIMIT ?2)")
        getOwner = try database.prepare("SELECT owner FROM session WHERE key = ?1")
        trimJournal = try database.prepare("DELETE FROM journal WHERE seq < ?1")
        // Not used as it is; but where it cannot be, nothing damaged could be kept.
        _ = try database.prepare(
            "INSERT INTO quarantine VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
    }

    /// The tables of a database whose secrets `key` opens.
    ///
    /// - Throws: ``StoreFault`` when they were sealed with another one.
    convenience init(checked database: SQLiteDatabase, key: SealingKey) throws(StoreFault) {
        let sealedWith: String?
        do throws(SQLiteError) {
            try self.init(database, key: key)
            // One that is damaged says nothing: what is sealed with another key does not open.
            sealedWith = try meta("key")
        } catch {
            throw .database(error)
        }
        guard sealedWith == nil || sealedWith == key.fingerprint else {
            throw .otherKey(sealedWith: sealedWith ?? "", given: key.fingerprint)
        }
    }

    func vault(of session: SessionID) -> Vault {
        Vault(key: key, context: session.description)
    }
}

extension StoreTables {
    func beginTransaction() throws(SQLiteError) { try begin.run() }

    func commitTransaction() throws(SQLiteError) { try commit.run() }

    /// Runs `body`, which only reads, in one transaction, so that locks are taken once.
    func reading<Result>(_ body: () -> Result) -> Result {
        // Without it each statement has its own. One that a failed rollback left open is not ours.
        guard (try? beginRead.run()) != nil else { return body() }
        defer { rollbackTransaction() }
        return body()
    }

    /// Writes over what a failed commit may have left in the write-ahead log.
    ///
    /// When the disk refuses to sync, the transaction's frames are in the log all the same, and a
    /// crash would bring them back although everybody was told that they failed.
    func overwriteFailed(_ count: UInt64) throws(SQLiteError) {
        try beginTransaction()
        try noteFailures(count)
        try commitTransaction()
    }

    /// Notes how many transactions of this run failed; it always writes something.
    func noteFailures(_ count: UInt64) throws(SQLiteError) {
        try setMeta("failures", "\(count)")
    }

    /// Whether the disk takes more than a page or two, which after a failure for want of room a
    /// small transaction does not show.
    func hasRoom() -> Bool {
        do throws(SQLiteError) {
            try beginTransaction()
            try setMeta("room", String(repeating: "0", count: Self.roomBytes))
            try commitTransaction()
            try database.execute("DELETE FROM meta WHERE name = 'room'")
            return true
        } catch {
            rollbackTransaction()
            return false
        }
    }

    /// Ends a transaction that failed; some errors have ended it already.
    func rollbackTransaction() {
        guard database.isInTransaction else { return }
        // A failed rollback leaves the transaction open, and the next beginning says so.
        try? rollback.run()
    }

    func trim(before seq: Int64) throws(SQLiteError) {
        trimJournal.bind(1, seq)
        try trimJournal.run()
        try setMeta("trimmed", "\(seq)")
    }
}

extension StoreTables {
    func setMeta(_ name: String, _ value: String) throws(SQLiteError) {
        putMeta.bind(1, name)
        putMeta.bind(2, value)
        putMeta.bind(3, RowChecksum.meta(name, Array(value.utf8)))
        try putMeta.run()
    }

    /// What was noted under a name; nil also for a note that is not as it was written.
    func meta(_ name: String) throws(SQLiteError) -> String? {
        getMeta.bind(1, name)
        defer { getMeta.reset() }
        guard try getMeta.step(),
            getMeta.integer(1) == RowChecksum.meta(name, getMeta.bytes(0))
        else { return nil }
        return getMeta.text(0)
    }

    /// Whether revisions may be missing that the run before has shown to somebody.
    var mayLackRevisions: Bool {
        get throws(SQLiteError) {
            guard try meta("durability") == StoreDurability.memory.rawValue else { return false }
            return try meta("stopped") != "cleanly"
        }
    }
}
