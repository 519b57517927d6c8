package import Coordinator

/// Prints what comes of transcripts, as text or JSON.
package struct ReplayOutput {
    /// How to print.
    package struct Style: Sendable {
        /// One JSON object a transcript instead of text.
        package var isJSON = false
        /// Whether the output is a terminal that takes colours.
        package var isColored = false
        /// Whether there is one transcript only, whose rows and end state are shown.
        package var isSingle = true

        /// Text for one transcript.
        package init() {}
    }

    private let style: Style
    private let print: (String) -> Void
    private let complain: (String) -> Void
    private var table: ReplayTable?
    private var files = 0
    private var steps = 0
    private var unmet = 0
    private var failed = 0

    /// Prints the result by `print` and what is not as expected by `complain`, a line each.
    package init(
        style: Style, print: @escaping (String) -> Void, complain: @escaping (String) -> Void
    ) {
        self.style = style
        self.print = print
        self.complain = complain
    }

    /// Whether every transcript was played and every expectation met.
    package var isMet: Bool { failed == 0 }

    /// A transcript begins.
    package mutating func begin(_ file: ReplayFile, _ record: ReplayRecord) {
        files += 1
        guard !style.isJSON, style.isSingle else { return }
        if let session = record.session { print("session \(session)") }
        let table = ReplayTable(file.transcript, isColored: style.isColored)
        print(table.head)
        self.table = table
    }

    /// Something happened in it.
    package func show(_ row: TranscriptRow, in record: ReplayRecord) {
        if let table { print(table.text(row)) }
        for complaint in record.complaints(of: row) { complain(complaint) }
    }

    /// It is over.
    package mutating func end(_ record: ReplayRecord) {
        steps += record.stepCount
        unmet += record.unmetCount
        if !record.isMet { failed += 1 }
        if let failure = record.failure {
            complain("\(PlainText.escaped(record.file)): \(PlainText.escaped(failure))")
        }
        if style.isJSON { return print(PlainText.json(record.json)) }
        guard !style.isSingle else {
            if let state = record.state {
                print("state at rev \(record.revision):")
                print(PlainText.indentedJSON(state))
            }
            return
        }
        let verdict = record.isMet ? paint("ok   ", "32") : paint("UNMET", "31")
        let session = record.session.map { ", session \($0)" } ?? ""
        print(
            "\(verdict)  \(PlainText.escaped(record.file)): \(record.stepCount) steps, "
                + "rev \(record.revision)\(session)")
    }

    /// All are over.
    package func summarize() {
        if style.isJSON {
            guard !style.isSingle else { return }
            return print(
                PlainText.json([
                    "ok": .bool(isMet), "files": .integer(files), "failed": .integer(failed),
                    "steps": .integer(steps), "unmet": .integer(unmet),
                ]))
        }
        let played = (style.isSingle ? "" : "\(files) files, ") + "\(steps) steps: "
        let files = style.isSingle ? "" : " in \(failed) files"
        print(
            played
                + (isMet
                    ? "every expectation met"
                    : unmet == 0
                        ? "not played to the end\(files)" : "\(unmet) expectations not met\(files)")
        )
    }

    private func paint(_ text: String, _ color: String) -> String {
        style.isColored ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }
}
