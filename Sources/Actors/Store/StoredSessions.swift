package import Coordinator
package import Security

/// Reads the sessions in a database that no daemon uses, and changes nothing.
///
/// For one thread at a time.
package final class StoredSessions {
    private let tables: StoreTables
    private let index: JournalIndex
    private let settings: SessionSettings
    private let getPage, getExtent, getIdleness: SQLiteStatement

    /// Whether the next daemon gives the sessions new epochs, since the last one may have lost what
    /// it acknowledged.
    package let awaitsNewEpochs: Bool

    /// Whether commits are missing; sessions that may have had them get new epochs.
    package let lacksCommits: Bool

    /// Opens the database at `path`, whose secrets were sealed with `key`.
    ///
    /// `settings` bound what is taken over from a session, as they do in a daemon.
    ///
    /// - Throws: ``StoreFault`` when the database is not one that can be used.
    package init(
        path: String, key: SealingKey, settings: SessionSettings
    ) throws(StoreFault) {
        let database: SQLiteDatabase
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path: path, access: .inspect)
        } catch {
            throw .database(error)
        }
        try StoreSchema.check(database)
        tables = try StoreTables(checked: database, key: key)
        self.settings = settings
        do throws(SQLiteError) {
            let isEmpty = try database.number("SELECT count(*) FROM session") == 0
            let facts = try StoredFacts(tables, isEmpty: isEmpty)
            let scan = try JournalScan(database, from: facts.trimmed)
            index = scan.index
            awaitsNewEpochs = facts.mayLackRevisions
            lacksCommits = !scan.holes.isEmpty || !facts.areWhole
            getPage = try database.prepare(
                "SELECT id, idle_since FROM session WHERE id > ?1 ORDER BY id LIMIT ?2")
            getExtent = try database.prepare(
                """
                SELECT count(*), max(length(id)) FROM
                (SELECT id FROM session WHERE id > ?1 ORDER BY id LIMIT ?2)
                """)
            getIdleness = try database.prepare("SELECT idle_since FROM session WHERE id = ?1")
        } catch {
            throw .database(error)
        }
    }

    /// How many sessions come after `id` in order of their ids, `limit` at most, and how long the
    /// longest of their ids is.
    package func extent(
        after id: String, limit: Int
    ) throws(SQLiteError) -> (count: Int, longestID: Int) {
        getExtent.bind(1, id)
        getExtent.bind(2, Int64(limit))
        defer { getExtent.reset() }
        guard try getExtent.step() else { return (0, 0) }
        return (Int(getExtent.integer(0)), Int(getExtent.integer(1)))
    }

    /// The next sessions after `id` in order of their ids, `limit` at most.
    ///
    /// One that cannot be read is there with its fault.
    package func page(after id: String, limit: Int) throws(SQLiteError) -> [FoundSession] {
        getPage.bind(1, id)
        getPage.bind(2, Int64(limit))
        var rows: [(id: String, idleSince: Instant?)] = []
        while try getPage.step() { rows.append((getPage.text(0), Self.instant(getPage, 1))) }
        return rows.map { row in
            guard let id = SessionID(row.id) else {
                return FoundSession(
                    id: row.id, idleSince: row.idleSince,
                    content: .damaged("the id is not one of a session"))
            }
            return read(id, idleSince: row.idleSince)
        }
    }

    /// A session; nil when there is none of this id.
    package func session(_ id: SessionID) throws(SQLiteError) -> FoundSession? {
        getIdleness.bind(1, id.description)
        defer { getIdleness.reset() }
        guard try getIdleness.step() else { return nil }
        return read(id, idleSince: Self.instant(getIdleness, 0))
    }

    /// Whether there is a session of this id, damaged or not.
    package func has(_ id: SessionID) throws(SQLiteError) -> Bool {
        getIdleness.bind(1, id.description)
        defer { getIdleness.reset() }
        return try getIdleness.step()
    }

    private func read(_ id: SessionID, idleSince: Instant?) -> FoundSession {
        var found = FoundSession(
            id: id.description, idleSince: idleSince, content: .damaged("there is no snapshot"))
        do {
            guard let (_, record) = try tables.record(of: id, index) else { return found }
            found.bytes = record.byteCount
            found.content = .stored(try record.decode(tables.vault(of: id), settings: settings))
        } catch {
            // A fault of a stored document or of the database; neither tells a stored value.
            found.content = .damaged("\(error)")
        }
        return found
    }

    private static func instant(_ row: SQLiteStatement, _ column: Int32) -> Instant? {
        row.isNull(column) ? nil : Instant(milliseconds: row.integer(column))
    }
}
