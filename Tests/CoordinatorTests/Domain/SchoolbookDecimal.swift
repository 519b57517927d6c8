import Coordinator

/// Decimals as one calculates on paper, digit by digit, to check what the program calculates.
struct SchoolbookDecimal {
    /// The digits, the last one first.
    private var digits: [Int]
    /// How many of them stand behind the point.
    private var places: Int

    /// Plain digits with at most one point.
    init(_ text: String) {
        digits = text.compactMap(\.wholeNumberValue).reversed()
        places =
            text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first?
            .count ?? 0
    }

    static func * (left: SchoolbookDecimal, right: SchoolbookDecimal) -> SchoolbookDecimal {
        var columns = [Int](repeating: 0, count: left.digits.count + right.digits.count)
        for (row, first) in left.digits.enumerated() {
            for (column, second) in right.digits.enumerated() {
                columns[row + column] += first * second
            }
        }
        var product = SchoolbookDecimal("")
        product.places = left.places + right.places
        product.digits = carried(columns)
        return product
    }

    private static func carried(_ columns: [Int]) -> [Int] {
        var digits: [Int] = []
        var carry = 0
        for column in columns {
            digits.append((column + carry) % 10)
            carry = (column + carry) / 10
        }
        while carry > 0 {
            digits.append(carry % 10)
            carry /= 10
        }
        return digits
    }

    /// Rounded half to even to two places; nil when that has more than 18 digits.
    var rounded: String? {
        var number = self
        while number.places < 2 {
            number.digits.insert(0, at: 0)
            number.places += 1
        }
        let dropped = Array(number.digits.prefix(number.places - 2))
        var kept = Array(number.digits.dropFirst(number.places - 2))
        while kept.count < 3 { kept.append(0) }
        let first = dropped.last ?? 0
        let isMore = first > 5 || (first == 5 && dropped.dropLast().contains { $0 > 0 })
        let isHalf = first == 5 && !isMore
        if isMore || (isHalf && !kept[0].isMultiple(of: 2)) {
            kept[0] += 1
            kept = Self.carried(kept)
        }
        while kept.count > 3, kept.last == 0 { kept.removeLast() }
        guard kept.count <= 18 else { return nil }
        let text = kept.reversed().map(String.init).joined()
        return "\(text.dropLast(2)).\(text.suffix(2))"
    }

    /// What a slip adds up to, recomputed from what a screen sees of it (contract: domain, section
    /// 2); nil without a price, and when a number has more than 18 digits.
    static func totals(of slip: JSON?) -> JSON? {
        let prices = slip?["selections"]?.array?.compactMap { $0["decimalPrice"]?.string } ?? []
        guard !prices.isEmpty else { return nil }
        let product = prices.reduce(SchoolbookDecimal("1")) { $0 * SchoolbookDecimal($1) }
        guard let price = product.rounded else { return nil }
        guard let stake = slip?["stake"]?.string else { return ["price": .string(price)] }
        guard let payout = (product * SchoolbookDecimal(stake)).rounded else { return nil }
        return ["price": .string(price), "return": .string(payout)]
    }
}
