// The entry of a libFuzzer run over prices and stakes: each line is one amount. Built by
// Scripts/fuzz.sh together with the sources it is about.

/// Feeds one input: each line as text and as a number, then all of them as one product.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAmount(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var factors: [Amount] = []
    for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 50) {
        let text = String(decoding: line, as: UTF8.self)
        if let amount = Amount(text: text) {
            check(amount, text)
            factors.append(amount)
        }
        guard let number = (try? JSONParser.parse(Array(line).span))?.root.number else { continue }
        if let amount = Amount(number) {
            precondition(Amount(text: amount.text) == amount, "a number's text is another amount")
            factors.append(amount)
        }
    }
    let product = AmountProduct(factors)
    for places in [0, 2, 5] {
        let expected = LongProduct(factors).rounded(places: places)
        precondition(product.rounded(places: places)?.text == expected, "another product")
    }
    return 0
}

private func check(_ amount: Amount, _ text: String) {
    precondition(amount.text == text, "the digits are not those that came")
    let digits = text.utf8.filter { $0 != UInt8(ascii: ".") }
    precondition(digits.allSatisfy { (0x30...0x39).contains($0) }, "no digit, and yet an amount")
    precondition(!digits.isEmpty && text.utf8.count - digits.count <= 1)
    precondition(!(amount.isAboveOne && amount.isBelowOne))
    precondition(!(amount < amount) && amount == amount)
}

/// The product as it is done on paper, digit by digit: slow, and nothing like the one it checks.
private struct LongProduct {
    /// Lowest digit first.
    private var digits: [Int] = [1]
    private var scale = 0

    init(_ factors: [Amount]) {
        for factor in factors {
            let plain = factor.text.utf8.filter { $0 != UInt8(ascii: ".") }
            let other = plain.reversed().map { Int($0) - 0x30 }
            if let point = factor.text.utf8.firstIndex(of: UInt8(ascii: ".")) {
                scale += factor.text.utf8.distance(from: point, to: factor.text.utf8.endIndex) - 1
            }
            var result = [Int](repeating: 0, count: digits.count + other.count)
            for (row, one) in digits.enumerated() {
                for (column, two) in other.enumerated() { result[row + column] += one * two }
            }
            for index in result.indices.dropLast() {
                result[index + 1] += result[index] / 10
                result[index] %= 10
            }
            digits = result
        }
    }

    /// Half to even; nil beyond 18 digits.
    func rounded(places: Int) -> String? {
        var kept = digits
        if scale > places {
            let dropped = Array(kept.prefix(scale - places))
            kept.removeFirst(min(scale - places, kept.count))
            if kept.isEmpty { kept = [0] }
            let half = dropped.count == scale - places ? dropped.last ?? 0 : 0
            let rest = dropped.dropLast().contains { $0 > 0 }
            if half > 5 || (half == 5 && (rest || kept[0] % 2 == 1)) {
                var index = 0
                kept[0] += 1
                while kept[index] == 10 {
                    kept[index] = 0
                    index += 1
                    if index == kept.count { kept.append(0) }
                    kept[index] += 1
                }
            }
        } else {
            kept = [Int](repeating: 0, count: places - scale) + kept
        }
        while kept.count > places + 1, kept.last == 0 { kept.removeLast() }
        while kept.count < places + 1 { kept.append(0) }
        guard kept.count <= Amount.maximumDigits else { return nil }
        var text = ""
        for (index, digit) in kept.enumerated().reversed() {
            text += String(digit)
            if index == places, places > 0 { text += "." }
        }
        return text
    }
}
