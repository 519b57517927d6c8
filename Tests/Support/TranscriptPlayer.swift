internal import Coordinator

/// Plays the steps of a transcript on the pure rules and compares what comes of each.
struct TranscriptPlayer {
    /// The session as the steps so far left it.
    private(set) var viewing = Viewing()
    private var revision: UInt64 = 0
    private var policy = Policy()
    /// The state that a mirror folds from the patches.
    private var folded = Viewing().state.json

    /// What came of a step.
    private enum Result {
        case outcome(Outcome, pending: [Effect]?)
        case rejection(Rejection)
        case nothingDue
    }

    init(_ configuration: JSONObject) {
        if configuration["betslip"]?["confirm"]?.string == "auto" { policy.betslipConfirm = .auto }
        set(&policy.betslipDeadlineSeconds, configuration["betslip"]?["deadlineSeconds"])
        set(&policy.stageGraceSeconds, configuration["stage"]?["graceSeconds"])
        let bounds = configuration["bounds"]
        set(&policy.outboxLimit, bounds?["outbox"])
        set(&policy.selectionLimit, bounds?["selections"])
        set(&policy.contentBytes, bounds?["contentBytes"])
        set(&policy.textBytes, bounds?["textBytes"])
        set(&policy.stateBytes, bounds?["stateBytes"])
        set(&policy.placementSeconds, bounds?["placementSeconds"])
        set(&policy.placementLimit, bounds?["placements"])
        set(&policy.toastMilliseconds, bounds?["toastMilliseconds"])
        for member in configuration["handlers"]?.object?.members ?? [] {
            policy.handlers[member.key] = member.value.string.flatMap(Vendor.init(rawValue:))
        }
        if let selector = configuration["vendors"]?["genius"]?["fullscreenSelector"]?.string {
            policy.genius.fullscreenSelector = selector
        }
    }

    private func set<Number: FixedWidthInteger>(_ value: inout Number, _ given: JSON?) {
        if let number = given?.number?.signed { value = Number(number) }
    }

    mutating func play(_ step: Transcript.Step) -> [String] {
        let object = step.object
        let now = Instant(milliseconds: object["at"]?.number?.signed ?? 0)
        var found: [String] = []
        if object["expire"] == nil, let due = viewing.nextDeadline, due <= now {
            found.append("a timer is due at \(due.milliseconds)")
        }
        let before = viewing
        do throws(Rejection) {
            // First the step: what it is compared with is the session afterwards.
            let result = try perform(step, at: now)
            found += compare(result, object["expect"])
        } catch {
            if viewing != before { found.append("a rejection changed the session") }
            found += compare(.rejection(error), object["expect"])
        }
        if folded != viewing.state.json {
            found.append("folded patches give \(text(folded)), not \(text(viewing.state.json))")
        }
        return found.map { "line \(step.line): \($0)" }
    }

    private mutating func perform(
        _ whole: Transcript.Step, at now: Instant
    ) throws(Rejection) -> Result {
        let step = whole.object
        let device = step["by"]?["device"]?.string
        let role = step["by"]?["role"]?.string.flatMap(Role.init(rawValue:)) ?? .system
        let next = revision + 1
        let outcome: Outcome
        var pending: [Effect]?
        if let attach = step["attach"] {
            outcome = try viewing.attachStage(
                device: device ?? "", facts: attach["facts"], at: now, revision: next,
                policy: policy)
            pending = viewing.pendingEffects(after: outcome)
        } else if step["detach"] != nil {
            outcome = viewing.detachStage(at: now, revision: next, policy: policy)
        } else if step["take"] != nil {
            // The session checks this before it asks the rules.
            guard role != .observer else { throw Rejection(code: 103, message: "observer") }
            let takeover = try viewing.takeStage(
                device: device ?? "", at: now, revision: next, policy: policy)
            var told = takeover.outcome
            told.effects = takeover.farewell
            outcome = told
        } else if let ack = step["ack"] {
            guard viewing.state.stage?.device == device, viewing.state.stage?.connected == true
            else { throw Rejection(code: 103, message: "not the stage") }
            outcome = viewing.acknowledge(
                done: (ack["done"]?.array ?? []).compactMap { $0.number?.unsigned },
                failed: (ack["failed"]?.array ?? []).map(EffectFailure.init(json:)), at: now,
                revision: next, policy: policy)
        } else if let expire = step["expire"]?.string {
            guard viewing.nextDeadline == now,
                let expired = viewing.expire(at: now, revision: next, policy: policy),
                expired.published?["type"]?.string == expire
            else { return .nothingDue }
            outcome = expired
        } else {
            let stage = viewing.state.stage
            let origin = Origin(
                device: device, role: role,
                holdsStage: role == .player && stage?.connected == true && stage?.device == device)
            let event = try Event.decode(
                JSONDocument(root: step["event"] ?? .null, defects: whole.eventDefects),
                policy: policy)
            try event.permit(origin, in: viewing)
            outcome = try viewing.apply(
                event, from: origin, at: now, revision: next, policy: policy)
        }
        if outcome.kind == .revision { revision = next }
        folded = MergePatch.apply(outcome.patch, to: folded)
        return .outcome(outcome, pending: pending)
    }

