/// All that a session is: the published state and the unpublished memory, as one value.
package struct Viewing: Sendable {
    private var sharedState: Shared<SessionState>
    private var sharedMemory: Shared<SessionMemory>
    /// At least the bytes of the state as JSON; measured anew when it reaches the bound.
    ///
    /// A guess that saves work: it is not stored, and says nothing about what the session is.
    private(set) var stateSizeBound: Int

    /// What every device sees.
    package var state: SessionState {
        _read { yield sharedState.value }
        _modify { yield &sharedState.value }
    }

    /// What only the rules see.
    package var memory: SessionMemory {
        _read { yield sharedMemory.value }
        _modify { yield &sharedMemory.value }
    }

    /// A new session.
    package init() {
        self.init(state: SessionState(), memory: SessionMemory())
    }

    /// A session as it was stored.
    package init(state: SessionState, memory: SessionMemory) {
        sharedState = Shared(state)
        sharedMemory = Shared(memory)
        stateSizeBound = Self.size(of: state)
    }

    /// Whether the memory of both is equal.
    func hasSameMemory(as other: Viewing) -> Bool { sharedMemory == other.sharedMemory }

    /// Takes over from `old` what is equal there, and gives the merge patch that leads here.
    mutating func settle(onto old: Viewing) -> [UInt8] {
        guard !sharedState.isSame(as: old.sharedState) else { return Outcome.emptyPatch }
        let patch = state.settle(onto: old.state)
        if patch != Outcome.emptyPatch {
            // What it adds to the state is written in it, and every comma has its own or a brace's.
            stateSizeBound += patch.count
        } else if sharedState == old.sharedState {
            sharedState = old.sharedState
        }
        return patch
    }

    /// Effects that a stage gets when it subscribes, oldest first; `attach` is what came of that.
    ///
    /// A bet that its attaching offered is told now or never, so it is not in the outbox.
    package func pendingEffects(after attach: Outcome) -> [Effect] {
        let offered = attach.effects.filter { effect in
            if case .placeBet = effect.order { true } else { false }
        }
        return (memory.outbox.effects + offered).sorted { $0.seq < $1.seq }
    }

    /// Applies one event; `revision` is the number it gets if it makes a revision.
    ///
    /// - Throws: the rejection; nothing has changed then.
    package mutating func apply(
        _ event: Event, from origin: Origin, at now: Instant, revision: UInt64, policy: Policy
    ) throws(Rejection) -> Outcome {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        try transition.apply(event, from: origin)
        return try adopt(&transition, reserve: event.isVital ? Self.reservedBytes : 0)
    }

    /// The stage device's connection is there, with the facts it reports.
    ///
    /// - Throws: 423 when another device holds the stage, 422 for a bad fact.
    package mutating func attachStage(
        device: String, facts: JSON?, at now: Instant, revision: UInt64, policy: Policy
    ) throws(Rejection) -> Outcome {
        var transition = Transition(self, at: now, revision: revision, policy: policy)
        try transition.attachStage(
            device, reported: facts)
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

    /// The earliest timer: a toast, a deadline of a placement or an effect, or a stage's grace; nil
    /// when none runs.
    package var nextDeadline: Instant? {
        let own = Instant.earliest(state.toast?.until, memory.stageGraceEnds)
        let effects = Instant.earliest(
            memory.orientationRequest?.deadline, memory.pip.startDeadline)
        return Instant.earliest(Instant.earliest(own, placementDeadline), effects)
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
        } else if due == memory.orientationRequest?.deadline {
            transition.expireOrientation()
        } else if due == memory.pip.startDeadline {
            transition.expireStart()
        } else {
            transition.vacateStage()
        }
        return adoptUnbounded(&transition)
    }

    private var placementDeadline: Instant? {
        guard state.betslip.status == .placing else { return nil }
        return memory.placements.last?.deadline
    }

    /// Bytes beyond the limit for facts, settling and closing: they add little, and a full state must
    /// not keep a player open or a bet unsettled.
    private static let reservedBytes = 1024

    private mutating func adopt(
        _ transition: inout Transition, reserve: Int = 0
    ) throws(Rejection) -> Outcome {
        let limit = transition.policy.stateBytes + reserve
        var (next, outcome) = transition.finish()
        if next.stateSizeBound > limit {
            next.stateSizeBound = Self.size(of: next.state)
            // The session's own events may have added a few bytes beyond the limit; an event that
            // adds none must not fail for that.
            guard next.stateSizeBound <= max(limit, Self.size(of: state)) else {
                throw Rejection(
                    code: 422,
                    message: "state.tooLarge: the state would have "
                        + "\(next.stateSizeBound) bytes, more than \(limit)")
            }
        }
        self = next
        return outcome
    }

    /// For the session's own events, which add a few words and must not fail.
    private mutating func adoptUnbounded(_ transition: inout Transition) -> Outcome {
        let (next, outcome) = transition.finish()
        self = next
        return outcome
    }

    /// Bytes of the state as JSON.
    private static func size(of state: SessionState) -> Int {
        JSONWriter.bytes(of: state.json).count
    }
}

extension Viewing: Equatable {
    /// Equal in state and memory, however well the state's size is known.
    package static func == (left: Viewing, right: Viewing) -> Bool {
        left.sharedState == right.sharedState && left.sharedMemory == right.sharedMemory
    }
}

extension Event {
    /// Whether the event says what has happened or ends something, and brings no text of its own
    /// but a word.
    fileprivate var isVital: Bool {
        switch self {
        case .device(.navigation(_, let url, _)): url == nil
        case .device, .betslip(.settle), .player(.close): true
        case .bridge, .player, .fullscreen, .pip, .betslip, .widgetUpdate, .setTheme, .setLocale,
            .loginComplete:
            false
        }
    }
}
