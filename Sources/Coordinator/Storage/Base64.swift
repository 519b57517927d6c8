/// Base64 with padding and without line ends (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The six bits of every letter; 0xFF for bytes that are no letter.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The bytes as text.
    package static func text(of bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 {
                group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
            }
            for index in 0..<4 {
                let value = Int(group >> (18 - 6 * UInt32(index)) & 63)
                output.append(index <= count ? alphabet[value] : padding)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes of a text that ``text(of:)`` could have made; nil for any other text, so that every
    /// value has one text only.
    package static func bytes(of text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        let padded = letters.suffix(2).count { $0 == padding }
        var output: [UInt8] = []
        output.reserveCapacity(letters.count / 4 * 3)
        for start in stride(from: 0, to: letters.count, by: 4) {
            let count = start + 4 == letters.count ? 4 - padded : 4
            var group: UInt32 = 0
            for index in 0..<4 {
                let value = index < count ? values[Int(letters[start + index])] : 0
                guard value != 0xFF else { return nil }
                group = group << 6 | UInt32(value)
            }
            for index in 0..<count - 1 {
                output.append(UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(index))))
            }
            // The bits that padding cuts off are zero.
            guard group & (1 << (24 - 8 * UInt32(count - 1)) - 1) == 0 else { return nil }
        }
        return output
    }
}
