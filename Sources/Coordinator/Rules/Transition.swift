/// The workspace of one event: rules change it, and its end decides what came of the event.
package struct Transition {
    /// What the session becomes.
    private var next: Viewing
    package let now: Instant
    let revision: UInt64
    package let policy: Policy

    /// Effects of this event in order; a later one of the same merge key replaces an earlier one.
    private(set) var effects: [Effect] = []
    package var warnings: [Warning] = []
    /// Passed on to whoever listens now when nothing changes.
    package var isSignal = false
    /// Says keep-awake again although it has not changed, for a device that may have forgotten.
    var repeatsKeepAwake = false
    /// The requested orientation that this event found drawn (contract: domain, section 4.2).
    var confirmed: InterfaceOrientation?
    /// The name under which the event's page tracks something; counted, and that is all.
    package var tracked: String?
    /// Asks for `dismissPlayer`, which comes after everything else.
    var dismissesPlayer = false
    /// Members of the answer beside the revision.
    var answer = JSONObject()
    /// The event to publish where it is the session's own.
    var published: JSON?

    private let before: Viewing

    package var state: SessionState {
        _read { yield next.state }
        _modify { yield &next.state }
    }

    var memory: SessionMemory {
        _read { yield next.memory }
        _modify { yield &next.memory }
    }

    init(_ viewing: Viewing, at now: Instant, revision: UInt64, policy: Policy) {
        before = viewing
        next = viewing
        self.now = now
        self.revision = revision
        self.policy = policy
    }

    /// Asks the stage for something; it waits in the outbox until acknowledged.
    package mutating func emit(_ order: EffectOrder) {
        let (effect, overflowed) = memory.outbox.append(
            order, rev: revision, limit: policy.outboxLimit, bytes: policy.outboxBytes)
        if let key = order.mergeKey { effects.removeAll { $0.order.mergeKey == key } }
        effects.append(effect)
        if overflowed {
            warn(
                "outbox.full",
                "the oldest effect was dropped: more than \(policy.outboxLimit), or than "
                    + "\(policy.outboxBytes) bytes")
        }
    }

    /// Asks the stage for something that is sent once and never again.
    mutating func emitOnce(_ order: EffectOrder) {
        effects.append(Effect(seq: memory.outbox.nextSeq(), rev: revision, order: order))
    }

    package mutating func warn(_ code: String, _ message: String) {
        // What a client wrote may be quoted here, and everybody hears of it.
        warnings.append(Warning(code, Redaction.url(message, policy: policy)))
    }

    /// The vendor's bridge; nil before there is a vendor.
    var bridge: (any Bridge)? { state.vendor.flatMap { policy.vendors.bridge(of: $0) } }

    /// Ends the event: settles what follows from the state and tells what came of it.
    mutating func finish() -> (Viewing, Outcome) {
        settleKeepAwake()
        if dismissesPlayer { emit(.dismissPlayer) }
        let patch = next.settle(onto: before)
        let kind: Outcome.Kind =
            patch != Outcome.emptyPatch || !effects.isEmpty
            ? .revision : isSignal ? .signal : .unchanged
        let outcome = Outcome(
            kind: kind, isDurable: kind == .revision || !next.hasSameMemory(as: before),
            effects: effects, patchText: patch, warnings: warnings, answer: answer,
            published: published, tracked: tracked)
        return (next, outcome)
    }
}
