internal import CSQLite

/// A copy of a database, page by page, as of one moment.
///
/// The source is read in one transaction of its own, so nothing that is committed meanwhile comes in
/// and no page is copied twice. Its writers go on; only their log cannot be emptied until the end.
@safe final class SQLiteCopy {
    private let backup: OpaquePointer
    private let source: SQLiteDatabase
    private let target: SQLiteDatabase

    /// Begins to copy everything in `source`, which has a transaction open, over `target`.
    init(from source: SQLiteDatabase, to target: SQLiteDatabase) throws(SQLiteError) {
        guard
            let backup = unsafe sqlite3_backup_init(
                target.handle, "main", source.handle, "main")
        else {
            throw target.error(unsafe sqlite3_errcode(target.handle), "begin a copy")
        }
        unsafe self.backup = backup
        self.source = source
        self.target = target
    }

    deinit { unsafe sqlite3_backup_finish(backup) }

    /// Copies so many pages more; false when that was all.
    func copy(pages: Int32) throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_backup_step(backup, pages)
        switch code {
        case SQLITE_OK: return true
        case SQLITE_DONE: return false
        default:
            throw SQLiteError(
                code: code, action: "copy the database",
                message: unsafe String(cString: sqlite3_errstr(code)))
        }
    }

    /// Pages of the source, and how many of them are still to be copied.
    var pages: (all: Int, left: Int) {
        unsafe (Int(sqlite3_backup_pagecount(backup)), Int(sqlite3_backup_remaining(backup)))
    }
}
