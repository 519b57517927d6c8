/// Seconds with up to three decimals as whole milliseconds, exactly.
enum Decimals {
    /// `0.25` as 250; nil for a sign, an exponent, more than three decimals, or too many digits.
    static func milliseconds(_ text: String) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...9).contains(whole.utf8.count), parts.count <= 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } })
        else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.utf8.count <= 3 else { return nil }
        let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
        guard let seconds = Int(whole), let rest = Int(padded) else { return nil }
        return seconds * 1000 + rest
    }

    /// 250 as `0.25`; for numbers that are not negative.
    static func seconds(_ milliseconds: Int) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        guard rest > 0 else { return String(seconds) }
        let digits = String(rest)
        var decimals = String(repeating: "0", count: 3 - digits.utf8.count) + digits
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(seconds).\(decimals)"
    }
}
