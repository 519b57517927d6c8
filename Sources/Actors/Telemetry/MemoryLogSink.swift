/// Keeps log lines in memory, for tests.
package struct MemoryLogSink: LogSink {
    /// The lines in the order they came; a test can wait for one.
    package let records: AsyncStream<LogRecord>
    private let continuation: AsyncStream<LogRecord>.Continuation

    /// An empty sink without a bound.
    package init() {
        (records, continuation) = AsyncStream.makeStream()
    }

    package func write(_ record: LogRecord) {
        continuation.yield(record)
    }

    /// Ends the log and returns the lines nobody has taken yet.
    package func finish() async -> [LogRecord] {
        continuation.finish()
        var rest: [LogRecord] = []
        for await record in records { rest.append(record) }
        return rest
    }
}
