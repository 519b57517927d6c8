/// The Castagnoli CRC (RFC 3720, section 12.1), eight bytes a step through tables.
///
/// It sees every change of up to 32 bits in a row, and others but for one in four billion.
struct CRC32C {
    private var state: UInt32 = .max

    /// The checksum of what was added.
    var value: UInt32 { ~state }

    /// The reflected polynomial 0x1EDC6F41.
    private static let polynomial: UInt32 = 0x82f6_3b78

    /// Eight tables of 256: the n-th one is for a byte with n bytes behind it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ polynomial : crc >> 1 }
            tables[byte] = crc
        }
        for place in 256..<tables.count {
            let before = tables[place - 256]
            tables[place] = before >> 8 ^ tables[Int(before & 0xff)]
        }
        return tables
    }()

    /// Adds bytes.
    mutating func add(_ bytes: [UInt8]) {
        let (tables, bytes) = (Self.tables.span, bytes.span)
        var (crc, place) = (state, 0)
        while place + 8 <= bytes.count {
            let low =
                crc
                ^ (UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8
                    | UInt32(bytes[place + 2]) << 16 | UInt32(bytes[place + 3]) << 24)
            let near =
                tables[0x700 + Int(low & 0xff)] ^ tables[0x600 + Int(low >> 8 & 0xff)]
                ^ tables[0x500 + Int(low >> 16 & 0xff)] ^ tables[0x400 + Int(low >> 24)]
            let far =
                tables[0x300 + Int(bytes[place + 4])] ^ tables[0x200 + Int(bytes[place + 5])]
                ^ tables[0x100 + Int(bytes[place + 6])] ^ tables[Int(bytes[place + 7])]
            crc = near ^ far
            place += 8
        }
        while place < bytes.count {
            crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[place])) & 0xff)]
            place += 1
        }
        state = crc
    }

    /// Adds a number as eight bytes, the lowest first.
    mutating func add(_ number: UInt64) {
        let tables = Self.tables.span
        let low = state ^ UInt32(truncatingIfNeeded: number)
        let high = UInt32(truncatingIfNeeded: number >> 32)
        let near =
            tables[0x700 + Int(low & 0xff)] ^ tables[0x600 + Int(low >> 8 & 0xff)]
            ^ tables[0x500 + Int(low >> 16 & 0xff)] ^ tables[0x400 + Int(low >> 24)]
        let far =
            tables[0x300 + Int(high & 0xff)] ^ tables[0x200 + Int(high >> 8 & 0xff)]
            ^ tables[0x100 + Int(high >> 16 & 0xff)] ^ tables[Int(high >> 24)]
        state = near ^ far
    }
}
