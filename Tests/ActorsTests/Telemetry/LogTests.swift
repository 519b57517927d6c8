import Actors
import Coordinator
import Testing

@Suite struct LogTests {
    private let sink = MemoryLogSink()

    private func log(_ level: LogLevel) -> Log {
        Log(level: level, sink: sink, now: { Instant(milliseconds: 7) })
    }

    @Test func `a line keeps its order of fields, after those of its context`() async {
        log(.info).with(["client": "c"]).info("opened", ["b": 1, "a": 2])
        let expected = LogRecord(
            time: Instant(milliseconds: 7), level: .info, message: "opened",
            fields: [
                .init(key: "client", value: "c"), .init(key: "b", value: 1),
                .init(key: "a", value: 2),
            ])
        #expect(await sink.finish() == [expected])
    }

    @Test(arguments: LogLevel.allCases)
    func `lines below the level are dropped`(level: LogLevel) async {
        let log = log(level)
        log.debug("debug")
        log.info("info")
        log.warning("warning")
        log.error("error")
        let kept = await sink.finish().map(\.level)
        #expect(kept == LogLevel.allCases.filter { $0 >= level })
    }

    @Test func `fields of a dropped line are not computed`() async {
        func costly() -> JSON {
            Issue.record("computed")
            return .null
        }
        log(.warning).info("cheap", ["k": costly()])
        #expect(await sink.finish().isEmpty)
    }

    @Test func `a gated line says how many were suppressed`() async {
        let log = log(.info)
        var gate = LogGate(intervalMilliseconds: 0)
        log.gated(by: &gate, .warning, "slow", ["n": 1])
        log.gated(by: &gate, .debug, "hidden")
        var closed = LogGate()
        for _ in 0..<3 { log.gated(by: &closed, .warning, "bad") }
        let later = Log(sink: sink, now: { Instant(milliseconds: 1007) })
        later.gated(by: &closed, .warning, "bad")
        let records = await sink.finish()
        #expect(records.map(\.message) == ["slow", "bad", "bad"])
        #expect(records.last?.fields == [.init(key: "suppressed", value: 2)])
    }
}
