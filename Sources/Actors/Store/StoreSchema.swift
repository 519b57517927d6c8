/// The tables of a data folder's database and how it is opened.
///
/// The journal is one table that only grows at its end: no index, no key but the sequence number.
/// That is where the speed of a commit comes from (decision: storage).
enum StoreSchema {
    /// The layout that this version reads and writes, in the file as `user_version`.
    static let version: Int64 = 2
    /// Marks the file as coordd's, in the file as `application_id`: "cord".
    static let applicationID: Int64 = 0x636f_7264

    /// Another process may look in; it never writes, so this wait is short.
    static let patience = "PRAGMA busy_timeout = 5000"

    /// How the file is used; set before anything is read.
    ///
    /// With `logPages` in the write-ahead log they are copied into the database.
    static func configure(
        _ database: SQLiteDatabase, logPages: Int64 = 4000
    ) throws(SQLiteError) {
        try database.execute(patience)
        // Before anything is in the file: later it takes a VACUUM, and is a write.
        if try database.number("PRAGMA page_count") == 0 {
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        }
        for pragma in [
            "journal_mode = WAL",
            "synchronous = FULL",
            "wal_autocheckpoint = \(logPages)",
            "journal_size_limit = \(logPages * 16_384)",
            "cache_size = -65536",
            "temp_store = MEMORY",
            "foreign_keys = OFF",
        ] {
            try database.execute("PRAGMA \(pragma)")
        }
    }

    /// Makes the tables in an empty file, brings older ones up to this version, and checks the rest.
    ///
    /// `progress` hears what is done when it takes long.
    static func prepare(
        _ database: SQLiteDatabase, progress: @Sendable (String) -> Void
    ) throws(StoreFault) {
        do throws(SQLiteError) {
            let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
            let pages = try database.number("PRAGMA page_count") ?? 0
            if tables == 0, pages > 1 {
                // Made anew it would look like an empty folder.
                throw SQLiteError(code: 11, action: "read the schema", message: "it is empty")
            } else if tables == 0 {
                try database.execute("BEGIN IMMEDIATE")
                try create(in: database)
                try database.execute("COMMIT")
            } else if try isOlder(database) {
                try StoreMigration.run(database, progress: progress)
                try arrangeForShrinking(database, progress)
            }
        } catch {
            throw .database(error)
        }
        try check(database)
    }

    /// Has a file that was made without `auto_vacuum` give back space too, which copies all of it.
    ///
    /// When there is no room for the copy it stays as it is, and works.
    private static func arrangeForShrinking(
        _ database: SQLiteDatabase, _ progress: @Sendable (String) -> Void
    ) throws(SQLiteError) {
        progress("arranging the store anew")
        // The copy may be larger than what is in memory.
        try database.execute("PRAGMA temp_store = FILE; PRAGMA auto_vacuum = INCREMENTAL")
        do throws(SQLiteError) {
            try database.execute("VACUUM")
        } catch {
            if error.isDamage { throw error }
        }
        try database.execute("PRAGMA temp_store = MEMORY")
    }

    /// Makes the tables and marks the file, within a transaction.
    static func create(in database: SQLiteDatabase) throws(SQLiteError) {
        try database.execute(sql)
        let copy = "\(version)"
        try database.execute(
            """
            INSERT INTO meta VALUES(
            'schema', '\(copy)', \(RowChecksum.meta("schema", Array(copy.utf8))))
            """)
        try database.execute("PRAGMA application_id = \(applicationID)")
        try database.execute("PRAGMA user_version = \(version)")
    }

    private static func isOlder(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        guard try database.number("PRAGMA application_id") == applicationID else { return false }
        return try database.number("PRAGMA user_version") == 1
    }

    /// Checks that the file is one of this version.
    ///
    /// The version is in the file's header and in the tables: when the two differ, one is damaged.
    static func check(_ database: SQLiteDatabase) throws(StoreFault) {
        let application, found: Int64
        let copy: String?
        do throws(SQLiteError) {
            application = try database.number("PRAGMA application_id") ?? 0
            found = try database.number("PRAGMA user_version") ?? 0
            copy = try versionInTables(database, isOurs: application == applicationID)
        } catch {
            // The text of the tables in the file is not as it was written (SQLITE_ERROR).
            throw error.code == 1 ? .damaged(error.reason) : .database(error)
        }
        if application == applicationID, found == version { return }
        if copy == "\(version)", !isNewer(found) { throw .damaged("its version number is damaged") }
        guard application == applicationID else { throw .foreign }
        throw .version(found)
    }

    /// Whether a version number in the header, where the one in the tables is ours, was written so:
    /// not by a flipped bit, but for the lowest one, which makes the next version of it.
    private static func isNewer(_ found: Int64) -> Bool {
        found > version && (found == version + 1 || (found ^ version).nonzeroBitCount > 1)
    }

