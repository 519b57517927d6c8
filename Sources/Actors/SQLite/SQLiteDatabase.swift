internal import CSQLite
internal import Glibc

/// One SQLite database file, opened for one thread at a time.
@safe package final class SQLiteDatabase {
    /// Whether the file may be written or made.
    package enum Access: Sendable {
        /// Made when it is not there.
        case create
        /// It must be there; only what SQLite itself needs is written.
        case read
        /// It must be there and stays as it is, byte for byte.
        ///
        /// A log that was left behind is read where it is and not moved into the file.
        case inspect
        /// It must be there, nobody else has it open, and no file comes, goes or changes: not even
        /// the index that SQLite keeps of a log.
        case examine
    }

    let handle: OpaquePointer

    /// Opens the database in the file at `path`.
    ///
    /// - Throws: ``SQLiteError``, also for a file that is no database.
    package init(path: String, access: Access) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .read: SQLITE_OPEN_READWRITE
            case .inspect:
                // Only a connection that may write tidies up its files when it closes, and only
                // one that may not leaves the log of a crash alone.
                Self.hasLog(path) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
            case .examine: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        // Its one user is one thread at a time, so SQLite's own mutexes would cost for nothing.
        let name = access == .examine ? Self.address(path) : path
        let code = unsafe sqlite3_open_v2(
            name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle = unsafe handle else {
            throw SQLiteError(code: code, action: "open \(path)", message: "no memory")
        }
        guard code == SQLITE_OK else {
            let message = unsafe String(cString: sqlite3_errmsg(handle))
            let system = unsafe sqlite3_system_errno(handle)
            unsafe sqlite3_close_v2(handle)
            throw SQLiteError(
                code: code, action: "open \(path)", message: message, systemError: system)
        }
        unsafe self.handle = handle
        if access == .examine {
            // Otherwise closing it might remove a log in which nothing is whole.
            unsafe coordd_keep_log(handle)
            // Then the index of the log is kept in memory.
            try execute("PRAGMA locking_mode = EXCLUSIVE")
        }
        if access == .inspect {
            // Whoever had it before may be about to close it, which takes a moment.
            try execute("PRAGMA busy_timeout = 5000")
            try execute("PRAGMA query_only = ON")
        }
    }

    /// The file as one that takes no locks; without a log as one that never changes.
    private static func address(_ path: String) -> String {
        var name = ""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": name += "%25"
            case "?": name += "%3f"
            case "#": name += "%23"
            default: name.unicodeScalars.append(scalar)
            }
        }
        return "file:\(name)?" + (hasLog(path) ? "vfs=unix-none" : "immutable=1")
    }

    private static func hasLog(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path + "-wal", &status) == 0 && status.st_size > 0
    }

    deinit {
        // Waits for statements that are still to be finalized.
        unsafe sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open; SQLite ends one by itself after some errors.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs statements that give no rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, "run \(sql)") }
    }

    /// Prepares a statement that is used many times.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else {
            throw error(code, "prepare \(sql)")
        }
        return unsafe SQLiteStatement(statement, sql: sql, of: self)
    }

    /// The first column of the first row as a number; nil without a row.
    package func number(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Rows changed by the newest statement.
    package var changes: Int64 { unsafe sqlite3_changes64(handle) }

    func error(_ code: Int32, _ action: String) -> SQLiteError {
        SQLiteError(
            code: code, action: action, message: unsafe String(cString: sqlite3_errmsg(handle)),
            systemError: systemError(of: code))
    }

    /// The number of the system's error behind the newest failure.
    ///
    /// SQLite keeps it for some statements only, and not for COMMIT; then it is this thread's.
    private func systemError(of code: Int32) -> Int32 {
        let last = errno
        guard [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff) else { return 0 }
        let kept = unsafe sqlite3_system_errno(handle)
        return kept == 0 ? last : kept
    }
}
