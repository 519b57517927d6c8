package import Coordinator

/// The wall clock of the operating system, for those who follow its jumps: the log.
package enum SystemClock {
    /// The present instant, in Unix milliseconds.
    package static var now: Instant { UVClock().now }
}
