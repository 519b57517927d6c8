/// What SQLite refused, in its own words.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code.
    package var code: Int32
    /// What was attempted.
    package var action: String
    /// SQLite's message.
    package var message: String

    /// Whether the file, and not the disk or the request, is what is wrong.
    package var isDamage: Bool {
        // SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG and SQLITE_MISMATCH of any kind, and a page
        // that is not there (SQLITE_IOERR_SHORT_READ).
        [11, 18, 20, 26].contains(code & 0xff) || code == 522
    }

    /// The message without the statement, for those who cannot change either.
    package var reason: String { "\(message) (SQLite \(code))" }

    /// Action and message.
    package var description: String { "cannot \(action): \(reason)" }
}
