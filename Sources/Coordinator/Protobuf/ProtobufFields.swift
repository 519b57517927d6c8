/// Reads the fields of one Protobuf message, one after the other (Protocol Buffers, encoding).
struct ProtobufFields {
    /// A field and what it holds.
    struct Field: Equatable {
        var number: UInt64
        var value: Value
    }

    /// What the wire tells of a value.
    enum Value: Equatable {
        case varint(UInt64)
        /// Where the bytes of a text, a payload or a message lie.
        case bytes(Range<Int>)
        /// Four or eight bytes, which no message of the client protocol has.
        case fixed
    }

    private var position = 0
    /// The highest number that a field can have.
    private static let maximumNumber: UInt64 = 1 << 29 - 1

    /// The next field; nil at the end.
    ///
    /// - Throws: ``ProtobufFault`` when the bytes are no message.
    mutating func next(in bytes: Span<UInt8>) throws(ProtobufFault) -> Field? {
        guard position < bytes.count else { return nil }
        let tag = try Self.varint(in: bytes, at: &position)
        let number = tag >> 3
        guard number >= 1, number <= Self.maximumNumber else {
            throw ProtobufFault("a field with the number \(number)")
        }
        switch tag & 7 {
        case 0:
            return Field(number: number, value: .varint(try Self.varint(in: bytes, at: &position)))
        case 1: return Field(number: number, value: try fixed(8, bytes))
        case 2:
            let count = try Self.varint(in: bytes, at: &position)
            guard count <= UInt64(bytes.count - position) else {
                throw ProtobufFault("field \(number) is longer than its message")
            }
            let range = position..<position + Int(count)
            position = range.upperBound
            return Field(number: number, value: .bytes(range))
        case 5: return Field(number: number, value: try fixed(4, bytes))
        default: throw ProtobufFault("field \(number) has a wire type that is not used")
        }
    }

    private mutating func fixed(_ count: Int, _ bytes: Span<UInt8>) throws(ProtobufFault) -> Value {
        guard bytes.count - position >= count else { throw ProtobufFault("a number is cut") }
        position += count
        return .fixed
    }

    /// A number of 64 bits in one to ten bytes.
    static func varint(
        in bytes: Span<UInt8>, at position: inout Int
    ) throws(ProtobufFault) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte <= 1 else { throw ProtobufFault("a number over 64 bits") }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw ProtobufFault("a number is cut")
    }
}

/// Why bytes are no Protobuf message.
struct ProtobufFault: Error, Equatable {
    /// What is wrong, in plain words.
    var detail: String

    init(_ detail: String) {
        self.detail = detail
    }
}
