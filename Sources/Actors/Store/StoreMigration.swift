internal import Coordinator

/// Brings the tables of version 1, which had no checksums, to this version.
///
/// In one transaction: a process that dies meanwhile leaves the old ones.
struct StoreMigration {
    private let database: SQLiteDatabase
    private let writer: RowWriter
    private var progress: StoreProgress
    /// The sessions' newest covered commits and the chain after the newest that was copied.
    private var covered: [Int64: Int64] = [:]
    private var chains: [Int64: Int64] = [:]
    private var newest: Int64 = 0

    /// The tables of version 1, into which a damaged file of that version is saved.
    static let oldTables = """
        CREATE TABLE meta(
            name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        CREATE TABLE session(
            key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL,
            idle_since INTEGER) STRICT;
        CREATE INDEX session_by_idleness ON session(idle_since) WHERE idle_since IS NOT NULL;
        CREATE TABLE snapshot(
            session INTEGER PRIMARY KEY, number INTEGER NOT NULL, revision INTEGER NOT NULL,
            body TEXT NOT NULL) STRICT;
        CREATE TABLE window(
            session INTEGER NOT NULL, last INTEGER NOT NULL, lines TEXT NOT NULL,
            PRIMARY KEY(session, last)) STRICT, WITHOUT ROWID;
        CREATE TABLE request(
            session INTEGER NOT NULL, device TEXT NOT NULL, stamp INTEGER NOT NULL,
            answers TEXT NOT NULL, PRIMARY KEY(session, device)) STRICT, WITHOUT ROWID;
        CREATE TABLE journal(
            seq INTEGER PRIMARY KEY, session INTEGER NOT NULL, number INTEGER NOT NULL,
            revision INTEGER NOT NULL, publication TEXT, memory TEXT, answer TEXT) STRICT;
        CREATE TABLE remains(
            id TEXT PRIMARY KEY, deleted_at INTEGER NOT NULL, placements TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
        CREATE INDEX remains_by_age ON remains(deleted_at);
        """

    private static let tables = [
        "meta", "session", "snapshot", "window", "request", "journal", "remains",
    ]

    static func run(
        _ database: SQLiteDatabase, progress: @Sendable (String) -> Void
    ) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try database.execute("DROP INDEX session_by_idleness; DROP INDEX remains_by_age")
            for table in tables {
                try database.execute("ALTER TABLE \(table) RENAME TO old_\(table)")
            }
            try StoreSchema.create(in: database)
            var migration = try StoreMigration(database)
            try migration.copy(progress)
            for table in tables { try database.execute("DROP TABLE old_\(table)") }
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    private init(_ database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        writer = try RowWriter(database)
        var total: Int64 = 0
        for table in ["session", "journal"] {
            total += try database.number("SELECT count(*) FROM old_\(table)") ?? 0
        }
        progress = StoreProgress("bringing the store to a newer version", total: Int(total))
    }

    private mutating func copy(_ tell: @Sendable (String) -> Void) throws(SQLiteError) {
        let meta = try database.prepare("SELECT name, value FROM old_meta WHERE name <> 'schema'")
        let put = try database.prepare("INSERT INTO meta VALUES(?1, ?2, ?3)")
        while try meta.step() {
            put.bind(1, meta.text(0))
            put.bind(2, meta.text(1))
            put.bind(3, RowChecksum.meta(meta.text(0), meta.bytes(1)))
            try put.run()
        }
        let snapshots = try database.prepare("SELECT session, number FROM old_snapshot")
        while try snapshots.step() { covered[snapshots.integer(0)] = snapshots.integer(1) }
        try copyJournal(tell)
        try copySessions(tell)
        let remains = try database.prepare("SELECT id, deleted_at, placements FROM old_remains")
        while try remains.step() {
            let crc = RowChecksum.remains(
                id: remains.bytes(0), deletedAt: remains.integer(1), placements: remains.bytes(2))
            try writer.addRemains(
                id: remains.bytes(0), deletedAt: remains.integer(1), crc: crc,
                placements: remains.bytes(2))
        }
    }

    private mutating func copyJournal(_ tell: @Sendable (String) -> Void) throws(SQLiteError) {
        let entries = try database.prepare(
            """
            SELECT seq, session, number, revision, publication, memory, answer
            FROM old_journal ORDER BY seq
            """)
        while try entries.step() {
            let row = JournalRow(
                seq: entries.integer(0), session: entries.integer(1), number: entries.integer(2),
                revision: entries.integer(3))
            let texts = [4, 5, 6].map { entries.optionalBytes($0) }
            let chain = RowChecksum.chain(
                after: chains[row.session] ?? RowChecksum.chainStart(of: row.session), row,
                publication: texts[0], memory: texts[1], answer: texts[2])
            // The snapshot's own chain begins with it.
            if let covered = covered[row.session], row.number > covered {
                chains[row.session] = chain
            }
            newest = row.seq
            try writer.add(row, place: RowChecksum.place(row), chain: chain, texts)
            progress.advance(tell)
        }
    }

    private mutating func copySessions(_ tell: @Sendable (String) -> Void) throws(SQLiteError) {
        let sessions = try database.prepare("SELECT key, id, epoch, idle_since FROM old_session")
        let snapshot = try database.prepare(
            "SELECT number, revision, body FROM old_snapshot WHERE session = ?1")
        while try sessions.step() {
            let key = sessions.integer(0)
            let parts = try copyWindows(of: key) + copyRequests(of: key)
            let idle = sessions.isNull(3) ? nil : sessions.integer(3)
            try writer.add(
                RowWriter.SessionRow(
                    key: key, id: sessions.bytes(1), epoch: sessions.bytes(2), idleSince: idle,
                    idleCRC: idle.map { RowChecksum.idleness($0, isVacant: false) }, parts: parts,
                    crc: RowChecksum.session(
                        key: key, id: sessions.bytes(1), epoch: sessions.bytes(2), parts: parts,
                        owner: nil)))
            snapshot.bind(1, key)
            if try snapshot.step() {
                let row = SnapshotRow(
                    session: key, number: snapshot.integer(0), revision: snapshot.integer(1),
                    chain: RowChecksum.chainStart(of: key),
                    through: chains[key] == nil ? newest : 0, body: snapshot.bytes(2))
                snapshot.reset()
                try writer.add(row, crc: RowChecksum.snapshot(row))
            }
            progress.advance(tell)
        }
    }

    private func copyWindows(of key: Int64) throws(SQLiteError) -> Int64 {
        let windows = try database.prepare(
            "SELECT last, lines FROM old_window WHERE session = \(key)")
        var parts: Int64 = 0
        while try windows.step() {
            let (last, lines) = (windows.integer(0), windows.bytes(1))
            let crc = RowChecksum.window(session: key, last: last, lines: lines)
            try writer.addWindow(key, last: last, crc: crc, lines: lines)
            parts += crc + StoreTables.partWeight
        }
        return parts
    }

    private func copyRequests(of key: Int64) throws(SQLiteError) -> Int64 {
        let requests = try database.prepare(
            "SELECT device, stamp, answers FROM old_request WHERE session = \(key)")
        var parts: Int64 = 0
        while try requests.step() {
            let (device, stamp) = (requests.bytes(0), requests.integer(1))
            let crc = RowChecksum.request(
                session: key, device: device, stamp: stamp, answers: requests.bytes(2))
            try writer.addRequest(
                key, device: device, stamp: stamp, crc: crc, answers: requests.bytes(2))
            parts += crc + StoreTables.partWeight
        }
        return parts
    }
}
