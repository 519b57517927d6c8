internal import Coordinator

/// A new database that gets the rows of a damaged one.
struct RowCopy {
    /// How many there are of a table.
    struct Count {
        var table: String
        var count: Int
    }

    /// What was copied.
    struct Tally {
        var saved: [Count] = []
        /// Places that cannot be read.
        var unreadable: [Count] = []
        /// Whether there was nothing to copy from.
        var isEmpty = false
    }

    private let target: SQLiteDatabase
    private var tally = Tally()
    /// Rows that one walk may meet.
    private var rowLimit = 0
    /// Rows that a page can have at most, about: each takes four bytes and more.
    private static let pageRows = 1024

    /// Makes the database at `path`, in one file, with everything that `source` gives.
    static func make(
        _ path: String, _ source: () -> SQLiteDatabase?
    ) throws(SQLiteError) -> Tally {
        var copy = try RowCopy(path)
        try copy.fill(source)
        return copy.tally
    }

    private init(_ path: String) throws(SQLiteError) {
        target = try SQLiteDatabase(path: path, access: .create)
        try StoreSchema.configure(target)
        try target.execute("BEGIN IMMEDIATE")
        try StoreSchema.create(in: target)
        try target.execute("COMMIT")
        try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private mutating func fill(_ source: () -> SQLiteDatabase?) throws(SQLiteError) {
        guard let source = source() else { return tally.isEmpty = true }
        let pages = (try? source.number("PRAGMA page_count")) ?? 0
        rowLimit = (Int(pages) + 1) * Self.pageRows
        // Without checksums: an older one, which is brought up to date afterwards.
        let isOlder = (try? source.prepare("SELECT crc FROM snapshot")) == nil
        if isOlder { try makeOlder() }
        try target.execute("BEGIN IMMEDIATE")
        for table in ["session", "snapshot"] { copyRows(table, key: Self.keys[table], source) }
        copyRows("journal", key: "seq", source)
        copyRows("meta", ordered: "name", source)
        copyRows("remains", ordered: "id", source)
        if !isOlder {
            copyRows("quarantine", key: "rowid", source)
            copyIDs(source)
        }
        try copyParts(source)
        if !isOlder { try nameOrphans() }
        try target.execute("COMMIT")
        try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func makeOlder() throws(SQLiteError) {
        try target.execute("BEGIN IMMEDIATE")
        for table in [
            "meta", "session", "snapshot", "window", "request", "journal", "remains", "quarantine",
        ] {
            try target.execute("DROP TABLE \(table)")
        }
        try target.execute(StoreMigration.oldTables)
        try target.execute("PRAGMA user_version = 1")
        try target.execute("COMMIT")
    }

    private static let keys = ["session": "key", "snapshot": "session"]

    private mutating func count(_ table: String, saved: Int, unreadable: Int) {
        tally.saved.append(Count(table: table, count: saved))
        if unreadable > 0 {
            tally.unreadable.append(Count(table: table, count: unreadable))
        }
    }
}

extension RowCopy {
    /// Copies a table by its row numbers, up to where that fails, down from its end, and around
    /// what lies between.
    private mutating func copyRows(_ table: String, key: String?, _ source: SQLiteDatabase) {
        guard let key, var walk = RowWalk(table, key: key, from: source, to: target) else {
            return count(table, saved: 0, unreadable: 1)
        }
        walk.run()
        count(table, saved: walk.copied, unreadable: walk.unreadable)
    }

    /// The next row of a walk; an error after more rows than there can be, for damaged pages may lead
    /// in circles.
    private func hasNext(
        _ rows: SQLiteStatement, _ met: inout Int
    ) throws(SQLiteError) -> Bool {
        met += 1
        guard met <= rowLimit else {
            rows.reset()
            // SQLITE_CORRUPT
            throw SQLiteError(code: 11, action: "copy rows", message: StoreVerification.circles)
        }
        return try rows.step()
    }

    /// Copies a small table in its order and against it.
    private mutating func copyRows(
        _ table: String, ordered column: String, _ source: SQLiteDatabase
    ) {
        var (copied, isWhole) = (0, false)
        for order in ["", " DESC"] where !isWhole {
            let sql = "SELECT * FROM \(table) ORDER BY \(column)\(order)"
            guard let rows = try? source.prepare(sql), let put = Self.inserter(table, of: target)
            else { continue }
            var met = 0
            do throws(SQLiteError) {
                while try hasNext(rows, &met) { copied += Self.copy(rows, put, of: target) }
                isWhole = true
            } catch {
                continue
            }
        }
        count(table, saved: copied, unreadable: isWhole ? 0 : 1)
    }

    /// Sessions whose rows are lost, but not their ids: they are named.
    private mutating func copyIDs(_ source: SQLiteDatabase) {
        guard
            let put = try? target.prepare(
                "INSERT OR IGNORE INTO session VALUES(?1, ?2, '', NULL, NULL, ?3, 0, 0, 0, NULL)")
        else { return }
        for order in ["", " DESC"] {
            guard
                let ids = try? source.prepare(
                    """
                    SELECT key, id FROM session INDEXED BY sqlite_autoindex_session_1
                    ORDER BY id\(order)
                    """)
            else { continue }
            var met = 0
            while (try? hasNext(ids, &met)) == true {
                put.bind(1, ids.integer(0))
                put.bind(2, ids.bytes(1) as [UInt8]?)
                put.bind(3, RowChecksum.hash(ofID: ids.bytes(1)))
                try? put.run()
            }
        }
    }

    /// Copies what belongs to the sessions that are known, one after the other.
    private mutating func copyParts(_ source: SQLiteDatabase) throws(SQLiteError) {
        let keys = try target.prepare(
            "SELECT key FROM session UNION SELECT session FROM snapshot")
        var known: [Int64] = []
        while try keys.step() { known.append(keys.integer(0)) }
        for (table, column) in [("window", "last"), ("request", "device")] {
            let sql = "SELECT * FROM \(table) WHERE session = ?1 ORDER BY \(column)"
            guard let up = try? source.prepare(sql), let down = try? source.prepare(sql + " DESC"),
                let put = Self.inserter(table, of: target)
            else {
                count(table, saved: 0, unreadable: 1)
                continue
            }
            var (copied, unreadable) = (0, 0)
            for key in known {
                var isWhole = false
                for rows in [up, down] where !isWhole {
                    rows.bind(1, key)
                    var met = 0
                    do throws(SQLiteError) {
                        while try hasNext(rows, &met) { copied += Self.copy(rows, put, of: target) }
                        isWhole = true
                    } catch {
                        continue
                    }
                }
                if !isWhole { unreadable += 1 }
            }
            count(table, saved: copied, unreadable: unreadable)
        }
    }

    /// A session of which only the snapshot is left has no id; it is listed under a name that no
    /// session can have.
    private func nameOrphans() throws(SQLiteError) {
        try target.execute(
            """
            INSERT OR IGNORE INTO session
            SELECT session, 'lost session ' || session, '', NULL, NULL, 0, 0, 0, 0,
            NULL FROM snapshot
            WHERE session NOT IN (SELECT key FROM session)
            """)
    }

    /// A statement that adds a row to a table, with a parameter for each column.
    static func inserter(_ table: String, of target: SQLiteDatabase) -> SQLiteStatement? {
        guard let count = try? target.number("SELECT count(*) FROM pragma_table_info('\(table)')")
        else { return nil }
        let places = (1...max(1, count)).map { "?\($0)" }.joined(separator: ", ")
        return try? target.prepare("INSERT OR IGNORE INTO \(table) VALUES(\(places))")
    }

    /// Copies the present row; gives whether it was taken, as a number.
    static func copy(
        _ row: SQLiteStatement, _ put: SQLiteStatement, from first: Int32 = 0,
        of target: SQLiteDatabase
    ) -> Int {
        put.bindColumns(of: row, from: first)
        // One whose values have other kinds than the columns is none.
        guard (try? put.run()) != nil else { return 0 }
        return Int(target.changes)
    }
}
