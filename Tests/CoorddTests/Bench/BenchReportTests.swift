import Coordinator
import Testing
import coordd

@Suite struct BenchReportTests {
    /// Two seconds of 10 sessions with 3 screens, in which one delivery was still on its way.
    private static var figures: BenchFigures {
        var figures = BenchFigures()
        figures.connections = 40
        figures.connectNanoseconds = 50_000_000
        figures.nanoseconds = 2_000_000_000
        figures.sent = 300
        figures.delivered = 900
        figures.measuredSent = 200
        figures.measuredDelivered = 599
        for microseconds: UInt64 in [10, 20, 30, 40] { figures.toScreens.record(microseconds) }
        figures.daemonSeconds = 0.5
        return figures
    }

    private static var options: BenchOptions {
        var options = BenchOptions()
        options.sessions = 10
        options.screens = 3
        options.load = .window(2)
        return options
    }

    @Test func `a good run has its figures and its verdict`() {
        let report = BenchReport(options: Self.options, figures: Self.figures)
        let lines = report.text.split(separator: "\n").map(String.init)
        #expect(report.isGood)
        #expect(
            lines.first
                == "10 sessions of a phone and 3 screens, closed loop with 2 in flight each, line")
        #expect(lines.contains("  events                200, 100.0 a second"))
        // 599 of 200 times 3.
        #expect(
            lines.contains("  deliveries            599, 299.5 a second, 99.8 % of what was sent"))
        #expect(
            lines.contains("    event to screen         0.02    0.04    0.04    0.04    0.04"))
        #expect(lines.contains("    event to answer     no sample"))
        // 0.5 s of 599 deliveries, and of 2 s.
        #expect(
            lines.contains("  daemon processor time 834.72 us a delivery, 25 % of a core"))
        #expect(lines.last == "All 300 events came to all screens, once and in order.")
    }

    @Test func `a bad run says what was wrong`() {
        var figures = Self.figures
        figures.lost = 2
        figures.refused = 1
        figures.refusal = "111 too many"
        let report = BenchReport(options: Self.options, figures: figures)
        #expect(!report.isGood)
        #expect(
            report.text.hasSuffix(
                "FAILED: 2 deliveries lost, 0 twice or out of order, 1 events refused: 111 too many"
            ))
        #expect(report.json["ok"] == false)
    }

    @Test func `JSON has the same figures`() {
        let json = BenchReport(options: Self.options, figures: Self.figures).json
        #expect(json["deliveriesPerSecond"]?.number?.text == "299.500")
        #expect(json["latencyMilliseconds"]?["toScreens"]?["p50"]?.number?.text == "0.020")
        #expect(json["latencyMilliseconds"]?["toAnswers"] == ["samples": 0])
        #expect(json["window"] == 2)
        #expect(json["ok"] == true)
    }
}
