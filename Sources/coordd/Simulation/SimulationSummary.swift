package import Coordinator

/// What a simulation found, for people as a table and for programs as JSON.
package struct SimulationSummary: Sendable {
    /// The vendors that were played.
    package var vendor: String
    /// The seed of all choices.
    package var seed: UInt64
    /// Sessions played.
    package var sessions: Int
    /// Mirrors of each session.
    package var mirrors: Int
    /// Seconds of play.
    package var seconds: Double
    /// Whether chaos was asked for.
    package var chaos: Bool
    /// Whether the user ended it.
    package var interrupted: Bool
    /// Seconds of processor time of the daemon; nil when it is not our child.
    package var daemonSeconds: Double?
    /// The counts.
    package var tally: Tally

    /// A summary without processor time of a daemon.
    package init(plan: SimulatedSession.Plan, sessions: Int, seconds: Double, tally: Tally) {
        vendor =
            plan.vendors == SimulatedVendor.allCases
            ? "all" : plan.vendors.map(\.rawValue).joined(separator: ", ")
        seed = plan.seed
        mirrors = plan.mirrors
        chaos = plan.chaos
        interrupted = false
        self.sessions = sessions
        self.seconds = seconds
        self.tally = tally
    }

    /// The exit code: 130 after Ctrl-C, 1 when something is wrong, else 0.
    package var exitCode: Int32 {
        if interrupted { return 130 }
        return tally.isClean ? 0 : 1
    }

    /// Events a second.
    package var eventsPerSecond: Double { seconds > 0 ? Double(tally.eventsSent) / seconds : 0 }

    /// What was done in a sentence, the table, one fact a line, and the problems below it.
    package var text: String {
        var lines = [
            "Phones with players of \(vendorWords) were played, second screens followed.", "",
        ]
        for row in rows {
            let name = "  " + row.name + String(repeating: " ", count: max(1, 24 - row.name.count))
            lines += Self.wrapped(name, row.value.split(separator: ", ").map(String.init))
        }
        lines.append("")
        lines += vendorLines
        lines += tally.problems.map { "  " + PlainText.escaped($0) }
        let kept = tally.problemCount
        if kept > tally.problems.count {
            lines.append("  and \(kept - tally.problems.count) more problems")
        }
        lines.append(verdict)
        return lines.joined(separator: "\n")
    }

    private var vendorWords: String {
        tally.vendors.count < 2 ? vendor : "\(tally.vendors.count) vendors"
    }

    private var verdict: String {
        if interrupted { return "Interrupted: the screens were not compared." }
        let devices =
            tally.devicesCompared > 0
            ? "; all \(tally.devicesCompared) phones do what it says." : "."
        return tally.isClean
            ? "All \(tally.screensCompared) screens equal the server's state, byte for byte\(devices)"
            : "FAILED: \(tally.mismatches) mismatches, \(tally.deviceMismatches) phones that do "
                + "otherwise, \(tally.faults.values.reduce(0, +)) broken streams, \(tally.unexpected.values.reduce(0, +)) unexpected errors"
                + (chaos ? ", \(violationCount) violations." : ".")
    }

    private var rows: [(name: String, value: String)] {
        let rejected = tally.rejections.values.reduce(0, +)
        var rows: [(String, String)] = [
            (
                "vendor, seed",
                "\(vendor), \(seed)\(chaos ? ", with chaos" : "")"
            ),
            ("sessions", "\(sessions)"),
            ("mirrors", "\(sessions * mirrors) (\(mirrors) a session)"),
            ("played", "\(Self.fixed(seconds, places: 1)) s"),
            (
                "events sent",
                "\(tally.eventsSent), \(Self.fixed(eventsPerSecond, places: 1)) a second"
            ),
            ("  accepted", "\(tally.eventsAccepted)"),
            ("  rejected by rules", Self.detailed(rejected, tally.rejections)),
        ]
        if tally.eventsUnanswered > 0 { rows.append(("  unanswered", "\(tally.eventsUnanswered)")) }
        if tally.stepsSkipped > 0 { rows.append(("  steps skipped", "\(tally.stepsSkipped)")) }
        rows += [
            ("publications received", "\(tally.publications)"),
            ("signals received", "\(tally.signals)"),
            ("effects", Self.detailed(tally.effects.values.reduce(0, +), tally.effects)),
            (
                "  acknowledged",
                "\(tally.acknowledged) done, \(tally.acknowledgedFailed) failed on purpose"
            ),
            ("placements", "\(tally.placements)"),
            ("  settled", Self.detailed(tally.settlements.values.reduce(0, +), tally.settlements)),
            ("reconnects", "\(tally.reconnects)"),
            (
                "  recovered in full",
                "\(tally.fullRecoveries), \(tally.recoveredPublications) missed publications"
            ),
            ("  by snapshot", "\(tally.snapshotRecoveries)"),
            ("latency to screens", Self.latency(tally.latencyToScreens)),
            ("latency to answers", Self.latency(tally.latencyToAnswers)),
        ]
        if let daemonSeconds {
            let share = seconds > 0 ? daemonSeconds / seconds * 100 : 0
            rows.append(
                (
                    "daemon processor time",
                    "\(Self.fixed(daemonSeconds, places: 2)) s, \(Self.fixed(share, places: 0)) % of a core"
                ))
        }
        if chaos { rows += chaosRows }
        rows += [
            ("screens compared", "\(tally.screensCompared)"),
            ("mismatches", "\(tally.mismatches)"),
            ("phones compared", "\(tally.devicesCompared)"),
            ("  differences", "\(tally.deviceMismatches)"),
            ("stream faults", Self.detailed(tally.faults.values.reduce(0, +), tally.faults)),
            ("unexpected errors", "\(tally.unexpected.values.reduce(0, +))"),
        ]
        return rows
    }

    private var violationCount: Int { tally.chaos.violations.values.reduce(0, +) }

    private var chaosRows: [(name: String, value: String)] {
        let chaos = tally.chaos
        return [
            ("kills", "\(chaos.kills)"),
            ("  crashes", "\(chaos.crashes)"),
            ("  restart to ready", Self.latency(chaos.restarts)),
            ("drops, delays", "\(chaos.drops), \(chaos.delays)"),
            (
                "events sent again",
                "\(chaos.resentUnanswered) unanswered, \(chaos.resentAcknowledged) acknowledged"
            ),
            ("  duplicates", "\(chaos.duplicates)"),
            ("longest tail", "\(chaos.longestTail) publications"),
            ("history compared", "\(chaos.historyCompared) publications"),
            ("violations", Self.detailed(violationCount, chaos.violations)),
        ]
    }

    static func detailed(_ total: Int, _ parts: [String: Int]) -> String {
        guard !parts.isEmpty else { return "\(total)" }
        let words = parts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
        let text = words.map { "\(PlainText.escaped($0.key)) \($0.value)" }.joined(separator: ", ")
        return "\(total) (\(text))"
    }

    private static func latency(_ histogram: LatencyHistogram) -> String {
        guard histogram.count > 0 else { return "no sample" }
        let percentiles = [50, 95, 99].map { (percent: UInt64) in
            let value = histogram.percentile(percent) ?? 0
            return "p\(percent) \(milliseconds(value))"
        }
        return percentiles.joined(separator: ", ") + ", max \(milliseconds(histogram.maximum)) ms"
    }

    private static func milliseconds(_ microseconds: UInt64) -> String {
        fixed(Double(microseconds) / 1000, places: 2)
    }

    /// A number with so many places after the point, at most 3.
    package static func fixed(_ value: Double, places: Int) -> String {
        let scale = [1.0, 10, 100, 1000][min(max(places, 0), 3)]
        guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
        let scaled = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let divisor = Int64(scale)
        let fraction = String(scaled % divisor)
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(sign)\(scaled / divisor).\(zeros)\(fraction)"
    }
}

