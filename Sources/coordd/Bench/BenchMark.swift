/// What tells an event apart from all others of its session: its number and when it was due.
///
/// It is text in the event, which the daemon publishes as it came, so a screen knows by itself which
/// event it got and how late.
package struct BenchMark: Sendable, Equatable {
    /// The event's number in its session, from 0.
    package var number: UInt32
    /// When it was due, in nanoseconds of a steady clock.
    package var due: UInt64

    /// Bytes of a mark.
    package static let length = 25

    /// A mark.
    package init(number: UInt32, due: UInt64) {
        self.number = number
        self.due = due
    }

    /// The first mark in some bytes; nil when there is none.
    package init?(in bytes: Span<UInt8>) {
        for index in bytes.indices where bytes[index] == UInt8(ascii: "@") {
            let digits = index + 1
            guard bytes.count - index >= Self.length,
                let number = Self.value(bytes.extracting(digits..<digits + 8)),
                let due = Self.value(bytes.extracting(digits + 8..<digits + 24))
            else { continue }
            self.init(number: UInt32(truncatingIfNeeded: number), due: due)
            return
        }
        return nil
    }

    /// `@` and hexadecimal digits, which JSON need not escape.
    package var text: String {
        "@" + Self.digits(UInt64(number), 8) + Self.digits(due, 16)
    }

    private static func digits(_ value: UInt64, _ count: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: count - text.utf8.count) + text
    }

    private static func value(_ digits: Span<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for index in digits.indices {
            let digit: UInt8
            switch digits[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = digits[index] - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                digit = digits[index] - UInt8(ascii: "a") + 10
            default: return nil
            }
            value = value << 4 | UInt64(digit)
        }
        return value
    }
}