    private func compare(_ result: Result, _ expect: JSON?) -> [String] {
        guard let expect = expect?.object else { return [] }
        switch result {
        case .nothingDue: return ["no such timer is due now"]
        case .rejection(let rejection): return compare(rejection, expect)
        case .outcome(let outcome, let pending):
            return compare(outcome, expect) + compare(pending, expect["pending"])
        }
    }

    private func compare(_ rejection: Rejection, _ expect: JSONObject) -> [String] {
        let got = "got \(rejection.code) \(rejection.message)"
        guard let error = expect["error"] else { return ["expected no error, \(got)"] }
        let reason = rejection.message.prefix { $0 != ":" }
        guard error["code"]?.number?.unsigned == UInt64(rejection.code),
            error["reason"].map({ $0.string == String(reason) }) ?? true,
            error["contains"]?.string.map({ rejection.message.contains($0) }) ?? true
        else { return ["expected \(text(error)), \(got)"] }
        return []
    }

    private func compare(_ outcome: Outcome, _ expect: JSONObject) -> [String] {
        var found: [String] = []
        if let error = expect["error"] { found.append("expected \(text(error)), got none") }
        if let rev = expect["rev"]?.number?.unsigned, rev != revision {
            found.append("expected rev \(rev), got \(revision)")
        }
        switch outcome.kind {
        case .revision where expect["patch"] != outcome.patch:
            found.append("expected patch \(text(expect["patch"])), got \(text(outcome.patch))")
        case .signal where expect["signal"]?.bool != true: found.append("got a signal")
        case .unchanged where expect["unchanged"]?.bool != true: found.append("got no change")
        case .revision, .signal, .unchanged: break
        }
        found += compare(outcome.effects, expect["effects"] ?? [], "effects")
        let codes = JSON.array(outcome.warnings.map { .string($0.code) })
        if codes != expect["warnings"] ?? [] {
            found.append("expected warnings \(text(expect["warnings"])), got \(text(codes))")
        }
        let answer = JSON.object(outcome.answer)
        if let wanted = expect["answer"] {
            if !wanted.isContained(in: answer) {
                found.append("expected answer \(text(wanted)), got \(text(answer))")
            }
        } else if !outcome.answer.isEmpty {
            found.append("expected no more in the answer, got \(text(answer))")
        }
        if let state = expect["state"], !state.isContained(in: viewing.state.json) {
            found.append("expected state \(text(state)), got \(text(viewing.state.json))")
        }
        return found
    }

    private func compare(_ pending: [Effect]?, _ expect: JSON?) -> [String] {
        guard let pending else { return [] }
        return compare(pending, expect ?? [], "pending")
    }

    private func compare(_ effects: [Effect], _ expect: JSON, _ name: String) -> [String] {
        let got = effects.map(\.json)
        let wanted = expect.array ?? []
        guard wanted.count == got.count, zip(wanted, got).allSatisfy({ $0.isContained(in: $1) })
        else {
            let shown = got.map { effect in
                var object = effect.object ?? JSONObject()
                object["html"] = nil
                return JSON.object(object)
            }
            return ["expected \(name) \(text(expect)), got \(text(.array(shown)))"]
        }
        return []
    }

    private func text(_ value: JSON?) -> String {
        value.map(JSONWriter.text(of:)) ?? "none"
    }
}

extension EffectFailure {
    fileprivate init(json: JSON) {
        self.init(
            seq: json["seq"]?.number?.unsigned ?? 0, code: json["code"]?.string ?? "",
            message: json["message"]?.string ?? "")
    }
}

extension JSON {
    /// Whether every member given here is the same there; `null` stands for an absent member.
    fileprivate func isContained(in other: JSON) -> Bool {
        switch (self, other) {
        case (.object(let wanted), .object(let got)):
            wanted.members.allSatisfy { member in
                guard let value = got[member.key] else { return member.value.isNull }
                return member.value.isContained(in: value)
            }
        case (.array(let wanted), .array(let got)):
            wanted.count == got.count
                && zip(wanted, got).allSatisfy { $0.isContained(in: $1) }
        default: self == other
        }
    }
}
