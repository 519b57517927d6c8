/// Durations of one kind, for their percentiles.
struct Samples {
    private var nanoseconds: [UInt64] = []

    var count: Int { nanoseconds.count }

    mutating func add(_ value: UInt64) {
        nanoseconds.append(value)
    }

    /// The percentiles in microseconds; nil without a sample.
    func summary() -> Percentiles? {
        guard !nanoseconds.isEmpty else { return nil }
        let sorted = nanoseconds.sorted()
        func at(_ share: Double) -> Double {
            let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
            return Double(sorted[max(0, place)]) / 1000
        }
        return Percentiles(p50: at(0.5), p90: at(0.9), p99: at(0.99), maximum: at(1))
    }
}

/// Percentiles of a duration, in microseconds.
struct Percentiles: Sendable {
    var p50, p90, p99, maximum: Double
}
