package import Coordinator

/// Writes structured log lines that matter enough.
package struct Log: Sendable {
    /// Named values as a call site writes them.
    package typealias Fields = KeyValuePairs<String, JSON>

    /// Lines below this level are dropped.
    package var level: LogLevel
    private let sink: any LogSink
    private let now: @Sendable () -> Instant
    private var context: [LogRecord.Field] = []

    /// A log into `sink`, with times from `now`.
    package init(
        level: LogLevel = .info, sink: any LogSink = StandardErrorSink(),
        now: @escaping @Sendable () -> Instant = { SystemClock.now }
    ) {
        self.level = level
        self.sink = sink
        self.now = now
    }

    /// A log whose every line carries `fields` first.
    package func with(_ fields: Fields) -> Log {
        var log = self
        log.context += Self.list(fields)
        return log
    }

    /// For those who look for a fault in coordd.
    package func debug(_ message: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.debug, message, fields)
    }

    /// What happened in normal operation.
    package func info(_ message: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.info, message, fields)
    }

    /// Something is not as it should be; coordd goes on.
    package func warning(_ message: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.warning, message, fields)
    }

    /// Something failed.
    package func error(_ message: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.error, message, fields)
    }

    /// A line that others of the same message may follow too fast to be worth reading.
    ///
    /// The message is the kind the gate counts by; the line says how many were suppressed before.
    package func gated(
        by gate: inout LogGate, _ level: LogLevel, _ message: String,
        _ fields: @autoclosure () -> Fields = [:]
    ) {
        guard level >= self.level else { return }
        let time = now()
        guard let suppressed = gate.admit(message, at: time) else { return }
        var list = context + Self.list(fields())
        if suppressed > 0 { list.append(.init(key: "suppressed", value: .integer(suppressed))) }
        sink.write(LogRecord(time: time, level: level, message: message, fields: list))
    }

    private func write(_ level: LogLevel, _ message: String, _ fields: () -> Fields) {
        guard level >= self.level else { return }
        let list = context + Self.list(fields())
        sink.write(LogRecord(time: now(), level: level, message: message, fields: list))
    }

    private static func list(_ fields: Fields) -> [LogRecord.Field] {
        fields.map { LogRecord.Field(key: $0.key, value: $0.value) }
    }
}
