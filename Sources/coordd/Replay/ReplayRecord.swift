package import Coordinator

/// What came of one transcript.
package struct ReplayRecord: Sendable {
    /// The transcript's name in messages.
    package var file: String
    /// The session it was played in; nil for the pure rules.
    package var session: SessionID?
    /// What happened so far.
    package var rows: [TranscriptRow] = []
    /// The newest revision.
    package var revision: UInt64 = 0
    /// The published state at the end; nil when the end was not reached.
    package var state: JSON?
    /// Why the end was not reached.
    package var failure: String?

    /// Nothing played yet.
    package init(file: String, session: SessionID? = nil) {
        self.file = file
        self.session = session
    }

    /// Expectations that were not met.
    package var unmetCount: Int { rows.reduce(0) { $0 + $1.unmet.count } }
    /// Steps that were played; those the session did by itself are not counted.
    package var stepCount: Int { rows.count { $0.line != nil } }
    /// Whether everything was played and every expectation met.
    package var isMet: Bool { failure == nil && unmetCount == 0 }

    /// A message for each expectation of a row that was not met, with file and line.
    package func complaints(of row: TranscriptRow) -> [String] {
        row.unmet.map { unmet in
            PlainText.escaped(
                [row.line.map { "\(file):\($0)" } ?? file, "\(unmet)"].joined(
                    separator: ": "
                ))
        }
    }

    /// Everything, for programs.
    package var json: JSON {
        var object = JSONObject()
        object.append("file", .string(file))
        object.append("session", ifPresent: session.map { .string($0.description) })
        object.append("ok", .bool(isMet))
        object.append("failure", ifPresent: failure.map { .string($0) })
        object.append("unmet", .integer(unmetCount))
        object.append("steps", .array(rows.map(Self.json)))
        object.append("rev", .integer(revision))
        object.append("state", ifPresent: state)
        return .object(object)
    }

    private static func json(_ row: TranscriptRow) -> JSON {
        var object = JSONObject()
        object.append("line", ifPresent: row.line.map { .integer($0) })
        object.append("at", .integer(row.at.milliseconds))
        object.append("by", Origin(device: row.device, role: row.role).json)
        object.append("event", .string(row.name))
        switch row.result {
        case .notDue: object.append("result", "notDue")
        case .refused(let code, let message):
            object.append("result", "refused")
            object.append("error", ["code": .integer(code), "message": .string(message)])
        case .taken(let taken):
            object.append("result", .string("\(taken.kind)"))
            object.append("rev", .integer(taken.revision))
            if taken.kind == .revision { object.append("patch", taken.patch) }
            object.append("effects", taken.effects.map { .array($0) } ?? .null)
            object.append("pending", ifPresent: taken.pending.map { .array($0) })
            object.append("warnings", .array(taken.warnings))
            if let answer = taken.answer, !answer.isEmpty {
                object.append("answer", .object(answer))
            }
        }
        object.append("verdict", .string(row.verdict))
        if !row.unmet.isEmpty {
            object.append(
                "unmet",
                .array(
                    row.unmet.map { unmet in
                        [
                            "what": .string(unmet.what), "expected": .string(unmet.expected),
                            "got": .string(unmet.got),
                        ]
                    }))
        }
        return .object(object)
    }
}

extension TranscriptRow {
    /// `met`, `unmet`, or `none` when nothing was expected.
    package var verdict: String { !unmet.isEmpty ? "unmet" : isJudged ? "met" : "none" }
}
