import Coordinator

/// What happened vendor by vendor.
extension SimulationSummary {
    /// A table with a line for each vendor, and what its phones played.
    var vendorLines: [String] {
        guard !tally.vendors.isEmpty else { return [] }
        let vendors = tally.vendors.sorted { $0.key < $1.key }
        let head = [
            "vendor", "sessions", "events", "effects done", "refused", "warnings", "take-overs",
        ]
        let rows = vendors.map { name, counts in
            [name, "\(counts.sessions)", "\(counts.events)", "\(counts.done)", "\(counts.refused)"]
                + ["\(counts.warnings.values.reduce(0, +))", "\(counts.takeOvers)"]
        }
        var lines = ([head] + rows).map { row in
            let cells = zip(row, head).enumerated().map { column, cell in
                column == 0 ? Self.left(cell.0, 12) : Self.right(cell.0, cell.1.count + 2)
            }
            return "  " + cells.joined()
        }
        lines.append("")
        for (name, counts) in vendors {
            lines += Self.wrapped("  \(name) played ", Self.list(counts.scenes), indent: 4, "; ")
            guard !counts.warnings.isEmpty else { continue }
            lines += Self.wrapped(
                "    and was warned of ", Self.list(counts.warnings), indent: 4, "; ")
        }
        return lines + [""]
    }

    /// The same facts for programs.
    var vendorsJSON: JSON {
        let members = tally.vendors.sorted { $0.key < $1.key }.map { name, counts in
            JSONObject.Member(
                key: name,
                value: [
                    "sessions": .integer(counts.sessions), "events": .integer(counts.events),
                    "effectsDone": .integer(counts.done), "refused": .integer(counts.refused),
                    "warnings": Self.counts(counts.warnings),
                    "takeOvers": .integer(counts.takeOvers), "scenes": Self.counts(counts.scenes),
                ])
        }
        return .object(JSONObject(members))
    }

    private static func list(_ counts: [String: Int]) -> [String] {
        counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .map {
                $0.value == 1
                    ? PlainText.escaped($0.key) : "\(PlainText.escaped($0.key)) ×\($0.value)"
            }
    }

    /// Items after a beginning, on lines of at most 100 characters; further lines are indented.
    static func wrapped(
        _ start: String, _ items: [String], indent: Int = 26, _ separator: String = ", "
    ) -> [String] {
        var lines: [String] = []
        var line = start
        for (index, item) in items.enumerated() {
            let isLast = index == items.count - 1
            let text = isLast ? item : item + separator
            if line.count + text.count > 100, line.count > indent {
                lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
                line = String(repeating: " ", count: indent)
            }
            line += text
        }
        return lines + [line]
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
