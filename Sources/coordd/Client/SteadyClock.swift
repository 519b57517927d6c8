import Glibc

/// The clock for durations, which no adjustment of the wall clock moves.
enum SteadyClock {
    /// Microseconds since some moment in the past.
    static var microseconds: UInt64 {
        var time = timespec()
        // Fails only for an unknown clock or a bad address.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
