/// Counts of durations in buckets that grow with them: exact below 64 µs, within 1/32 above.
package struct LatencyHistogram: Sendable, Equatable {
    private var buckets: [UInt32] = []
    /// How many durations were recorded.
    package private(set) var count: UInt64 = 0
    /// The longest duration, exactly, in microseconds.
    package private(set) var maximum: UInt64 = 0

    /// Each power of two is cut into this many buckets.
    private static let steps: UInt64 = 32

    /// A histogram without a sample.
    package init() {}

    /// Adds one duration in microseconds.
    package mutating func record(_ microseconds: UInt64) {
        let index = Self.bucket(of: microseconds)
        if index >= buckets.count {
            buckets.append(contentsOf: repeatElement(0, count: index + 1 - buckets.count))
        }
        buckets[index] &+= 1
        count += 1
        maximum = max(maximum, microseconds)
    }

    /// The duration in microseconds that `percent` of 100 do not exceed (nearest rank), rounded up
    /// to its bucket's end; nil when nothing was recorded.
    package func percentile(_ percent: UInt64) -> UInt64? {
        quantile(thousandths: percent * 10)
    }

    /// The same for thousandths, such as 999.
    package func quantile(thousandths: UInt64) -> UInt64? {
        guard count > 0 else { return nil }
        let rank = max(1, (count * thousandths + 999) / 1000)
        var seen: UInt64 = 0
        for (index, inBucket) in buckets.enumerated() {
            seen += UInt64(inBucket)
            if seen >= rank { return min(Self.end(of: index), maximum) }
        }
        return maximum
    }

    private static func bucket(of value: UInt64) -> Int {
        guard value >= 2 * steps else { return Int(value) }
        let shift = UInt64(63 - value.leadingZeroBitCount) - 5
        return Int(shift * steps + (value >> shift))
    }

    private static func end(of index: Int) -> UInt64 {
        let index = UInt64(index)
        guard index >= 2 * steps else { return index }
        let shift = index / steps - 1
        return ((index - shift * steps + 1) << shift) - 1
    }
}