extension SimulationSummary {
    /// One JSON object.
    package var json: JSON {
        var object = JSONObject()
        object.append("vendor", .string(vendor))
        object.append("seed", .number(JSONNumber(text: String(seed))))
        object.append("sessions", .integer(sessions))
        object.append("mirrors", .integer(mirrors))
        object.append("seconds", Self.number(seconds))
        object.append("chaos", .bool(chaos))
        object.append("interrupted", .bool(interrupted))
        object.append(
            "events",
            [
                "sent": .integer(tally.eventsSent), "accepted": .integer(tally.eventsAccepted),
                "rejected": Self.counts(tally.rejections),
                "unanswered": .integer(tally.eventsUnanswered),
                "stepsSkipped": .integer(tally.stepsSkipped),
                "perSecond": Self.number(eventsPerSecond),
            ])
        object.append("vendors", vendorsJSON)
        object.append("publications", .integer(tally.publications))
        object.append("signals", .integer(tally.signals))
        object.append("effects", Self.counts(tally.effects))
        object.append(
            "acknowledgements",
            ["done": .integer(tally.acknowledged), "failed": .integer(tally.acknowledgedFailed)])
        object.append(
            "placements",
            ["placing": .integer(tally.placements), "settled": Self.counts(tally.settlements)])
        object.append("reconnects", .integer(tally.reconnects))
        object.append(
            "recoveries",
            [
                "full": .integer(tally.fullRecoveries),
                "publications": .integer(tally.recoveredPublications),
                "snapshot": .integer(tally.snapshotRecoveries),
            ])
        object.append(
            "latencyMilliseconds",
            [
                "toScreens": Self.percentiles(tally.latencyToScreens),
                "toAnswers": Self.percentiles(tally.latencyToAnswers),
            ])
        object.append("daemonProcessorSeconds", ifPresent: daemonSeconds.map(Self.number))
        if chaos { object.append("disturbances", chaosJSON) }
        object.append("screensCompared", .integer(tally.screensCompared))
        object.append("mismatches", .integer(tally.mismatches))
        object.append("phonesCompared", .integer(tally.devicesCompared))
        object.append("phoneDifferences", .integer(tally.deviceMismatches))
        object.append("streamFaults", Self.counts(tally.faults))
        object.append("unexpectedErrors", Self.counts(tally.unexpected))
        object.append("problems", .array(tally.problems.map { .string($0) }))
        object.append("ok", .bool(exitCode == 0))
        return .object(object)
    }

