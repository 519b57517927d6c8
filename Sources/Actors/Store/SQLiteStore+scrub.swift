internal import Coordinator

/// Reading all sessions from time to time, so that an operator hears of damage before a client does.
extension SQLiteStore {
    /// Milliseconds between two steps of a scrub.
    private static let scrubPauseMilliseconds: Int64 = 50
    /// Seconds from the end of one scrub to the next.
    private static let scrubRestSeconds: Int64 = 86_400

    /// Reads every session of the store, about so many a second, now and again a day after its end.
    ///
    /// One that cannot be read is told as one that a load finds, unless it has an activation. With
    /// ``DamagePolicy/newEpoch`` it is left to the load, which mends it.
    package func scrub(perSecond: Int) {
        guard perSecond > 0, policy == .setAside, closing == nil else { return }
        let steps = 1000 / Int(Self.scrubPauseMilliseconds)
        scrubLimit = max(1, perSecond / steps)
        post(.scrub(after: .min, limit: scrubLimit))
    }

    func scrubbed(_ found: [StoreDamage], next: Int64?) {
        for damage in found
        where places[damage.session] == nil && parked[damage.session] == nil
            && loads[damage.session] == nil
        {
            tell(damage)
        }
        let pause = next == nil ? Self.scrubRestSeconds * 1000 : Self.scrubPauseMilliseconds
        scrubPause = loop.schedule(afterMilliseconds: pause) { [weak self] in
            guard let self else { return }
            scrubPause = nil
            guard closing == nil else { return }
            post(.scrub(after: next ?? .min, limit: scrubLimit))
        }
    }

    /// Tells a session's damage the first time.
    func tell(_ damage: StoreDamage) {
        guard damaged.count < Self.damageLimit, damaged.insert(damage.session).inserted else {
            return
        }
        damageObserver?(damage)
    }

    /// Tells once that pages of the file are damaged: only a start can save what they hold.
    func tellDamagedPages() {
        guard !hasDamagedPages else { return }
        hasDamagedPages = true
        pageObserver?(
            StoreFinding(
                isDamage: true,
                text: "pages of the database are damaged; the next start copies what can be read "
                    + "of them into a new one"))
    }
}
