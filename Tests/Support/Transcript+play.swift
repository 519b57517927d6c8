internal import Coordinator

extension Transcript {
    /// Something that did not come as expected.
    package struct Mismatch: Sendable, Equatable, CustomStringConvertible {
        /// The line of the step, counted from 1.
        package var line: Int
        /// What was compared.
        package var what: String
        /// What the transcript says, as text.
        package var expected: String
        /// What came, as text.
        package var got: String

        /// All of it, on three lines.
        package var description: String {
            "line \(line): \(what)\n  expected \(expected)\n  got      \(got)"
        }
    }

    /// Plays all steps on a new session and tells what did not come as expected.
    package func play() -> [Mismatch] {
        var player = TranscriptPlayer(policy: policy)
        for step in steps { player.play(step) }
        return player.mismatches
    }
}

/// A session that a transcript is played on, and its comparisons so far.
private struct TranscriptPlayer {
    let policy: Policy
    var viewing = Viewing()
    var revision: UInt64 = 0
    /// What a mirror has folded from the patches.
    var folded = Viewing().state.json
    var mismatches: [Transcript.Mismatch] = []

    private typealias Result = (outcome: Outcome, farewell: [Effect])

    init(policy: Policy) {
        self.policy = policy
    }

    mutating func play(_ step: Transcript.Step) {
        if case .expire = step.action {
        } else if let due = viewing.nextDeadline, due <= step.at {
            note(step, "a timer is due before the step", "none", "\(due.milliseconds)")
        }
        var next = viewing
        do throws(Rejection) {
            let (outcome, farewell) = try perform(step, on: &next)
            let pending = next.pendingEffects(after: outcome)
            viewing = next
            compare(outcome, farewell, pending, with: step)
        } catch {
            if next != viewing { note(step, "a rejection changed the session", "no change", "one") }
            compare(error, with: step)
        }
        if let state = step.expected["state"] {
            compareSubset(state, viewing.state.json, step, "state")
        }
    }

    private func perform(
        _ step: Transcript.Step, on next: inout Viewing
    ) throws(Rejection) -> Result {
        let stage = next.state.stage
        let holdsStage =
            step.role == .player && stage?.device == step.device && stage?.connected == true
        switch step.action {
        case .event(let document):
            let event = try Event.decode(document, policy: policy)
            let origin = Origin(device: step.device, role: step.role, holdsStage: holdsStage)
            try event.permit(origin, in: next)
            return (
                try next.apply(
                    event, from: origin, at: step.at, revision: revision + 1, policy: policy), []
            )
        case .attach(let facts):
            return (
                try next.attachStage(
                    device: step.device ?? "", facts: facts, at: step.at, revision: revision + 1,
                    policy: policy), []
            )
        case .take:
            guard step.role != .observer else { throw .forbidden("role.forbidden", "observer") }
            let takeover = try next.takeStage(
                device: step.device ?? "", at: step.at, revision: revision + 1, policy: policy)
            return (takeover.outcome, takeover.farewell)
        case .detach, .acknowledge:
            guard holdsStage else { throw .forbidden("stage.notHeld", "not the stage") }
            if case .acknowledge(let done, let failed) = step.action {
                return (
                    next.acknowledge(
                        done: done, failed: failed, at: step.at, revision: revision + 1,
                        policy: policy), []
                )
            }
            return (next.detachStage(at: step.at, revision: revision + 1, policy: policy), [])
        case .expire(let name):
            let due = next.nextDeadline
            guard
                let outcome = next.expire(at: step.at, revision: revision + 1, policy: policy),
                due == step.at, outcome.published?["type"]?.string == name
            else {
                let time = due.map { "\($0.milliseconds)" } ?? "never"
                throw Rejection(code: 0, message: "no \(name): the next timer is due \(time)")
            }
            return (outcome, [])
        }
    }

    private mutating func compare(
        _ outcome: Outcome, _ farewell: [Effect], _ pending: [Effect], with step: Transcript.Step
    ) {
        let expected = step.expected
        if let error = expected["error"] { note(step, "error", text(error), "none") }
        switch outcome.kind {
        case .revision:
            revision += 1
            folded = MergePatch.apply(outcome.patch, to: folded)
            let patch = expected["patch"].map(text) ?? "no revision"
            if expected["patch"] != outcome.patch {
                note(step, "patch", patch, text(outcome.patch))
            }
        case .signal:
            if expected["signal"] != true { note(step, "signal", "none", "a signal") }
        case .unchanged:
            if expected["unchanged"] != true { note(step, "unchanged", "a change", "none") }
        }
        if expected["rev"] != .integer(revision) {
            note(step, "rev", expected["rev"].map(text) ?? "none", "\(revision)")
        }
        if folded != viewing.state.json {
            note(step, "the folded patches", text(viewing.state.json), text(folded))
        }
        compareEffects(farewell + outcome.effects, step, "effects")
        if expected["pending"] != nil { compareEffects(pending, step, "pending") }
        let warnings = JSON.array(outcome.warnings.map { .string($0.code) })
        if warnings != expected["warnings"] ?? [] {
            let got = JSON.array(outcome.warnings.map(\.json))
            note(step, "warnings", text(expected["warnings"] ?? []), text(got))
        }
        if JSON.object(outcome.answer) != expected["answer"] ?? [:] {
            note(step, "answer", text(expected["answer"] ?? [:]), text(.object(outcome.answer)))
        }
    }

    private mutating func compare(_ rejection: Rejection, with step: Transcript.Step) {
        let got = "\(rejection.code) \(rejection.message)"
        guard let error = step.expected["error"] else {
            return note(step, "error", "none", got)
        }
        let reason = String(rejection.message.prefix { $0 != ":" })
        let isExpected =
            error["code"] == .integer(rejection.code)
            && (error["reason"] == nil || error["reason"] == .string(reason))
            && (error["contains"]?.string.map(rejection.message.contains) ?? true)
        if !isExpected { note(step, "error", text(error), got) }
    }

    private mutating func compareEffects(
        _ effects: [Effect], _ step: Transcript.Step, _ what: String
    ) {
        let expected = step.expected[what]?.array ?? []
        let got = effects.map(\.json)
        let isExpected =
            expected.count == got.count
            && zip(expected, got).allSatisfy { expected, got in
                (expected.object?.members ?? []).allSatisfy { got[$0.key] == $0.value }
            }
        if !isExpected { note(step, what, text(.array(expected)), text(.array(got))) }
    }

    private mutating func compareSubset(
        _ expected: JSON, _ got: JSON?, _ step: Transcript.Step, _ path: String
    ) {
        if case .object(let members) = expected, got?.object != nil {
            for member in members.members {
                compareSubset(member.value, got?[member.key], step, "\(path).\(member.key)")
            }
        } else if expected != got ?? .null {
            note(step, path, text(expected), got.map(text) ?? "absent")
        }
    }

    private mutating func note(
        _ step: Transcript.Step, _ what: String, _ expected: String, _ got: String
    ) {
        mismatches.append(
            Transcript.Mismatch(line: step.line, what: what, expected: expected, got: got))
    }

    private func text(_ value: JSON) -> String {
        JSONWriter.text(of: value)
    }
}
