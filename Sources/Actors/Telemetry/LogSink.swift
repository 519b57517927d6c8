/// Where log lines go.
package protocol LogSink: Sendable {
    /// Takes one line; called from any thread.
    func write(_ record: LogRecord)
}

/// Log lines on standard error: text on a terminal, JSON otherwise.
///
/// Each line is one write, so lines of several threads do not mix.
package struct StandardErrorSink: LogSink {
    private let format: LogFormat

    /// Writes in `format`; nil chooses by whether standard error is a terminal.
    package init(format: LogFormat? = nil) {
        self.format = format ?? (StandardStream.error.isTerminal ? .text : .json)
    }

    package func write(_ record: LogRecord) {
        StandardStream.error.write(format.line(for: record))
    }
}
