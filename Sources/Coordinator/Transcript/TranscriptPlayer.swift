/// Plays the steps of a transcript on the pure rules and judges what comes of each.
package struct TranscriptPlayer: Sendable {
    /// The session as the steps so far left it.
    package private(set) var viewing = Viewing()
    private let policy: Policy
    private let isStrict: Bool
    /// The state that a mirror folds from the patches.
    private var folded = Viewing().state.json

    /// The newest revision.
    package private(set) var revision: UInt64 = 0

    /// A player on a new session.
    ///
    /// - Parameters:
    ///   - policy: The rules' numbers, selectors and templates.
    ///   - isStrict: Whether what a step does not name must not happen; otherwise timers that are due
    ///     go off between two steps by themselves.
    package init(policy: Policy, isStrict: Bool) {
        self.policy = policy
        self.isStrict = isStrict
    }

    /// The published state.
    package var state: JSON { viewing.state.json }

    /// Plays one step; gives a row for each timer that went off before it, and one for the step.
    package mutating func play(_ step: TranscriptStep) -> [TranscriptRow] {
        var rows: [TranscriptRow] = []
        var unmet: [TranscriptRow.Unmet] = []
        if isStrict {
            if case .expire = step.action {
            } else if let due = viewing.nextDeadline, due <= step.at {
                unmet.append(
                    .init(
                        what: "timers", expected: "none that is due",
                        got: "one due at \(due.milliseconds)"))
            }
        } else {
            rows = expireTimers(before: step)
        }
        let before = viewing
        var row = TranscriptRow(step, .notDue)
        do throws(Rejection) {
            row.result = try perform(step)
        } catch {
            row.result = .refused(code: error.code, message: error.message)
            if viewing != before {
                unmet.append(
                    .init(what: "state", expected: "unchanged by a rejection", got: "another"))
            }
        }
        if folded != viewing.state.json {
            unmet.append(
                .init(
                    what: "patch", expected: "one that folds to the state",
                    got: JSONWriter.text(of: folded)))
        }
        if let expectation = step.expectation {
            row.isJudged = true
            unmet += expectation.unmet(row.result, isStrict: isStrict)
        }
        row.unmet = unmet
        rows.append(row)
        return rows
    }

    /// Lets the timers go off that are due, up to the one that the step itself waits for.
    private mutating func expireTimers(before step: TranscriptStep) -> [TranscriptRow] {
        var rows: [TranscriptRow] = []
        while let due = viewing.nextDeadline, due <= step.at {
            var next = viewing
            guard let outcome = next.expire(at: due, revision: revision + 1, policy: policy) else {
                break
            }
            let type = outcome.published?["type"]?.string ?? "?"
            if case .expire(type) = step.action { break }
            viewing = next
            rows.append(TranscriptRow(at: due, event: type, taken(outcome)))
        }
        return rows
    }

    private mutating func perform(_ step: TranscriptStep) throws(Rejection) -> TranscriptResult {
        let (now, next) = (step.at, revision + 1)
        switch step.action {
        case .event(let document):
            let stage = viewing.state.stage
            let origin = Origin(
                device: step.device, role: step.role,
                holdsStage: step.role == .player && stage?.connected == true
                    && stage?.device == step.device)
            let event = try Event.decode(document, policy: policy)
            try event.permit(origin, in: viewing)
            return taken(
                try viewing.apply(event, from: origin, at: now, revision: next, policy: policy))
        case .attach(let facts):
            let outcome = try viewing.attachStage(
                device: step.device ?? "", facts: facts, at: now, revision: next, policy: policy)
            return taken(outcome, pending: viewing.pendingEffects(after: outcome))
        case .detach:
            return taken(viewing.detachStage(at: now, revision: next, policy: policy))
        case .take:
            // The session checks this before it asks the rules.
            guard step.role != .observer else { throw Rejection(code: 103, message: "observer") }
            var takeover = try viewing.takeStage(
                device: step.device ?? "", at: now, revision: next, policy: policy)
            takeover.outcome.effects = takeover.farewell
            return taken(takeover.outcome)
        case .acknowledge(let done, let failed):
            guard let stage = viewing.state.stage, stage.connected,
                step.device == nil || step.device == stage.device
            else { throw Rejection(code: 103, message: "not the stage") }
            return taken(
                viewing.acknowledge(
                    done: done, failed: failed, at: now, revision: next, policy: policy))
        case .expire(let type):
            guard let due = viewing.nextDeadline, isStrict ? due == now : due <= now else {
                return .notDue
            }
            var expired = viewing
            guard let outcome = expired.expire(at: now, revision: next, policy: policy),
                outcome.published?["type"]?.string == type
            else { return .notDue }
            viewing = expired
            return taken(outcome)
        }
    }

    /// Counts the revision, if it is one, and folds its patch.
    private mutating func taken(
        _ outcome: Outcome, pending: [Effect]? = nil
    ) -> TranscriptResult {
        if outcome.kind == .revision { revision += 1 }
        folded = MergePatch.apply(outcome.patch, to: folded)
        var taken = TranscriptResult.Taken(
            kind: outcome.kind, revision: revision, state: viewing.state.json)
        if outcome.kind == .revision { taken.patch = outcome.patch }
        taken.effects = outcome.effects.map(\.json)
        taken.warnings = outcome.warnings.map(\.json)
        taken.answer = outcome.answer
        taken.pending = pending?.map(\.json)
        return .taken(taken)
    }
}
