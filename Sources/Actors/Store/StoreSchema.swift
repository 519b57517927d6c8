/// The tables of a data folder's database and how it is opened.
///
/// The journal is one table that only grows at its end: no index, no key but the sequence number.
/// That is where the speed of a commit comes from (decision: storage).
enum StoreSchema {
    /// The layout that this version reads and writes, in the file as `user_version`.
    static let version: Int64 = 1
    /// Marks the file as coordd's, in the file as `application_id`: "cord".
    static let applicationID: Int64 = 0x636f_7264

    /// How the file is used; set before anything is read.
    static func configure(_ database: SQLiteDatabase) throws(SQLiteError) {
        for pragma in [
            // Another process may look in; it never writes, so this wait is short.
            "busy_timeout = 5000",
            "journal_mode = WAL",
            "synchronous = FULL",
            "wal_autocheckpoint = 4000",
            "journal_size_limit = 67108864",
            "cache_size = -65536",
            "temp_store = MEMORY",
            "foreign_keys = OFF",
        ] {
            try database.execute("PRAGMA \(pragma)")
        }
    }

    /// Makes the tables in an empty file, or checks that the file is of this version.
    static func prepare(_ database: SQLiteDatabase) throws(StoreFault) {
        do throws(SQLiteError) {
            let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
            if tables == 0 {
                try database.execute("BEGIN IMMEDIATE")
                try database.execute(sql)
                try database.execute("PRAGMA application_id = \(applicationID)")
                try database.execute("PRAGMA user_version = \(version)")
                try database.execute("COMMIT")
            }
        } catch {
            throw .database(error)
        }
        try check(database)
    }

    /// Checks that the file is one of this version.
    static func check(_ database: SQLiteDatabase) throws(StoreFault) {
        let application, found: Int64
        do throws(SQLiteError) {
            application = try database.number("PRAGMA application_id") ?? 0
            found = try database.number("PRAGMA user_version") ?? 0
        } catch {
            throw .database(error)
        }
        guard application == applicationID else { throw .foreign }
        guard found == version else { throw .version(found) }
    }

    private static let sql = """
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
}

/// Why a data folder cannot be used.
package enum StoreFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite refused something.
    case database(SQLiteError)
    /// A database of another program.
    case foreign
    /// A database of another version of the tables.
    case version(Int64)
    /// Its secrets were sealed with another key, of this fingerprint.
    case otherKey(sealedWith: String, given: String)

    /// The fault in plain words.
    package var description: String {
        switch self {
        case .database(let error): error.description
        case .foreign: "the database is not one of coordd's"
        case .version(let version):
            "the database has schema version \(version), this coordd reads \(StoreSchema.version)"
        case .otherKey(let sealedWith, let given):
            "its secrets are sealed with the key \(sealedWith), secrets.keyFile holds \(given)"
        }
    }
}
