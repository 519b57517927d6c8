/// When the events of an open loop are due, whatever becomes of those before them.
///
/// At high rates several are due together, so that the clock is not looked at for each.
package struct BenchSchedule: Sendable, Equatable {
    /// Events that are due together.
    package let eventsPerTick: UInt64
    /// Nanoseconds from one tick to the next.
    package let tickNanoseconds: UInt64

    /// Ticks are at least so far apart.
    private static let leastNanoseconds = 250_000.0

    /// A schedule of so many events a second.
    package init(eventsPerSecond rate: Double) {
        eventsPerTick = UInt64(max(1, (rate * Self.leastNanoseconds / 1e9).rounded(.up)))
        tickNanoseconds = UInt64((Double(eventsPerTick) * 1e9 / rate).rounded())
    }

    /// Nanoseconds from the start to when event `number` is due.
    package func due(_ number: UInt64) -> UInt64 {
        number / eventsPerTick * tickNanoseconds
    }
}
