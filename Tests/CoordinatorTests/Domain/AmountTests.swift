import Coordinator
import Testing

@Suite struct AmountTests {
    @Test(arguments: [
        "0", "2", "2.00", "0.5", "1.66", "007", "123456789012345678", "0.12345678901234567",
    ])
    func `plain digits with at most one point are kept as they came`(text: String) {
        #expect(Amount(text: text)?.text == text)
    }

    @Test(arguments: [
        "", ".", ".5", "5.", "+1", "-1", "-0", " 1", "1 ", "1,5", "1.2.3", "1..2", "1e1", "1E1",
        "0x1",
        "NaN", "inf", "1_000", "١", "1\u{301}", "1\u{0}", "1234567890123456789",
        "0.123456789012345678", "0000000000000000001",
    ])
    func `text with anything else or over 18 digits is refused`(text: String) {
        #expect(Amount(text: text) == nil)
    }

    @Test(arguments: [
        ("1.80", "1.80"), ("10.0", "10.0"), ("0", "0"), ("0.0", "0.0"), ("1e1", "10"),
        ("1E+1", "10"), ("1.5e0", "1.5"), ("1.85e1", "18.5"), ("1.5e3", "1500"), ("15e-1", "1.5"),
        ("5e-3", "0.005"), ("0e5", "0"), ("1e17", "100000000000000000"),
        ("123456789012345", "123456789012345"), ("0.00123456789012345", "0.00123456789012345"),
        ("1e00000000000000000000002", "100"),
    ])
    func `a JSON number is written out`(number: String, text: String) {
        #expect(Amount(JSONNumber(text: number))?.text == text)
    }

    @Test(arguments: [
        "-1", "-0", "-0.0", "-1e1", "1234567890123456", "1.234567890123456", "1e18", "1e400",
        "1e-18",
        "1e99999999999999999999", "1e-9223372036854775808", "1e9223372036854775807",
        "1e-9223372036854775807",
    ])
    func `a JSON number that is negative, too precise or too long is refused`(number: String) {
        #expect(Amount(JSONNumber(text: number)) == nil)
    }

    @Test(arguments: [
        ("2", "2.0"), ("2.0", "2.00"), ("0", "0.00"), ("002", "2"),
        ("10", "10.0000000000000000"), ("0.10", "0.1"),
    ])
    func `amounts of one value are equal whatever their digits`(
        left: String, right: String
    ) throws {
        let left = try #require(Amount(text: left))
        let right = try #require(Amount(text: right))
        #expect(left == right)
        #expect(!(left < right) && !(right < left))
    }

    @Test(arguments: [
        ("1.9", "1.90000000000000001"), ("9.99", "10"), ("0", "0.01"), ("2.5", "2.50001"),
        ("0.12345678901234567", "123456789012345678"), ("999999999999999998", "999999999999999999"),
    ])
    func `amounts are ordered by value`(smaller: String, larger: String) throws {
        let smaller = try #require(Amount(text: smaller))
        let larger = try #require(Amount(text: larger))
        #expect(smaller < larger && !(larger < smaller) && smaller != larger)
    }

    @Test(arguments: [
        ("1", false), ("1.00000000000000000", false), ("0.99", false), ("0", false),
        ("1.00000000000000001", true), ("2", true), ("100000000000000000", true),
    ])
    func `a price is more than one`(text: String, isAboveOne: Bool) {
        #expect(Amount(text: text)?.isAboveOne == isAboveOne)
    }

    @Test func `the state shows a string`() {
        #expect(Amount(text: "1.80")?.json == "1.80")
    }
}
