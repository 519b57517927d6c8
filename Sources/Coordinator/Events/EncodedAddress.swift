/// Addresses that are percent-encoded, as the value of another address's parameter has them.
enum EncodedAddress {
    /// What separates the parts of a query, by its code in hexadecimal digits.
    private enum Mark: CaseIterable {
        case question, ampersand, hash, equals

        var code: (UInt8, UInt8) {
            switch self {
            case .question: (UInt8(ascii: "3"), UInt8(ascii: "f"))
            case .ampersand: (UInt8(ascii: "2"), UInt8(ascii: "6"))
            case .hash: (UInt8(ascii: "2"), UInt8(ascii: "3"))
            case .equals: (UInt8(ascii: "3"), UInt8(ascii: "d"))
            }
        }
    }

    /// The address without the pairs of encoded queries whose name is one of `parameters`.
    ///
    /// However often they are encoded: each time makes "25" of the "%" before.
    static func cleaned(_ address: [UInt8], _ isSecret: (ArraySlice<UInt8>) -> Bool) -> [UInt8] {
        guard address.contains(UInt8(ascii: "%")) else { return address }
        var output: [UInt8] = []
        var position = 0
        while position < address.count {
            guard let (mark, length) = mark(address, at: position), mark != .equals,
                let end = endOfSecret(address, from: position + length, isSecret)
            else {
                output.append(address[position])
                position += 1
                continue
            }
            // The query's mark stays for the pairs behind it, whose own mark goes.
            if mark == .question, end < address.count,
                case let (next, skipped)? = Self.mark(address, at: end), next == .ampersand
            {
                output += address[position..<(position + length)]
                position = end + skipped
            } else {
                position = end
            }
        }
        return output
    }

    /// Where the secret pair that starts at `start` ends; nil when it is none.
    private static func endOfSecret(
        _ bytes: [UInt8], from start: Int, _ isSecret: (ArraySlice<UInt8>) -> Bool
    ) -> Int? {
        var end = start
        var nameEnd: Int?
        while end < bytes.count, !endsPair(bytes[end]) {
            if let (mark, _) = mark(bytes, at: end) {
                guard mark == .equals else { break }
                nameEnd = nameEnd ?? end
            } else if bytes[end] == UInt8(ascii: "=") {
                nameEnd = nameEnd ?? end
            }
            end += 1
        }
        guard let nameEnd, isSecret(bytes[start..<nameEnd]) else { return nil }
        return end
    }

    /// What ends the parameter that the encoded address is in.
    private static func endsPair(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "&"), UInt8(ascii: "#"), UInt8(ascii: "\""),
            UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        default: false
        }
    }

    /// The mark that is encoded at a place, and the bytes it has there.
    private static func mark(_ bytes: [UInt8], at place: Int) -> (Mark, Int)? {
        guard bytes[place] == UInt8(ascii: "%") else { return nil }
        var end = place + 1
        while end + 1 < bytes.count, bytes[end] == UInt8(ascii: "2"),
            bytes[end + 1] == UInt8(ascii: "5")
        {
            end += 2
        }
        guard end + 1 < bytes.count else { return nil }
        let (first, second) = (bytes[end], bytes[end + 1] | 0x20)
        for mark in Mark.allCases {
            // The bit that makes a letter small is set in digits.
            if mark.code.0 == first, mark.code.1 == second { return (mark, end + 2 - place) }
        }
        return nil
    }
}
