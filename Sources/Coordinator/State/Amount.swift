/// An exact decimal for prices and stakes, kept with the digits it came with.
///
/// Never a binary float; equal values are equal however they are written: 2, 2.0, 2.00 (contract:
/// domain, section 2).
package struct Amount: Sendable {
    /// The digits as they came, with at most one point.
    package let text: String
    /// The value without its point: below 10^18.
    let mantissa: UInt64
    /// Digits after the point.
    let scale: Int

    /// Digits that a number as text may have.
    package static let maximumDigits = 18
    /// Significant digits that a JSON number may have: what a double carries without loss.
    package static let maximumNumberDigits = 15

    private init(text: String, mantissa: UInt64, scale: Int) {
        self.text = text
        self.mantissa = mantissa
        self.scale = scale
    }

    /// The number `mantissa`, below 10^18, with its point before the last `places` digits; at least
    /// one digit stands before the point.
    init(mantissa: UInt64, places: Int) {
        // From the last digit to the first.
        var text: InlineArray<20, UInt8> = .init(repeating: 0)
        var start = text.count
        var rest = mantissa
        var digits = 0
        while rest > 0 || digits <= places {
            if digits == places, places > 0 {
                start -= 1
                text[start] = UInt8(ascii: ".")
            }
            start -= 1
            text[start] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
            digits += 1
        }
        let written = text.span.extracting(start...)
        self.init(
            // Nothing but digits and a point.
            text: String(copying: unsafe UTF8Span(unchecked: written)), mantissa: mantissa,
            scale: places)
    }

    /// Reads plain digits with at most one point between them; nil for anything else, signs,
    /// blanks and exponents included, and beyond ``maximumDigits``.
    package init?(text: String) {
        var mantissa: UInt64 = 0
        var digits = 0
        var point: Int?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard digits <= Self.maximumDigits else { return nil }
                mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ".") where point == nil && digits > 0: point = digits
            default: return nil
            }
        }
        guard digits > 0, point != digits else { return nil }
        self.init(text: text, mantissa: mantissa, scale: digits - (point ?? digits))
    }

    /// Reads a JSON number and writes out its exponent.
    ///
    /// Nil when it is negative, has more than ``maximumNumberDigits`` significant digits, or more
    /// than ``maximumDigits`` when written out.
    package init?(_ number: JSONNumber) {
        let parts = number.text.utf8.split(
            maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 | 0x20 == 0x65 })
        guard let plain = parts.first, let significant = String(plain) else { return nil }
        guard Self.significantDigits(significant) <= Self.maximumNumberDigits else { return nil }
        guard parts.count == 2 else {
            self.init(text: significant)
            return
        }
        // Beyond three digits an exponent is out of any range; zero stays zero there too. A range,
        // since `abs` traps for the least integer, which a page may well send.
        guard let base = Amount(text: significant), let sign = String(parts[1]),
            let exponent = Int(sign.utf8.first == 0x2B ? String(sign.dropFirst()) : sign),
            (-400...400).contains(exponent)
        else { return nil }
        self.init(text: base.shifted(by: exponent))
    }

    private static func significantDigits(_ text: String) -> Int {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        return digits.count - leading
    }

    /// The digits with the point moved right by `exponent` places.
    private func shifted(by exponent: Int) -> String {
        var digits = String(mantissa)
        let places = scale - exponent
        if places <= 0 {
            return mantissa == 0 ? "0" : digits + String(repeating: "0", count: -places)
        }
        if digits.utf8.count <= places {
            digits = String(repeating: "0", count: places + 1 - digits.utf8.count) + digits
        }
        let point = digits.index(digits.endIndex, offsetBy: -places)
        return digits[..<point] + "." + digits[point...]
    }

    /// Whether the value is more than one, as a price must be.
    package var isAboveOne: Bool { mantissa > Self.power(scale) }

    /// Whether the value is less than one, as no product of prices is.
    package var isBelowOne: Bool { mantissa < Self.power(scale) }

    /// Ten to the power of `exponent`, which is at most 18.
    static func power(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { product, _ in product * 10 }
    }

    /// The amount as the state shows it: a string.
    package var json: JSON { .string(text) }
}

extension Amount: Equatable, Comparable {
    private static func aligned(_ left: Amount, _ right: Amount) -> (UInt128, UInt128) {
        // Both below 10^36, far from the end of 128 bits.
        (
            UInt128(left.mantissa) * UInt128(power(max(0, right.scale - left.scale))),
            UInt128(right.mantissa) * UInt128(power(max(0, left.scale - right.scale)))
        )
    }

    /// Equal in value, whatever the digits.
    package static func == (left: Amount, right: Amount) -> Bool {
        let (left, right) = aligned(left, right)
        return left == right
    }

    /// Less in value.
    package static func < (left: Amount, right: Amount) -> Bool {
        let (left, right) = aligned(left, right)
        return left < right
    }
}
