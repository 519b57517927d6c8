internal import Coordinator
internal import Security

/// Reads and writes the rows of the database; used by one thread at a time.
final class StoreTables {
    let database: SQLiteDatabase
    private let key: SealingKey

    private let begin, beginRead, commit, rollback: SQLiteStatement
    private let addSession, addEntry, putSnapshot, setIdleness: SQLiteStatement
    private let addWindow, cutWindow, putRequest, cutRequests: SQLiteStatement
    private let dropSession, dropSnapshot, dropWindow, dropRequests: SQLiteStatement
    private let putRemains, dropRemains, cutRemains, getRemains: SQLiteStatement
    private let getSession, getWindows, getRequests, getEntry, getIdle: SQLiteStatement
    private let trimJournal, putMeta, getMeta: SQLiteStatement

    init(_ database: SQLiteDatabase, key: SealingKey) throws(SQLiteError) {
        self.database = database
        self.key = key
        begin = try database.prepare("BEGIN IMMEDIATE")
        beginRead = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        rollback = try database.prepare("ROLLBACK")
        addSession = try database.prepare(
            """
            INSERT INTO session(key, id, epoch) VALUES(?1, ?2, ?3) ON CONFLICT(key) DO NOTHING
            """)
        addEntry = try database.prepare(
            """
            INSERT INTO journal(seq, session, number, revision, publication, memory, answer)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        putSnapshot = try database.prepare(
            """
            INSERT INTO snapshot(session, number, revision, body) VALUES(?1, ?2, ?3, ?4)
            ON CONFLICT(session) DO UPDATE SET
            number = excluded.number, revision = excluded.revision, body = excluded.body
            """)
        setIdleness = try database.prepare("UPDATE session SET idle_since = ?2 WHERE key = ?1")
        addWindow = try database.prepare(
            "INSERT OR REPLACE INTO window(session, last, lines) VALUES(?1, ?2, ?3)")
        cutWindow = try database.prepare("DELETE FROM window WHERE session = ?1 AND last < ?2")
        putRequest = try database.prepare(
            "INSERT OR REPLACE INTO request(session, device, stamp, answers) VALUES(?1, ?2, ?3, ?4)"
        )
        cutRequests = try database.prepare("DELETE FROM request WHERE session = ?1 AND stamp < ?2")
        dropSession = try database.prepare("DELETE FROM session WHERE key = ?1")
        dropSnapshot = try database.prepare("DELETE FROM snapshot WHERE session = ?1")
        dropWindow = try database.prepare("DELETE FROM window WHERE session = ?1")
        dropRequests = try database.prepare("DELETE FROM request WHERE session = ?1")
        putRemains = try database.prepare(
            "INSERT OR REPLACE INTO remains(id, deleted_at, placements) VALUES(?1, ?2, ?3)")
        dropRemains = try database.prepare("DELETE FROM remains WHERE id = ?1")
        cutRemains = try database.prepare("DELETE FROM remains WHERE deleted_at < ?1")
        getRemains = try database.prepare("SELECT placements FROM remains WHERE id = ?1")
        getSession = try database.prepare(
            """
            SELECT session.key, epoch, number, revision, body FROM session
            LEFT JOIN snapshot ON snapshot.session = session.key WHERE id = ?1
            """)
        getWindows = try database.prepare(
            "SELECT last, lines FROM window WHERE session = ?1 ORDER BY last")
        getRequests = try database.prepare(
            "SELECT device, stamp, answers FROM request WHERE session = ?1")
        getEntry = try database.prepare(
            "SELECT session, revision, publication, memory, answer FROM journal WHERE seq = ?1")
        getIdle = try database.prepare(
            "SELECT id FROM session WHERE idle_since < ?1 ORDER BY idle_since LIMIT ?2")
        trimJournal = try database.prepare("DELETE FROM journal WHERE seq < ?1")
        putMeta = try database.prepare(
            "INSERT OR REPLACE INTO meta(name, value) VALUES(?1, ?2)")
        getMeta = try database.prepare("SELECT value FROM meta WHERE name = ?1")
    }

    /// The tables of a database whose secrets `key` opens.
    ///
    /// - Throws: ``StoreFault`` when they were sealed with another one.
    convenience init(checked database: SQLiteDatabase, key: SealingKey) throws(StoreFault) {
        let sealedWith: String?
        do throws(SQLiteError) {
            try self.init(database, key: key)
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

    /// Ends a transaction that failed; some errors have ended it already.
    func rollbackTransaction() {
        guard database.isInTransaction else { return }
        // A failed rollback leaves the transaction open, and the next beginning says so.
        try? rollback.run()
    }

    /// Adds a session; false when it is there.
    func add(_ slot: StoreSlot, epoch: String) throws(SQLiteError) -> Bool {
        addSession.bind(1, slot.key)
        addSession.bind(2, slot.id.description)
        addSession.bind(3, epoch)
        try addSession.run()
        return database.changes > 0
    }

    func add(_ entry: JournalEntry, seq: Int64, _ slot: StoreSlot) throws(SQLiteError) {
        addEntry.bind(1, seq)
        addEntry.bind(2, slot.key)
        addEntry.bind(3, slot.number)
        addEntry.bind(4, entry.revision)
        addEntry.bind(6, entry.memory)
        addEntry.bind(7, entry.answer)
        try addEntry.run(5, entry.publication)
    }

    /// Writes what changed in a session since its snapshot before.
    func put(_ stored: StoredSession, _ slot: StoreSlot) throws(SQLiteError) {
        let snapshot = SessionSnapshot(stored, vault(of: slot.id))
        putSnapshot.bind(1, slot.key)
        putSnapshot.bind(2, slot.number)
        putSnapshot.bind(3, snapshot.revision)
        try putSnapshot.run(4, snapshot.body)
        cutWindow.bind(1, slot.key)
        cutWindow.bind(2, snapshot.windowIsWhole ? .max : Int64(snapshot.windowStart))
        try cutWindow.run()
        if !snapshot.window.isEmpty {
            addWindow.bind(1, slot.key)
            addWindow.bind(2, snapshot.revision)
            try addWindow.run(3, snapshot.window)
        }
        for device in snapshot.devices {
            putRequest.bind(1, slot.key)
            putRequest.bind(2, device.name)
            putRequest.bind(3, device.stamp)
            try putRequest.run(4, device.body)
        }
        cutRequests.bind(1, slot.key)
        cutRequests.bind(2, Int64(clamping: snapshot.firstStamp))
        try cutRequests.run()
    }

    /// Sessions of a run that ended are idle: those that say so nowhere, and those that changed.
    func setIdle(_ changed: some Collection<Int64>, since now: Instant) throws(SQLiteError) {
        try database.execute(
            "UPDATE session SET idle_since = \(now.milliseconds) WHERE idle_since IS NULL")
        for session in changed {
            setIdleness.bind(1, session)
            setIdleness.bind(2, now.milliseconds)
            try setIdleness.run()
        }
    }

    func setIdle(_ slot: StoreSlot, since: Instant?) throws(SQLiteError) {
        setIdleness.bind(1, slot.key)
        setIdleness.bind(2, since?.milliseconds)
        try setIdleness.run()
    }

    /// Deletes a session; gives how many there were.
    func delete(_ key: Int64) throws(SQLiteError) -> Int {
        for statement in [dropSnapshot, dropWindow, dropRequests, dropSession] {
            statement.bind(1, key)
            try statement.run()
        }
        return Int(database.changes)
    }

    /// Remembers the placements of a deleted session; gives whether there were any, as a number.
    func remember(
        _ placements: [PlacementRecord], of id: SessionID, deletedAt now: Instant
    ) throws(SQLiteError) -> Int {
        guard !placements.isEmpty else { return 0 }
        putRemains.bind(1, id.description)
        putRemains.bind(2, now.milliseconds)
        try putRemains.run(3, JSONWriter.bytes(of: .array(placements.map(\.stored))))
        return 1
    }

    /// Forgets the placements of a deleted session; gives whether there were any, as a number.
    func forgetPlacements(of id: SessionID) throws(SQLiteError) -> Int {
        dropRemains.bind(1, id.description)
        try dropRemains.run()
        return Int(database.changes)
    }

    /// Forgets the placements of sessions deleted before `limit`; gives the number of sessions.
    func forgetPlacements(deletedBefore limit: Instant) throws(SQLiteError) -> Int {
        cutRemains.bind(1, limit.milliseconds)
        try cutRemains.run()
        return Int(database.changes)
    }

    func trim(before seq: Int64) throws(SQLiteError) {
        trimJournal.bind(1, seq)
        try trimJournal.run()
        try setMeta("trimmed", "\(seq)")
    }

    func setMeta(_ name: String, _ value: String) throws(SQLiteError) {
        putMeta.bind(1, name)
        putMeta.bind(2, value)
        try putMeta.run()
    }

    func meta(_ name: String) throws(SQLiteError) -> String? {
        getMeta.bind(1, name)
        defer { getMeta.reset() }
        return try getMeta.step() ? getMeta.text(0) : nil
    }

    /// Whether revisions may be missing that the run before has shown to somebody.
    var mayLackRevisions: Bool {
        get throws(SQLiteError) {
            guard try meta("durability") == StoreDurability.memory.rawValue else { return false }
            return try meta("stopped") != "cleanly"
        }
    }
}

extension StoreTables {
    /// Sessions that had no activation since before `limit`, the oldest first.
    func idle(before limit: Instant, count: Int) throws(SQLiteError) -> [SessionID] {
        getIdle.bind(1, limit.milliseconds)
        getIdle.bind(2, Int64(count))
        var found: [SessionID] = []
        while try getIdle.step() {
            if let id = SessionID(getIdle.text(0)) { found.append(id) }
        }
        return found
    }

    /// What is known of a session; damage is told as a failure that names it.
    func load(
        _ id: SessionID, _ index: JournalIndex, _ settings: SessionSettings
    ) throws(SQLiteError) -> (LoadedSession, StoreSlot?) {
        do {
            guard let (slot, record) = try record(of: id, index) else {
                return (.absent(placements: try remains(of: id)), nil)
            }
            return (.stored(try record.decode(vault(of: id), settings: settings)), slot)
        } catch let fault as StorageFault {
            return (.damaged("\(fault)"), nil)
        } catch let error as SQLiteError {
            throw error
        } catch {
            return (.damaged("it cannot be read"), nil)
        }
    }

    /// All that is there of a session, not yet understood; nil when there is no such session.
    ///
    /// - Throws: ``StorageFault`` for a commit that is missing, ``SQLiteError``.
    func record(
        of id: SessionID, _ index: JournalIndex
    ) throws -> (slot: StoreSlot, record: SessionRecord)? {
        guard var (slot, record) = try snapshot(of: id) else { return nil }
        guard let run = index[slot.key] else { return (slot, record) }
        guard run.first == slot.number + 1 else {
            throw StorageFault("commit \(slot.number + 1) is missing", at: ["journal"])
        }
        for seq in run.seqs {
            guard let entry = try entry(seq, of: slot.key) else {
                throw StorageFault("it is missing", at: ["journal", "\(seq)"])
            }
            record.journal.append(entry)
        }
        slot.number = run.last
        return (slot, record)
    }

    /// The placements that are remembered of a deleted session.
    private func remains(of id: SessionID) throws -> [PlacementRecord] {
        getRemains.bind(1, id.description)
        guard try getRemains.step() else { return [] }
        let text = getRemains.bytes(0)
        getRemains.reset()
        guard let records = try? JSONParser.parse(text.span).root.array else {
            throw StorageFault("an array is expected", at: ["remains"])
        }
        return try records.map { try PlacementRecord(stored: $0) }
    }

    /// The snapshot of a session and its place; nil when there is no such session.
    private func snapshot(
        of id: SessionID
    ) throws -> (slot: StoreSlot, record: SessionRecord)? {
        getSession.bind(1, id.description)
        guard try getSession.step() else { return nil }
        guard !getSession.isNull(2) else {
            getSession.reset()
            throw StorageFault("there is no snapshot")
        }
        let slot = StoreSlot(
            id: id, key: getSession.integer(0), number: getSession.integer(2), isInTables: true)
        var record = SessionRecord(
            epoch: getSession.text(1), revision: getSession.unsigned(3), body: getSession.bytes(4))
        getSession.reset()
        getWindows.bind(1, slot.key)
        while try getWindows.step() {
            record.windows.append(
                SessionRecord.Window(last: getWindows.unsigned(0), text: getWindows.bytes(1)))
        }
        getRequests.bind(1, slot.key)
        while try getRequests.step() {
            record.devices.append(
                SessionSnapshot.Device(
                    name: getRequests.text(0), stamp: getRequests.unsigned(1),
                    body: getRequests.bytes(2)))
        }
        return (slot, record)
    }

    /// A commit of a session; nil when the journal has another one's at this place, or none.
    private func entry(_ seq: Int64, of session: Int64) throws(SQLiteError) -> JournalEntry? {
        getEntry.bind(1, seq)
        defer { getEntry.reset() }
        guard try getEntry.step(), getEntry.integer(0) == session else { return nil }
        return JournalEntry(
            revision: getEntry.unsigned(1), publication: getEntry.optionalBytes(2),
            memory: getEntry.optionalBytes(3), answer: getEntry.optionalBytes(4))
    }
}
