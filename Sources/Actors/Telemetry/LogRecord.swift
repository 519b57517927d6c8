package import Coordinator

/// One log line before it is written in a format.
package struct LogRecord: Sendable, Equatable {
    /// A named value of a line.
    package struct Field: Sendable, Equatable {
        /// The name, a constant of the call site; not `time`, `level` or `message`.
        package var key: String
        /// The value.
        package var value: JSON

        /// Pairs a name with its value.
        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// When the line was made.
    package var time: Instant
    /// How much it matters.
    package var level: LogLevel
    /// A constant sentence of the call site; what varies is in the fields.
    package var message: String
    /// The named values, in order.
    package var fields: [Field]

    /// A line.
    package init(time: Instant, level: LogLevel, message: String, fields: [Field] = []) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
    }
}
