import Coordinator
import Testing

@Suite struct JSONNumberTests {
    @Test(arguments: [
        ("0", UInt64(0)), ("18446744073709551615", .max), ("18446744073709551616", nil),
        ("-1", nil),
        ("1.0", nil), ("1e2", nil), ("-0", nil),
    ])
    func `an unsigned integer is plain digits`(text: String, value: UInt64?) {
        #expect(JSONNumber(text: text).unsigned == value)
    }

    @Test(arguments: [
        ("1e308", true), ("1e309", false), ("-1e400", false), ("1e-5", true), ("0e999", true),
        ("179769313486231570000", true),
    ])
    func `a number no double can hold is out of range`(text: String, isInRange: Bool) {
        #expect(JSONNumber(text: text).isInRange == isInRange)
    }
}
