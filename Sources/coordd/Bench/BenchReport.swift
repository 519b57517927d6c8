package import Coordinator

/// What a benchmark found, for people as a table and for programs as JSON.
package struct BenchReport: Sendable {
    private let options: BenchOptions
    private let figures: BenchFigures

    /// A report of a run that has ended.
    package init(options: BenchOptions, figures: BenchFigures) {
        self.options = options
        self.figures = figures
    }

    /// Whether every event came to every screen once and in order, and was accepted.
    package var isGood: Bool {
        figures.lost + figures.disordered + figures.refused == 0 && figures.sent > 0
    }

    private var seconds: Double { Double(figures.nanoseconds) / 1e9 }

    private var deliveriesPerSecond: Double { perSecond(figures.measuredDelivered) }

    /// Deliveries of the time that was measured to what was sent in it.
    private var share: Double {
        let due = figures.measuredSent * options.screens
        return due > 0 ? Double(figures.measuredDelivered) / Double(due) : 0
    }

    private func perSecond(_ count: Int) -> Double {
        seconds > 0 ? Double(count) / seconds : 0
    }

    /// One fact a line, and the verdict below it.
    package var text: String {
        var lines = [
            "\(options.sessions) sessions of a phone and \(options.screens) screens, "
                + "\(options.load.words), \(options.benchCarrier.name)", "",
            row("measured", "\(fixed(seconds, 1)) s"),
            row(
                "events",
                "\(figures.measuredSent), \(fixed(perSecond(figures.measuredSent), 1)) a second"),
            row(
                "deliveries",
                "\(figures.measuredDelivered), \(fixed(deliveriesPerSecond, 1)) a second, "
                    + "\(fixed(share * 100, 1)) % of what was sent"),
            "",
            row("milliseconds", Self.columns(["p50", "p90", "p99", "p99.9", "max"])),
            row("  event to screen", latency(figures.toScreens)),
            row("  event to answer", latency(figures.toAnswers)),
        ]
        if case .rate = options.load { lines.append(row("  sent late", latency(figures.lag))) }
        lines.append("")
        if let daemon = figures.daemonSeconds {
            let each = daemon / Double(max(1, figures.measuredDelivered)) * 1e6
            lines.append(
                row(
                    "daemon processor time",
                    "\(fixed(each, 2)) us a delivery, \(fixed(share(of: daemon), 0)) % of a core"))
        }
        let connecting = Double(figures.connectNanoseconds) / 1e9
        lines.append(
            row(
                "connections",
                "\(figures.connections) in \(fixed(connecting, 2)) s, each after its requests"))
        return (lines + ["", verdict]).joined(separator: "\n")
    }

    private func share(of processor: Double) -> Double {
        seconds > 0 ? processor / seconds * 100 : 0
    }

    private var verdict: String {
        guard isGood else {
            return "FAILED: \(figures.lost) deliveries lost, \(figures.disordered) twice or out of "
                + "order, \(figures.refused) events refused"
                + (figures.refusal.map { ": \(PlainText.escaped($0))" } ?? "")
        }
        return "All \(figures.sent) events came to all screens, once and in order."
    }

    private func row(_ name: String, _ value: String) -> String {
        let gap = String(repeating: " ", count: max(1, 22 - name.count))
        return "  \(name)\(gap)\(value)"
    }

    private func latency(_ histogram: LatencyHistogram) -> String {
        guard histogram.count > 0 else { return "no sample" }
        let values = Self.ranks.map { histogram.quantile(thousandths: $0.thousandths) ?? 0 }
        return Self.columns((values + [histogram.maximum]).map { fixed(Double($0) / 1000, 2) })
    }

    private static func columns(_ words: [String]) -> String {
        words.map { String(repeating: " ", count: max(0, 8 - $0.count)) + $0 }.joined()
    }

    private static let ranks: [(name: String, thousandths: UInt64)] = [
        ("p50", 500), ("p90", 900), ("p99", 990), ("p999", 999),
    ]

    private func fixed(_ value: Double, _ places: Int) -> String {
        SimulationSummary.fixed(value, places: places)
    }
}

extension BenchReport {
    /// One JSON object.
    package var json: JSON {
        var object = JSONObject()
        object.append("sessions", .integer(options.sessions))
        object.append("screens", .integer(options.screens))
        switch options.load {
        case .rate(let rate): object.append("rate", number(rate))
        case .window(let window): object.append("window", .integer(Int(window)))
        }
        object.append("carrier", .string(options.benchCarrier.name))
        object.append("seconds", number(seconds))
        object.append("events", .integer(figures.measuredSent))
        object.append("eventsPerSecond", number(perSecond(figures.measuredSent)))
        object.append("deliveries", .integer(figures.measuredDelivered))
        object.append("deliveriesPerSecond", number(deliveriesPerSecond))
        object.append("deliveredShare", number(share))
        object.append("connections", .integer(figures.connections))
        object.append("connectSeconds", number(Double(figures.connectNanoseconds) / 1e9))
        object.append(
            "latencyMilliseconds",
            [
                "toScreens": percentiles(figures.toScreens),
                "toAnswers": percentiles(figures.toAnswers), "sentLate": percentiles(figures.lag),
            ])
        object.append("daemonProcessorSeconds", ifPresent: figures.daemonSeconds.map(number))
        object.append("lost", .integer(figures.lost))
        object.append("disordered", .integer(figures.disordered))
        object.append("refused", .integer(figures.refused))
        object.append("ok", .bool(isGood))
        return .object(object)
    }

    private func percentiles(_ histogram: LatencyHistogram) -> JSON {
        var object = JSONObject()
        object.append("samples", .integer(histogram.count))
        guard histogram.count > 0 else { return .object(object) }
        for rank in Self.ranks {
            let value = histogram.quantile(thousandths: rank.thousandths) ?? 0
            object.append(rank.name, number(Double(value) / 1000))
        }
        object.append("max", number(Double(histogram.maximum) / 1000))
        return .object(object)
    }

    private func number(_ value: Double) -> JSON {
        .number(JSONNumber(text: fixed(value, 3)))
    }
}
