/// What SQLite refused, in its own words.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// SQLite's extended result code.
    package var code: Int32
    /// What was attempted.
    package var action: String
    /// SQLite's message.
    package var message: String

    /// The message without the statement, for those who cannot change either.
    package var reason: String { "\(message) (SQLite \(code))" }

    /// Action and message.
    package var description: String { "cannot \(action): \(reason)" }
}
