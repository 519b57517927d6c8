import Coordinator

/// What a daemon sent, as rows that are judged like those of the pure rules.
extension WireReplay {
    /// A row for each publication that has nothing to do with the step, and one for the step.
    func rows(
        of step: TranscriptStep, _ answer: Result<Reply.Body, RequestFailure>?
    ) -> [TranscriptRow] {
        let own = heard.firstIndex { isOwn($0, step) }
        var rows: [TranscriptRow] = []
        for (index, item) in heard.enumerated() {
            note(item, step)
            guard index != own else { continue }
            var row = TranscriptRow(
                at: step.at, event: item.data["event"]?["type"]?.string ?? "?",
                .taken(taken(item)))
            row.role = item.data["by"]?["role"]?.string.flatMap(Role.init(rawValue:)) ?? .system
            row.device = item.data["by"]?["device"]?.string
            if isStrict {
                let name = row.role == .system ? "timers" : "others"
                row.unmet = [.init(what: name, expected: "none", got: row.name)]
            }
            rows.append(row)
        }
        var row = TranscriptRow(step, result(step, own.map { heard[$0] }, answer))
        if let expectation = step.expectation {
            row.isJudged = true
            row.unmet = expectation.unmet(row.result, isStrict: isStrict)
        }
        return rows + [row]
    }

    private func isOwn(_ item: Heard, _ step: TranscriptStep) -> Bool {
        switch step.action {
        case .expire(let type): item.isMade(by: type)
        case .attach: item.isMade(by: "stage.attached")
        case .detach: item.isMade(by: "stage.detached")
        case .take: item.isMade(by: "stage.taken")
        case .acknowledge: item.isMade(by: "effect.done") || item.isMade(by: "effect.failed")
        case .event: item.data["by"]?["device"]?.string == step.device
        }
    }

    private func result(
        _ step: TranscriptStep, _ own: Heard?, _ answer: Result<Reply.Body, RequestFailure>?
    ) -> TranscriptResult {
        var taken = taken(own)
        taken.answer = nil
        switch answer {
        case .failure(.refused(let error))?:
            return .refused(code: error.code, message: error.message)
        case .success(.rpc(let bytes))?:
            guard case .event = step.action, let value = try? JSONParser.parse(bytes.span).root,
                var members = value.object
            else { break }
            taken.warnings = members["warnings"]?.array ?? []
            members["rev"] = nil
            members["warnings"] = nil
            taken.answer = members
        case .success(.subscribe(let reply))?:
            let value = reply.data.flatMap { try? JSONParser.parse($0.span).root }
            let pending = (value?["pending"]?.array ?? []).map(shifted)
            taken.pending = pending
            taken.effects = pending.filter {
                taken.kind == .revision && $0["rev"]?.number?.unsigned == taken.revision
            }
            return .taken(taken)
        case nil:
            if case .expire = step.action, own == nil { return .notDue }
        case .success?, .failure(.lost)?: break
        }
        // Without a stage of ours they wait in the outbox, where nobody sees them.
        let isSeen = own == nil || (hadStage && step.action != .detach)
        taken.effects = isSeen ? effects.map(shifted) : nil
        return .taken(taken)
    }

    private func taken(_ item: Heard?) -> TranscriptResult.Taken {
        let kind: Outcome.Kind =
            item == nil ? .unchanged : item?.revision == nil ? .signal : .revision
        let newest = folded.position?.offset ?? 0
        var taken = TranscriptResult.Taken(
            kind: kind, revision: item?.revision ?? newest, state: stateNow)
        if let item, let revision = item.revision {
            taken.patch = withToast(item.data["patch"] ?? [:], by: shifts[revision])
        }
        taken.warnings = item?.data["warnings"]?.array ?? []
        return taken
    }

    /// Keeps what brings the server's time of a revision to the transcript's.
    private func note(_ item: Heard, _ step: TranscriptStep) {
        guard let revision = item.revision, let at = item.data["at"]?.number?.signed else { return }
        shifts[revision] = step.at.milliseconds - at
        if item.data["patch"]?["toast"]?["until"] != nil { toastRevision = revision }
    }

    private var stateNow: JSON {
        withToast(folded.state ?? .null, by: toastRevision.flatMap { shifts[$0] })
    }

    /// The value with the end of a toast by the transcript's clock.
    private func withToast(_ value: JSON, by shift: Int64?) -> JSON {
        guard let shift, var object = value.object, var toast = object["toast"]?.object,
            let until = toast["until"]?.number?.signed
        else { return value }
        toast["until"] = .integer(until + shift)
        object["toast"] = .object(toast)
        return .object(object)
    }

    private func shifted(_ effect: JSON) -> JSON {
        guard let revision = effect["rev"]?.number?.unsigned, let shift = shifts[revision],
            var object = effect.object, let until = object["until"]?.number?.signed
        else { return effect }
        object["until"] = .integer(until + shift)
        return .object(object)
    }
}
