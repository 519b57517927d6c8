import Actors
import Coordinator

/// Sessions as a table for people or as one JSON document for programs, wherever they come from.
struct SessionsTable {
    /// What a row says; the id stands before it.
    struct Row {
        /// The session's id.
        var id: String
        /// The cells under the titles; nil for a damaged one.
        var cells: [String]?
        /// Why a damaged session cannot be read.
        var fault: String?
        /// The row for programs.
        var json: JSON
    }

    /// The columns behind the id, each with its width; a negative one aligns to the right.
    struct Columns {
        var titles: [(title: String, width: Int)]

        private static let common = [
            // Epochs of today have 8 characters, those that replace lost ones 16.
            ("EPOCH", 16), ("REV", -7), ("VENDOR", 10), ("PHASE", 7),
        ]
        /// In the data folder of a stopped daemon.
        static let folder = Columns(
            titles: common + [("JOURNAL", -7), ("BYTES", -8), ("IDLE SINCE", 24), ("STAGE", 0)])
        /// Over HTTP.
        static let daemon = Columns(titles: common + [("CLIENTS", -7), ("STORED", 0)])
    }

    private let columns: Columns
    private let isJSON: Bool
    private let print: (String) -> Void
    private var idWidth = "SESSION".count
    /// Sessions so far.
    private(set) var count = 0
    /// Damaged ones among them.
    private(set) var damaged = 0

    private static let maximumIDWidth = 40

    /// A table that has not begun.
    init(_ columns: Columns, isJSON: Bool, print: @escaping (String) -> Void) {
        self.columns = columns
        self.isJSON = isJSON
        self.print = print
    }

    /// Prints what stands above the rows, the longest of whose ids has so many characters.
    mutating func begin(longestID: Int) {
        idWidth = min(max(longestID, idWidth), Self.maximumIDWidth)
        print(isJSON ? "{\"sessions\":[" : line("SESSION", columns.titles.map(\.title)))
    }

    /// Prints rows.
    mutating func add(_ rows: [Row]) {
        var text = ""
        for row in rows {
            if row.fault != nil { damaged += 1 }
            if isJSON {
                text += (count == 0 ? "\n" : ",\n") + PlainText.json(row.json)
            } else if let cells = row.cells {
                text += line(row.id, cells)
            } else {
                text += Self.padded(PlainText.escaped(row.id), idWidth)
                text += "  damaged: \(PlainText.escaped(row.fault ?? "unknown"))\n"
            }
            count += 1
        }
        print(text)
    }

    /// Prints what stands below the rows; `next` is the id that the next ones come after.
    func end(next: String?) {
        guard !isJSON else {
            let next = PlainText.json(next.map { .string($0) } ?? .null)
            return print("\n],\"next\":\(next),\"damaged\":\(damaged)}\n")
        }
        var text = count == 1 ? "1 session" : "\(count) sessions"
        if damaged > 0 { text += ", \(damaged) damaged" }
        if let next { text += "; the next ones: --after \(PlainText.escaped(next))" }
        print(text + "\n")
    }

    private func line(_ id: String, _ cells: [String]) -> String {
        let padded = zip(cells, columns.titles).map {
            Self.padded(PlainText.escaped($0), $1.width)
        }
        let first = Self.padded(PlainText.escaped(id), idWidth)
        return ([first] + padded).joined(separator: "  ") + "\n"
    }

    /// The text with blanks behind it, or before it when the width is negative.
    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? blanks + text : text + blanks
    }
}
