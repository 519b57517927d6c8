package import Coordinator
import Glibc

/// The wall clock of the operating system.
package enum SystemClock {
    /// The present instant, in Unix milliseconds.
    package static var now: Instant {
        var time = timespec()
        // Fails only for an unknown clock or a bad address.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
