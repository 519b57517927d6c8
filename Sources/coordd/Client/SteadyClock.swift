/// The clock for durations, which no adjustment of the wall clock moves.
package enum SteadyClock {
    private static let start = ContinuousClock.now

    /// Microseconds since the first look at this clock.
    package static var microseconds: UInt64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    }
}
