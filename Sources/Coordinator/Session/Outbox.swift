/// Effects that the stage has not acknowledged, oldest first (contract: domain, section 4.7).
package struct Outbox: Sendable, Equatable {
    /// The effects, oldest first.
    package private(set) var effects: [Effect] = []
    /// The number that was given last; 0 before the first.
    private(set) var lastSeq: UInt64 = 0

    /// An outbox whose first effect gets the number 1.
    package init() {}

    /// An outbox as it was stored: its effects oldest first, none with a number beyond `lastSeq`.
    init(effects: [Effect], lastSeq: UInt64) {
        self.effects = effects
        self.lastSeq = lastSeq
    }

    /// Adds an effect, which replaces one of the same merge key; gives it and whether the oldest
    /// had to be dropped to stay within `limit` effects of together `bytes` bytes.
    ///
    /// Before that go reports that are asked for again later. The newest stays, however large it is.
    package mutating func append(
        _ order: EffectOrder, rev: UInt64, limit: Int, bytes: Int = .max
    ) -> (effect: Effect, overflowed: Bool) {
        removeMerged(into: order)
        let effect = Effect(seq: nextSeq(), rev: rev, order: order)
        effects.append(effect)
        if exceeds(limit, bytes) { dropRepeatedReports() }
        var overflowed = false
        while effects.count > 1, exceeds(limit, bytes) {
            effects.removeFirst()
            overflowed = true
        }
        return (effect, overflowed)
    }

    /// Takes out the effects that one replaces.
    ///
    /// A close script with a `loadPage` behind it stays: it belongs to the page before that one,
    /// which must not go without it (contract: domain, section 5.1).
    private mutating func removeMerged(into order: EffectOrder) {
        guard let key = order.mergeKey else { return }
        var first: UInt64 = 0
        if case .evaluateJavaScript(.close, _, _) = order {
            first = effects.last(where: \.loadsPage)?.seq ?? 0
        }
        effects.removeAll { $0.order.mergeKey == key && $0.seq >= first }
    }

    private func exceeds(_ limit: Int, _ bytes: Int) -> Bool {
        effects.count > limit || effects.reduce(0) { $0 + $1.weight } > bytes
    }

    /// A device that comes and goes without acknowledging is asked for a report each time; the last
    /// one tells all.
    private mutating func dropRepeatedReports() {
        let last = effects.last { $0.order == .reportFacts }?.seq
        effects.removeAll { $0.order == .reportFacts && $0.seq != last }
    }

    /// The number for an effect that is not kept here.
    package mutating func nextSeq() -> UInt64 {
        lastSeq += 1
        return lastSeq
    }

    /// Takes an effect out; nil when it is not here (any more).
    package mutating func remove(seq: UInt64) -> Effect? {
        guard let index = effects.firstIndex(where: { $0.seq == seq }) else { return nil }
        return effects.remove(at: index)
    }

    /// Takes back the effects that are no longer wanted.
    package mutating func removeAll(where isUnwanted: (EffectOrder) -> Bool) {
        effects.removeAll { isUnwanted($0.order) }
    }
}

extension Effect {
    fileprivate var loadsPage: Bool { if case .loadPage = order { true } else { false } }
}
