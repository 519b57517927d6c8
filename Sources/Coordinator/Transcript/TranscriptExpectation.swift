/// What must come of one step (Docs/Transcripts.md).
package struct TranscriptExpectation: Sendable, Equatable {
    /// The members as they stand in the transcript.
    let members: JSONObject

    /// Wraps members that the reader has checked.
    init(_ members: JSONObject) {
        self.members = members
    }

    /// The expectations that a result does not meet.
    ///
    /// - Parameters:
    ///   - result: What came of the step.
    ///   - isStrict: Whether what is not named must not happen.
    /// - Returns: One entry for each; empty when all are met.
    package func unmet(_ result: TranscriptResult, isStrict: Bool) -> [TranscriptRow.Unmet] {
        switch result {
        case .notDue: [.init(what: "expire", expected: "a timer that is due now", got: "none")]
        case .refused(let code, let message): unmet(code, message)
        case .taken(let taken): unmet(taken, isStrict: isStrict)
        }
    }

    private func unmet(_ code: UInt32, _ message: String) -> [TranscriptRow.Unmet] {
        let got = "\(code) \(message)"
        guard let error = members["error"], !error.isNull else {
            return [.init(what: "error", expected: "none", got: got)]
        }
        let reason = String(message.prefix { $0 != ":" })
        let isMet =
            switch error {
            case .number(let number): number.unsigned == UInt64(code)
            case .string(let text): text == reason || text == message
            default:
                (error["code"].map { $0.number?.unsigned == UInt64(code) } ?? true)
                    && (error["reason"].map { $0.string == reason } ?? true)
                    && (error["message"].map { $0.string == message } ?? true)
                    && (error["contains"]?.string.map { message.contains($0) } ?? true)
            }
        return isMet ? [] : [.init(what: "error", expected: Self.text(error), got: got)]
    }

    private func unmet(
        _ taken: TranscriptResult.Taken, isStrict: Bool
    ) -> [TranscriptRow.Unmet] {
        var found: [TranscriptRow.Unmet] = []
        func miss(_ what: String, _ expected: String, _ got: String) {
            found.append(.init(what: what, expected: expected, got: got))
        }
        if let error = members["error"], !error.isNull { miss("error", Self.text(error), "none") }
        if let rev = members["rev"], rev.number?.unsigned != taken.revision {
            miss("rev", Self.text(rev), "\(taken.revision)")
        }
        if let patch = members["patch"] {
            if patch != taken.patch { miss("patch", Self.text(patch), Self.text(taken.patch)) }
        } else if isStrict, taken.kind == .revision {
            miss("patch", "none", Self.text(taken.patch))
        }
        for (kind, name) in [(Outcome.Kind.signal, "signal"), (.unchanged, "unchanged")] {
            let wanted = members[name]?.bool
            if wanted != nil || isStrict, (wanted ?? false) != (taken.kind == kind) {
                miss(name, "\(wanted ?? false)", "\(taken.kind == kind)")
            }
        }
        compare("effects", taken.effects, naming: "kind", isStrict: isStrict, &found)
        compare("pending", taken.pending, naming: "kind", isStrict: isStrict, &found)
        compare("warnings", taken.warnings, naming: "code", isStrict: isStrict, &found)
        if let answer = taken.answer {
            if let wanted = members["answer"] {
                if !Self.contains(.object(answer), wanted) {
                    miss("answer", Self.text(wanted), Self.text(.object(answer)))
                }
            } else if isStrict, !answer.isEmpty {
                miss("answer", "no more than rev and warnings", Self.text(.object(answer)))
            }
        }
        if let state = members["state"], !Self.contains(taken.state, state) {
            miss("state", Self.text(state), Self.text(taken.state))
        }
        return found
    }

    /// Lists agree in order and number, each element on the members given; a text stands for an
    /// object whose member `naming` it is.
    private func compare(
        _ what: String, _ got: [JSON]?, naming: String, isStrict: Bool,
        _ found: inout [TranscriptRow.Unmet]
    ) {
        guard let got, let wanted = members[what]?.array ?? (isStrict ? [] : nil) else { return }
        let agrees = zip(wanted, got).allSatisfy { wanted, got in
            if case .string = wanted { return got[naming] == wanted }
            return Self.contains(got, wanted)
        }
        guard wanted.count != got.count || !agrees else { return }
        let shown = got.map { element in
            // A page is long, and nobody compares it by eye.
            guard var object = element.object, object["html"] != nil else { return element }
            object["html"] = "…"
            return .object(object)
        }
        found.append(
            .init(what: what, expected: Self.text(.array(wanted)), got: Self.text(.array(shown))))
    }

    private static func text(_ value: JSON) -> String { JSONWriter.text(of: value) }

    /// Whether every member wanted is the same there; `null` stands for an absent member.
    private static func contains(_ value: JSON, _ wanted: JSON) -> Bool {
        switch (wanted, value) {
        case (.object(let wanted), .object(let object)):
            wanted.members.allSatisfy { member in
                guard let value = object[member.key] else { return member.value.isNull }
                return contains(value, member.value)
            }
        case (.array(let wanted), .array(let elements)):
            wanted.count == elements.count
                && zip(elements, wanted).allSatisfy { contains($0, $1) }
        default: wanted == value
        }
    }
}
