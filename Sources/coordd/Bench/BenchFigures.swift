/// What was counted in a benchmark.
package struct BenchFigures: Sendable, Equatable {
    /// Connections that got ready, when the first was begun, and how long all of them took.
    package var connections = 0
    package var connectStart: UInt64 = 0
    package var connectNanoseconds: UInt64 = 0
    /// How long was measured.
    package var nanoseconds: UInt64 = 0
    /// Events of the whole run, and deliveries of them to screens.
    package var sent = 0
    package var delivered = 0
    /// The same in the time that was measured.
    package var measuredSent = 0
    package var measuredDelivered = 0
    /// Deliveries that never came, and those that came twice or late.
    package var lost = 0
    package var disordered = 0
    /// Events that the daemon refused, and its words for the first.
    package var refused = 0
    package var refusal: String?
    /// From when an event was due to a screen, in microseconds.
    package var toScreens = LatencyHistogram()
    /// From when an event was sent to its answer.
    package var toAnswers = LatencyHistogram()
    /// How late events of an open loop were sent.
    package var lag = LatencyHistogram()
    /// Processor time of our own daemon in the time that was measured.
    package var daemonSeconds: Double?

    /// Nothing was counted yet.
    package init() {}
}
