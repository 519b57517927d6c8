/// A JSON number as its text, so that `1.80` stays `1.80` and `1e400` can be refused by field.
package struct JSONNumber: Sendable, Equatable {
    /// The number in the grammar of RFC 8259, section 6.
    package let text: String

    /// Wraps a text that is known to follow the number grammar.
    package init(text: String) {
        self.text = text
    }

    /// The number written with the fewest digits that read back as the same value.
    ///
    /// - Parameter value: a finite number; whole numbers are written without a fraction.
    package init(_ value: Double) {
        precondition(value.isFinite, "JSON has no number for \(value)")
        if let whole = Int64(exactly: value) {
            text = String(whole)
        } else {
            text = "\(value)"
        }
    }

    /// The nearest double; nil when the number is out of the finite range.
    package var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The value as an unsigned 64-bit integer; nil with a sign, fraction, exponent or overflow.
    package var unsigned: UInt64? { text.utf8.first == UInt8(ascii: "-") ? nil : UInt64(text) }

    /// The value as a signed 64-bit integer; nil with a fraction, exponent or overflow.
    package var signed: Int64? { Int64(text) }

    /// Whether the number can be held as a finite double.
    package var isInRange: Bool { double != nil }
}
