package import Coordinator

/// An instant as a date and time of UTC, written as ISO 8601 says.
package struct CivilTime: Sendable, Equatable {
    /// The year of the Gregorian calendar, carried back before its invention; 0 is 1 BC.
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64
    /// Milliseconds since midnight.
    package let millisecondOfDay: Int64
    /// Days since the last Thursday, 0 to 6.
    private let weekday: Int

    private static let millisecondsPerDay: Int64 = 86_400_000
    /// Days of 400 years, after which the Gregorian calendar repeats itself.
    private static let daysPerCycle: Int64 = 146_097
    /// Days from 1 March of year 0 to 1 January 1970.
    private static let daysToUnixEpoch: Int64 = 719_468

    /// The date and time of `instant`.
    ///
    /// Years are counted from 1 March here, so that the leap day is the last day of a year and the
    /// months before it follow one pattern: five months have 153 days.
    package init(_ instant: Instant) {
        let (days, rest) = Self.floorDivide(instant.milliseconds, by: Self.millisecondsPerDay)
        millisecondOfDay = rest
        // The first day of 1970 was a Thursday.
        weekday = Int(Self.floorDivide(days, by: 7).remainder)
        let (cycle, dayOfCycle) = Self.floorDivide(
            days + Self.daysToUnixEpoch, by: Self.daysPerCycle)
        let leapDays = dayOfCycle / 1460 - dayOfCycle / 36_524 + dayOfCycle / 146_096
        let yearOfCycle = (dayOfCycle - leapDays) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    }

    /// Such as `2026-01-01T00:00:00.123Z`.
    package var text: String {
        let second = millisecondOfDay / 1000
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let hour = Self.padded(second / 3600, 2)
        let minute = Self.padded(second / 60 % 60, 2)
        let rest = "\(Self.padded(second % 60, 2)).\(Self.padded(millisecondOfDay % 1000, 3))"
        return "\(date)T\(hour):\(minute):\(rest)Z"
    }

    /// Such as `Thu, 01 Jan 2026 00:00:00 GMT` (RFC 9110, section 5.6.7).
    package var httpText: String {
        let second = millisecondOfDay / 1000
        let date = "\(Self.padded(day, 2)) \(Self.months[Int(month - 1)]) \(Self.padded(year, 4))"
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        return "\(Self.weekdays[weekday]), \(date) \(time.joined(separator: ":")) GMT"
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Quotient and a remainder that is never negative.
    private static func floorDivide(
        _ value: Int64, by divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
