import Coordinator
import Glibc

/// Texts for people.
enum Output {
    /// A line on standard error: progress, and what went wrong.
    static func note(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// A table with right-aligned columns under their names.
    static func table(_ title: String, _ columns: [String], _ rows: [[String]]) {
        print("\n" + title)
        let widths = columns.indices.map { column in
            ([columns] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [columns] + rows {
            let cells = zip(row, widths).map { cell, width in
                String(repeating: " ", count: width - cell.count) + cell
            }
            print("  " + cells.joined(separator: "  "))
        }
    }

    /// A number with `places` decimals.
    static func text(_ value: Double, _ places: Int = 0) -> String {
        let scale = [1.0, 10, 100, 1000][places]
        let rounded = Int64((value * scale).rounded())
        guard places > 0 else { return "\(rounded)" }
        let digits = String(abs(rounded))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (rounded < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }

    static func json(_ value: Double) -> JSON {
        .number(JSONNumber(text: text(value, 3)))
    }

    static func json(_ value: Percentiles) -> JSON {
        [
            "p50": json(value.p50), "p90": json(value.p90), "p99": json(value.p99),
            "max": json(value.maximum),
        ]
    }
}
