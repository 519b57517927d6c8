internal import CSQLite

/// What SQLite refused, in its own words.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code.
    package var code: Int32
    /// What was attempted.
    package var action: String
    /// SQLite's message.
    package var message: String

    /// The primary result code, of which the extended ones are kinds.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether the disk, or what this user may write on it, is full.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// The message without the statement, for those who cannot change either.
    package var reason: String { "\(message) (SQLite \(code))" }

    /// Action and message.
    package var description: String { "cannot \(action): \(message) (SQLite \(code))" }
}
