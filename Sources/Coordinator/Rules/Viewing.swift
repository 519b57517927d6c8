/// All that a session is: the published state and the unpublished memory, as one value.
package struct Viewing: Sendable, Equatable {
    /// What every device sees.
    package var state: SessionState
    /// What only the rules see.
    package var memory: SessionMemory

    /// A new session.
    package init() {
        self.init(state: SessionState(), memory: SessionMemory())
    }

    init(state: SessionState, memory: SessionMemory) {
        self.state = state
        self.memory = memory
    }

    /// What a stage that subscribed with this outcome gets, oldest first: all that waits, and the
    /// bet that it was offered by subscribing.
    package func pendingEffects(after attach: Outcome) -> [Effect] {
        let waiting = memory.outbox.effects
        let once = attach.effects.filter { effect in
            !waiting.contains { $0.seq == effect.seq }
        }
        return (waiting + once).sorted { $0.seq < $1.seq }
    }

    /// Applies one event; `revision` is the number it gets if it makes a revision.
    ///
    /// - Throws: the rejection; nothing has changed then.
    package mutating func apply(
        _ event: Event, from origin: Origin, at now: Instant, revision: UInt64, policy: Policy
    ) throws(Rejection) -> Outcome {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        try transition.apply(event, from: origin)
        return try adopt(&transition)
    }

    /// The stage device's connection is there, with the facts it reports.
    ///
    /// - Throws: 423 when another device holds the stage, 422 for a bad fact.
    package mutating func attachStage(
        device: String, facts: JSON?, at now: Instant, revision: UInt64, policy: Policy
    ) throws(Rejection) -> Outcome {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        try transition.attachStage(
            device, facts: try DeviceFact.Facts(facts, policy: policy), reported: facts)
        return try adopt(&transition)
    }

    /// The stage device's connection is gone.
    package mutating func detachStage(
        at now: Instant, revision: UInt64, policy: Policy
    ) -> Outcome {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        transition.detachStage()
        return adoptUnbounded(&transition)
    }

    /// Another device takes the stage, or this one confirms that it may.
    package mutating func takeStage(
        device: String, at now: Instant, revision: UInt64, policy: Policy
    ) throws(Rejection) -> Takeover {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        let farewell = transition.takeStage(for: device)
        return Takeover(outcome: try adopt(&transition), farewell: farewell)
    }

    /// The stage's verdicts on effects.
    package mutating func acknowledge(
        done: [UInt64], failed: [EffectFailure], at now: Instant, revision: UInt64, policy: Policy
    ) -> Outcome {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        transition.acknowledge(done: done, failed: failed)
        return adoptUnbounded(&transition)
    }

    /// The earliest timer: a toast, a placement's deadline or a stage's grace; nil when none runs.
    package var nextDeadline: Instant? {
        [state.toast?.until, memory.stageGraceEnds, placementDeadline].compactMap { $0 }.min()
    }

    /// Lets the earliest timer that is due do its work; nil when none is due.
    package mutating func expire(
        at now: Instant, revision: UInt64, policy: Policy
    ) -> Outcome? {
        guard let due = nextDeadline, due <= now else { return nil }
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        if due == state.toast?.until {
            transition.expireToast()
        } else if due == placementDeadline {
            transition.expirePlacement()
        } else {
            transition.vacateStage()
        }
        return adoptUnbounded(&transition)
    }

    private var placementDeadline: Instant? {
        guard state.betslip.status == .placing else { return nil }
        return memory.placements.last?.deadline
    }

    private mutating func adopt(_ transition: inout Transition) throws(Rejection) -> Outcome {
        let limit = transition.policy.stateBytes
        var (next, outcome) = transition.finish()
        try next.boundState(to: limit)
        self = next
        return outcome
    }

    /// For the session's own events, which add a few words and must not fail.
    private mutating func adoptUnbounded(_ transition: inout Transition) -> Outcome {
        let (next, outcome) = transition.finish()
        self = next
        return outcome
    }

    /// Measures the state only when what was added since could have made it too large.
    private mutating func boundState(to limit: Int) throws(Rejection) {
        guard memory.stateSizeBound > limit else { return }
        let size = JSONWriter.bytes(of: state.json).count
        guard size <= limit else {
            throw Rejection(
                code: 422,
                message: "state.tooLarge: the state would have \(size) bytes, more than \(limit)")
        }
        memory.stateSizeBound = size
    }
}
