import Actors
import Coordinator
import Testing

@Suite struct CivilTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_767_225_600_123, "2026-01-01T00:00:00.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func `an instant is written as ISO 8601`(milliseconds: Int64, expected: String) {
        #expect(CivilTime(Instant(milliseconds: milliseconds)).text == expected)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        // The example of RFC 9110, section 5.6.7.
        (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
    ])
    func `an instant is written as HTTP wants it`(milliseconds: Int64, expected: String) {
        #expect(CivilTime(Instant(milliseconds: milliseconds)).httpText == expected)
    }

    @Test func `each day follows the one before`() {
        let day: Int64 = 86_400_000
        var previous = CivilTime(Instant(milliseconds: -719_529 * day))
        // From 1 January of year 0 through one cycle of 400 years.
        for index in (-719_528)...(-719_528 + 146_097 as Int64) {
            let next = CivilTime(Instant(milliseconds: index * day))
            let isNextDay = next.day == previous.day + 1 && next.month == previous.month
            let isNextMonth =
                next.day == 1 && previous.day >= 28
                && (next.month == previous.month + 1 || (next.month == 1 && previous.month == 12))
            guard isNextDay || isNextMonth else {
                Issue.record("\(next.text) after \(previous.text)")
                return
            }
            previous = next
        }
        #expect(previous.text.hasPrefix("0400-01-01"))
    }

    @Test func `the ends of time do not trap`() {
        #expect(CivilTime(Instant(milliseconds: .max)).text.hasSuffix("Z"))
        #expect(CivilTime(Instant(milliseconds: .min)).text.hasSuffix("Z"))
        #expect(CivilTime(Instant(milliseconds: .min)).httpText.hasSuffix("GMT"))
    }
}
