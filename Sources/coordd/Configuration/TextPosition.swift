/// A place in a text as editors count it.
struct TextPosition: Equatable, CustomStringConvertible {
    /// From 1.
    let line: Int
    /// From 1, in Unicode scalars.
    let column: Int

    /// The place after `offset` bytes of UTF-8.
    init(offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // Bytes of the form 10xxxxxx continue a scalar.
        column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
    }

    /// Such as `12:3`.
    var description: String { "\(line):\(column)" }
}
