package import Coordinator

/// The rows of a played transcript as a table for people.
package struct ReplayTable: Sendable {
    private let isColored: Bool
    private let widths: [Int]

    private static let titles = ["line", "at", "by", "event", "rev", "verdict"]
    /// Characters of a name that are shown.
    private static let maximumName = 28
    /// Characters of an error that are shown.
    private static let maximumError = 60
    /// Times from here on are moments of this age and not of a transcript's own clock.
    private static let firstMoment: Int64 = 100_000_000_000

    /// A table for the steps of a transcript.
    package init(_ transcript: Transcript, isColored: Bool) {
        self.isColored = isColored
        var widths = Self.titles.map(\.count)
        for step in transcript.steps {
            let row = TranscriptRow(step, .notDue)
            for (index, cell) in Self.cells(row).enumerated() {
                widths[index] = max(widths[index], cell.count)
            }
        }
        self.widths = widths
    }

    /// The line of titles.
    package var head: String { line(Self.titles) + "  effects" }

    /// One row.
    package func text(_ row: TranscriptRow) -> String {
        let verdict =
            switch row.verdict {
            case "met": "ok"
            case "unmet": "UNMET"
            default: "-"
            }
        var text = line(Self.cells(row) + [verdict])
        if isColored, verdict != "-" {
            let padded = verdict.padded(to: widths[5])
            let color = verdict == "ok" ? "32" : "31"
            text = String(text.dropLast(padded.count)) + "\u{1B}[\(color)m\(padded)\u{1B}[0m"
        }
        let news = Self.news(row)
        return news.isEmpty ? text.trimmed : text + "  " + news
    }

    private func line(_ cells: [String]) -> String {
        cells.enumerated().map { index, cell in
            index < 2 || index == 4
                ? String(repeating: " ", count: max(0, widths[index] - cell.count)) + cell
                : cell.padded(to: widths[index])
        }.joined(separator: "  ")
    }

    private static func cells(_ row: TranscriptRow) -> [String] {
        let at = row.at.milliseconds
        var rev = ""
        if case .taken(let taken) = row.result { rev = "\(taken.revision)" }
        return [
            row.line.map(String.init) ?? "", at < firstMoment ? "\(at)" : WatchLine.time(at),
            shown(row.device.map { "\($0) (\(row.role.rawValue))" } ?? row.role.rawValue),
            shown(row.name), rev,
        ]
    }

    /// Effects, or whatever else came.
    private static func news(_ row: TranscriptRow) -> String {
        switch row.result {
        case .notDue: return "no such timer"
        case .refused(let code, let message):
            return shown("\(code) \(message)", maximum: maximumError)
        case .taken(let taken):
            var words: [String] = []
            switch taken.kind {
            case .revision: break
            case .signal: words.append("signal")
            case .unchanged: words.append("no change")
            }
            if let effects = taken.effects {
                let kinds = effects.map { shown($0["kind"]?.string ?? "?") }
                if !kinds.isEmpty { words.append(kinds.joined(separator: ", ")) }
            } else {
                words.append("effects not seen")
            }
            words += taken.warnings.map { "! " + shown($0["code"]?.string ?? "?") }
            return words.joined(separator: "  ")
        }
    }

    private static func shown(_ text: String, maximum: Int = maximumName) -> String {
        let cut = text.count > maximum ? text.prefix(maximum - 1) + "…" : text[...]
        return PlainText.escaped(String(cut))
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    fileprivate var trimmed: String {
        String(prefix(upTo: lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex))
    }
}
