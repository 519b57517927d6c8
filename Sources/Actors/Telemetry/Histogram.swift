/// How often something took how long, in buckets that are the same for every latency.
package struct Histogram: Sendable, Equatable {
    /// The upper bounds of the buckets, in nanoseconds, inclusive; one more bucket has no bound.
    package static let bounds: [UInt64] = [
        50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000,
        10_000_000, 25_000_000, 50_000_000,
        100_000_000, 250_000_000, 500_000_000,
        1_000_000_000, 2_500_000_000, 5_000_000_000,
        10_000_000_000,
    ]

    /// Observations in each bucket alone, the one without a bound last.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all observations, in nanoseconds.
    package private(set) var sum: UInt64 = 0

    /// Nothing observed.
    package init() {}

    /// Adds what was observed elsewhere.
    mutating func add(_ other: Histogram) {
        counts.add(other.counts)
        sum &+= other.sum
    }

    /// Adds one observation, in nanoseconds.
    package mutating func observe(_ nanoseconds: UInt64) {
        // Most observations belong to the first few buckets.
        var bucket = 0
        while bucket < Self.bounds.count, nanoseconds > Self.bounds[bucket] { bucket += 1 }
        counts[bucket] &+= 1
        sum &+= nanoseconds
    }
}
