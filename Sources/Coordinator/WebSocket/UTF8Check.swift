/// Checks UTF-8 that comes in pieces, and finds a fault at the first byte that makes it one
/// (RFC 3629, section 4).
struct UTF8Check: Sendable {
    /// Bytes that the character under way still needs.
    private var needed: UInt8 = 0
    /// What its next byte must lie between; overlong forms and surrogates differ in it.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    /// Whether the bytes so far end with a whole character.
    var isWhole: Bool { needed == 0 }

    /// Takes the next bytes; false when they cannot be, or become, UTF-8.
    mutating func take(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if needed == 0 {
                index = Self.skipASCII(bytes, from: index)
                guard index < bytes.count else { return true }
            }
            guard take(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        if needed > 0 {
            guard low <= byte, byte <= high else { return false }
            (low, high) = (0x80, 0xBF)
            needed -= 1
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: needed = 1
        case 0xE0: (needed, low) = (2, 0xA0)
        case 0xED: (needed, high) = (2, 0x9F)
        case 0xE1...0xEF: needed = 2
        case 0xF0: (needed, low) = (3, 0x90)
        case 0xF1...0xF3: needed = 3
        case 0xF4: (needed, high) = (3, 0x8F)
        // Never in UTF-8, a continuation that continues nothing, or an overlong form's beginning.
        default: return false
        }
        return true
    }

    /// The index of the first byte from `start` on that is not ASCII.
    private static func skipASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let rest = bytes.extracting(start..<bytes.count)
        return unsafe rest.withUnsafeBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                // In bounds by the line above.
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 != 0 { break }
                index += 8
            }
            while index < bytes.count, unsafe bytes[index] < 0x80 { index += 1 }
            return start + index
        }
    }
}
