/// The exact product of amounts, of any length, until it is rounded once.
///
/// Fifty prices of 18 digits make a number of 900 digits; no decimal library is at hand, and
/// multiplying and rounding is all that is needed (contract: domain, section 2).
package struct AmountProduct: Sendable {
    /// The product without its point as long as it has room here, which it nearly always has.
    private var small: UInt128? = 1
    /// Limbs of nine decimal digits, the lowest first, once it has not.
    private var limbs: [UInt32] = []
    private var scale = 0

    private static let limbBase: UInt64 = 1_000_000_000
    private static let limbDigits = 9

    /// One, times all of `factors`.
    package init(_ factors: some Sequence<Amount>) {
        for factor in factors { multiply(by: factor) }
    }

    /// The product times `factor`.
    package func times(_ factor: Amount) -> AmountProduct {
        var result = self
        result.multiply(by: factor)
        return result
    }

    private mutating func multiply(by factor: Amount) {
        scale += factor.scale
        if let small {
            let (product, isTooLarge) = small.multipliedReportingOverflow(
                by: UInt128(factor.mantissa))
            if !isTooLarge {
                self.small = product
                return
            }
            limbs = Self.limbs(of: small)
            self.small = nil
        }
        let low = factor.mantissa % Self.limbBase
        let high = factor.mantissa / Self.limbBase
        var result = [UInt32](repeating: 0, count: limbs.count + 2)
        for (offset, part) in [low, high].enumerated() where part > 0 {
            var carry: UInt64 = 0
            var index = offset
            for limb in limbs {
                // Below 10^18 + 2·10^9: no overflow.
                let sum = UInt64(result[index]) + UInt64(limb) * part + carry
                result[index] = UInt32(sum % Self.limbBase)
                carry = sum / Self.limbBase
                index += 1
            }
            while carry > 0 {
                let sum = UInt64(result[index]) + carry
                result[index] = UInt32(sum % Self.limbBase)
                carry = sum / Self.limbBase
                index += 1
            }
        }
        while result.count > 1, result.last == 0 { result.removeLast() }
        limbs = result
    }

    private static func limbs(of number: UInt128) -> [UInt32] {
        var limbs: [UInt32] = []
        var rest = number
        while rest > 0 {
            limbs.append(UInt32(rest % UInt128(limbBase)))
            rest /= UInt128(limbBase)
        }
        return limbs.isEmpty ? [0] : limbs
    }

    /// The product rounded half to even to `places` digits after the point, all of them written;
    /// nil when that has more than ``Amount/maximumDigits`` digits.
    package func rounded(places: Int = 2) -> Amount? {
        if let small, scale >= places, scale - places <= Amount.maximumDigits {
            // Half as wide is much faster to divide, and mostly wide enough.
            return if let short = UInt64(exactly: small) {
                Self.rounded(short, dropping: scale - places, places: places)
            } else {
                Self.rounded(small, dropping: scale - places, places: places)
            }
        }
        var digits = decimalDigits
        if scale < places {
            digits += [UInt8](repeating: 0, count: places - scale)
        } else if scale > places {
            digits = Self.roundedHalfEven(digits, dropping: scale - places)
        }
        if digits.count <= places {
            digits = [UInt8](repeating: 0, count: places + 1 - digits.count) + digits
        }
        guard digits.count <= Amount.maximumDigits else { return nil }
        var text = digits.map { $0 + UInt8(ascii: "0") }
        if places > 0 { text.insert(UInt8(ascii: "."), at: text.count - places) }
        return Amount(text: String(decoding: text, as: UTF8.self))
    }

    /// The number without its last `count` digits, rounded half to even, with a point again.
    private static func rounded<Number: FixedWidthInteger & UnsignedInteger>(
        _ number: Number, dropping count: Int, places: Int
    ) -> Amount? {
        let divisor = Number(Amount.power(count))
        var (kept, rest) = number.quotientAndRemainder(dividingBy: divisor)
        // The divisor is at most 10^18, so twice the rest has room.
        rest *= 2
        if rest > divisor || (rest == divisor && kept % 2 == 1) { kept += 1 }
        guard kept < Number(Amount.power(Amount.maximumDigits)) else { return nil }
        return Amount(mantissa: UInt64(kept), places: places)
    }

    /// The digits of the whole number that the limbs make, the highest first, without zeros ahead.
    private var decimalDigits: [UInt8] {
        var digits: [UInt8] = []
        let limbs = small.map(Self.limbs(of:)) ?? self.limbs
        for limb in limbs.reversed() {
            var rest = limb
            var part = [UInt8](repeating: 0, count: Self.limbDigits)
            for index in part.indices.reversed() {
                part[index] = UInt8(rest % 10)
                rest /= 10
            }
            digits += part
        }
        return Array(digits.drop { $0 == 0 })
    }

    private static func roundedHalfEven(_ digits: [UInt8], dropping count: Int) -> [UInt8] {
        guard digits.count >= count else { return [] }
        var kept = Array(digits.dropLast(count))
        let dropped = digits.suffix(count)
        let isHalf = dropped.first == 5 && dropped.dropFirst().allSatisfy { $0 == 0 }
        let roundsUp =
            isHalf ? (kept.last ?? 0) % 2 == 1 : (dropped.first ?? 0) >= 5
        guard roundsUp else { return kept }
        var index = kept.count - 1
        while index >= 0, kept[index] == 9 {
            kept[index] = 0
            index -= 1
        }
        if index < 0 {
            kept.insert(1, at: 0)
        } else {
            kept[index] += 1
        }
        return kept
    }
}