    private var chaosJSON: JSON {
        let chaos = tally.chaos
        return [
            "kills": .integer(chaos.kills), "crashes": .integer(chaos.crashes),
            "restartMilliseconds": Self.percentiles(chaos.restarts),
            "drops": .integer(chaos.drops), "delays": .integer(chaos.delays),
            "resent": [
                "unanswered": .integer(chaos.resentUnanswered),
                "acknowledged": .integer(chaos.resentAcknowledged),
                "lostAgain": .integer(chaos.repeatsLost),
            ],
            "duplicates": .integer(chaos.duplicates),
            "longestTail": .integer(chaos.longestTail),
            "historyCompared": .integer(chaos.historyCompared),
            "violations": Self.counts(chaos.violations),
        ]
    }

    static func counts(_ counts: [String: Int]) -> JSON {
        let sorted = counts.sorted { $0.key < $1.key }
        return .object(JSONObject(sorted.map { .init(key: $0.key, value: .integer($0.value)) }))
    }

    private static func percentiles(_ histogram: LatencyHistogram) -> JSON {
        guard histogram.count > 0 else { return ["samples": 0] }
        var object = JSONObject()
        object.append("samples", .number(JSONNumber(text: String(histogram.count))))
        for percent: UInt64 in [50, 95, 99] {
            let value = Double(histogram.percentile(percent) ?? 0) / 1000
            object.append("p\(percent)", number(value))
        }
        object.append("max", number(Double(histogram.maximum) / 1000))
        return .object(object)
    }

    private static func number(_ value: Double) -> JSON {
        .number(JSONNumber(text: fixed(value, places: 3)))
    }
}
