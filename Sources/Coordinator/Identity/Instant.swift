/// A moment of the server's clock, in Unix milliseconds.
///
/// The pure core never reads a clock: every entry point takes the present instant as an argument
/// (contract: domain, section 1).
package struct Instant: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    /// Wraps Unix milliseconds.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The earlier of two instants sorts first.
    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant `milliseconds` later; saturates instead of trapping at the end of time.
    package func advanced(byMilliseconds milliseconds: Int64) -> Instant {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        guard overflow else { return Instant(milliseconds: sum) }
        return Instant(milliseconds: milliseconds < 0 ? .min : .max)
    }

    /// The instant `seconds` later.
    package func advanced(bySeconds seconds: Int64) -> Instant {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard overflow else { return advanced(byMilliseconds: product) }
        return Instant(milliseconds: seconds < 0 ? .min : .max)
    }

    /// Milliseconds from `earlier` to this instant; negative when `earlier` is later.
    package func milliseconds(since earlier: Instant) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        guard overflow else { return difference }
        return milliseconds < earlier.milliseconds ? .min : .max
    }

    /// The earlier of two that may not be there; nil when neither is.
    static func earliest(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
