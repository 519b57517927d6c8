/// A token bucket: so many events a second on average, twice as many at once.
package struct RateLimit: Sendable {
    private let perSecond: Int64
    /// Thousandths of an event that may be sent now.
    private var credit: Int64
    private var filledAt: Instant

    /// A full bucket.
    package init(perSecond: Int, at now: Instant) {
        self.perSecond = Int64(perSecond)
        credit = 2000 * Int64(perSecond)
        filledAt = now
    }

    /// Takes one event out of the bucket; false when there is none.
    package mutating func take(at now: Instant) -> Bool {
        let elapsed = min(2000, max(0, now.milliseconds(since: filledAt)))
        filledAt = now
        credit = min(2000 * perSecond, credit + elapsed * perSecond)
        guard credit >= 1000 else { return false }
        credit -= 1000
        return true
    }
}
