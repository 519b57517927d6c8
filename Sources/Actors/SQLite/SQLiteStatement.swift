internal import CSQLite

/// A prepared statement: bind, step, read, reset.
@safe package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let sql: String
    private let database: SQLiteDatabase

    init(_ handle: OpaquePointer, sql: String, of database: SQLiteDatabase) {
        unsafe self.handle = handle
        self.sql = sql
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Gives the parameter at `place`, counted from 1, a number; nil: NULL.
    package func bind(_ place: Int32, _ value: Int64?) {
        if let value {
            unsafe sqlite3_bind_int64(handle, place, value)
        } else {
            unsafe sqlite3_bind_null(handle, place)
        }
    }

    /// Gives the parameter at `place` a number that may use all 64 bits.
    package func bind(_ place: Int32, _ value: UInt64) {
        unsafe sqlite3_bind_int64(handle, place, Int64(bitPattern: value))
    }

    /// Gives the parameter at `place` a copy of a text.
    package func bind(_ place: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = unsafe coordd_bind_transient(
                handle, place, bytes.baseAddress, Int32(bytes.count))
        }
    }

    /// Gives the parameter at `place` a copy of a UTF-8 text; nil: NULL.
    package func bind(_ place: Int32, _ text: [UInt8]?) {
        guard let text else { return bind(place, nil as Int64?) }
        unsafe text.withUnsafeBytes { bytes in
            // An empty array has no address, which SQLite would take for NULL.
            let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
            _ = unsafe coordd_bind_transient(handle, place, base, Int32(bytes.count))
        }
    }

    /// Gives the parameters, from the first on, the columns of another statement's present row.
    package func bindColumns(of row: SQLiteStatement, from first: Int32) {
        let count = unsafe sqlite3_column_count(row.handle)
        for column in first..<max(first, count) {
            unsafe sqlite3_bind_value(
                handle, column - first + 1, sqlite3_column_value(row.handle, column))
        }
    }

    /// Runs a statement that gives no rows, with a UTF-8 text or NULL as the parameter at `place`.
    ///
    /// The text is lent, not copied.
    package func run(_ place: Int32, _ text: [UInt8]?) throws(SQLiteError) {
        guard let text else {
            bind(place, nil as Int64?)
            return try run()
        }
        let code = unsafe text.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(handle)
            unsafe coordd_bind_static(handle, place, base, Int32(bytes.count))
            return unsafe sqlite3_step(handle)
        }
        // Before anything else, which would replace SQLite's message.
        let failure = failure(code)
        unsafe sqlite3_reset(handle)
        bind(place, nil as Int64?)
        if let failure { throw failure }
    }

    /// Runs a statement that gives no rows.
    package func run() throws(SQLiteError) {
        let failure = failure(unsafe sqlite3_step(handle))
        unsafe sqlite3_reset(handle)
        if let failure { throw failure }
    }

    /// Goes to the next row; false at the end, when the statement can be used anew.
    package func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let failure = failure(code)
        unsafe sqlite3_reset(handle)
        if let failure { throw failure }
        return false
    }

    /// Ends the reading of rows early.
    package func reset() {
        unsafe sqlite3_reset(handle)
    }

    /// A column of the present row, counted from 0, as a number.
    package func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    /// A column of the present row as a number that may use all 64 bits.
    package func unsigned(_ column: Int32) -> UInt64 {
        UInt64(bitPattern: integer(column))
    }

    /// A column of the present row as the bytes of its text.
    package func bytes(_ column: Int32) -> [UInt8] {
        guard let base = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe sqlite3_column_bytes(handle, column)
        return unsafe Array(UnsafeRawBufferPointer(start: base, count: Int(count)))
    }

    /// Whether a column of the present row is NULL.
    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A column of the present row as the bytes of its text; nil for NULL.
    package func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    /// A column of the present row as text.
    package func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    private func failure(_ code: Int32) -> SQLiteError? {
        guard code != SQLITE_DONE, code != SQLITE_ROW, code != SQLITE_OK else { return nil }
        return database.error(code, "run \(sql)")
    }
}
