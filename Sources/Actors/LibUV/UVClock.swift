internal import CLibUV
package import Coordinator

/// The wall clock, read once, and from then on advanced by the monotonic clock.
///
/// Loops that share one value agree on the time. The monotonic clock of Linux stands still while the
/// machine sleeps; servers do not.
package struct UVClock: Sendable {
    /// Unix milliseconds minus monotonic milliseconds.
    private let offset: Int64

    /// Reads the wall clock.
    package init() {
        var wall = uv_timeval64_t()
        let status = unsafe uv_gettimeofday(&wall)
        precondition(status == 0, "uv_gettimeofday failed")
        offset = wall.tv_sec * 1000 + Int64(wall.tv_usec) / 1000 - Self.monotonicMilliseconds
    }

    /// The present instant, in Unix milliseconds.
    package var now: Instant {
        Instant(milliseconds: Self.monotonicMilliseconds + offset)
    }

    /// The instant at which the monotonic clock showed so many milliseconds.
    func instant(atMonotonic milliseconds: UInt64) -> Instant {
        Instant(milliseconds: Int64(milliseconds) + offset)
    }

    /// Whole milliseconds of the monotonic clock, which is the clock of libuv's timers.
    static var monotonicMilliseconds: Int64 {
        Int64(monotonicNanoseconds / 1_000_000)
    }

    /// Nanoseconds of the monotonic clock.
    static var monotonicNanoseconds: UInt64 { uv_hrtime() }
}