    private static func versionInTables(
        _ database: SQLiteDatabase, isOurs: Bool
    ) throws(SQLiteError) -> String? {
        let hasChecksums =
            try database.number(
                "SELECT count(*) FROM pragma_table_info('meta') WHERE name = 'crc'") ?? 0
        guard hasChecksums > 0 else { return nil }
        // Another program may have a table of this name with other columns.
        let columns =
            try database.number(
                "SELECT count(*) FROM pragma_table_info('meta') WHERE name IN ('name', 'value')")
        guard isOurs || columns == 2 else { return nil }
        let row = try database.prepare("SELECT value, crc FROM meta WHERE name = 'schema'")
        guard try row.step(), RowChecksum.meta("schema", row.bytes(0)) == row.integer(1) else {
            return nil
        }
        return row.text(0)
    }

    /// In this order: the page where each tree begins is the same in every file that was made whole.
    private static let sql = """
        CREATE TABLE meta(
            name TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
        CREATE TABLE session(
            key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL,
            idle_since INTEGER, idle_crc INTEGER, hash INTEGER NOT NULL,
            parts INTEGER NOT NULL, crc INTEGER NOT NULL, vacant INTEGER NOT NULL,
            owner TEXT) STRICT;
        CREATE INDEX session_by_hash ON session(hash);
        CREATE INDEX session_by_idleness ON session(vacant, idle_since);
        CREATE INDEX session_by_owner ON session(owner) WHERE owner IS NOT NULL;
        CREATE TABLE snapshot(
            session INTEGER PRIMARY KEY, number INTEGER NOT NULL, revision INTEGER NOT NULL,
            chain INTEGER NOT NULL, through INTEGER NOT NULL, crc INTEGER NOT NULL,
            body TEXT NOT NULL) STRICT;
        CREATE TABLE window(
            session INTEGER NOT NULL, last INTEGER NOT NULL, crc INTEGER NOT NULL,
            lines TEXT NOT NULL, PRIMARY KEY(session, last)) STRICT, WITHOUT ROWID;
        CREATE TABLE request(
            session INTEGER NOT NULL, device TEXT NOT NULL, stamp INTEGER NOT NULL,
            crc INTEGER NOT NULL, answers TEXT NOT NULL,
            PRIMARY KEY(session, device)) STRICT, WITHOUT ROWID;
        CREATE TABLE journal(
            seq INTEGER PRIMARY KEY, session INTEGER NOT NULL, number INTEGER NOT NULL,
            revision INTEGER NOT NULL, place INTEGER NOT NULL, chain INTEGER NOT NULL,
            publication TEXT, memory TEXT, answer TEXT) STRICT;
        CREATE TABLE remains(
            id TEXT PRIMARY KEY, deleted_at INTEGER NOT NULL, crc INTEGER NOT NULL,
            placements TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX remains_by_age ON remains(deleted_at);
        CREATE TABLE quarantine(
            at INTEGER NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL,
            place, number, revision, crc, first, second, third);
        """
}

/// Why a data folder cannot be used.
package enum StoreFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite refused something.
    case database(SQLiteError)
    /// The file is not as it was written.
    case damaged(String)
    /// The system refuses something.
    case system(SystemFault)
    /// A database of another program.
    case foreign
    /// A database of another version of the tables.
    case version(Int64)
    /// Its secrets were sealed with another key, of this fingerprint.
    case otherKey(sealedWith: String, given: String)

    /// The fault in plain words.
    package var description: String {
        switch self {
        case .database(let error) where error.isFull: "the disk is full: \(error)"
        case .database(let error): error.description
        case .damaged(let reason): "the database is damaged: \(reason)"
        case .system(let fault): fault.description
        case .foreign: "the database is not one of coordd's"
        case .version(let version) where version < StoreSchema.version:
            "the database has schema version \(version); coordd serve brings it to "
                + "\(StoreSchema.version) when it starts"
        case .version(let version):
            "the database has schema version \(version), this coordd reads up to "
                + "\(StoreSchema.version)"
        case .otherKey(let sealedWith, let given):
            "its secrets are sealed with the key \(sealedWith), secrets.keyFile holds \(given)"
        }
    }

    /// Whether more room would help.
    var isFull: Bool {
        switch self {
        case .database(let error): error.isFull
        case .system(let fault): fault.isFull
        case .damaged, .foreign, .version, .otherKey: false
        }
    }

    /// Whether a new database and what can be saved of this one would help.
    var isDamage: Bool {
        switch self {
        case .damaged: true
        case .database(let error): error.isDamage
        case .system, .foreign, .version, .otherKey: false
        }
    }
}
