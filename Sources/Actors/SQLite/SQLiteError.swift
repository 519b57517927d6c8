/// What SQLite refused, in its own words.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code.
    package var code: Int32
    /// What was attempted.
    package var action: String
    /// SQLite's message.
    package var message: String
    /// The number of the system's error behind it; 0 when that says nothing.
    package var systemError: Int32

    /// A refusal; `systemError` is the number of the system's error behind it.
    package init(code: Int32, action: String, message: String, systemError: Int32 = 0) {
        self.code = code
        self.action = action
        self.message = message
        self.systemError = systemError
    }

    /// Whether the file, and not the disk or the request, is what is wrong.
    package var isDamage: Bool {
        // SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG, SQLITE_MISMATCH and SQLITE_CONSTRAINT of any
        // kind (no statement breaks a constraint of sound tables, but a row whose column has another
        // type than it was written with does), and a page that is not there (SQLITE_IOERR_SHORT_READ).
        [11, 18, 19, 20, 26].contains(code & 0xff) || code == 522
    }

    /// Whether there is no room: on the disk, for this user, or in one file.
    package var isFull: Bool {
        // SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the index of the log cannot grow.
        if code & 0xff == 13 || code == 4874 { return true }
        // SQLITE_IOERR and SQLITE_CANTOPEN of any kind, which leave the reason to the system; but
        // not SQLITE_IOERR_SHORT_READ, where nothing failed that the system knows of.
        return [10, 14].contains(code & 0xff) && code != 522 && FreeSpace.isExhausted(systemError)
    }

    /// What those are told whose changes are refused because of it.
    package var refusal: String { (isFull ? "store.full: " : "store.failing: ") + reason }

    /// What an operator is told.
    package var trouble: String { (isFull ? "store.full: " : "store.failing: ") + description }

    /// The message without the statement, for those who cannot change either.
    package var reason: String { "\(message) (SQLite \(code))" }

    /// Action and message.
    package var description: String { "cannot \(action): \(reason)" }
}
