/// Writes and reads the few Protobuf fields that a benchmark needs, apart from the daemon's codec.
package struct BenchProtobuf {
    /// The message so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty message.
    package init() {}

    /// Adds a number; 0 is left out.
    package mutating func set(_ field: UInt64, number: UInt64) {
        guard number != 0 else { return }
        Self.append(field << 3, to: &bytes)
        Self.append(number, to: &bytes)
    }

    /// Adds a text; an empty one is left out.
    package mutating func set(_ field: UInt64, text: String) {
        if !text.isEmpty { set(field, bytes: Array(text.utf8)) }
    }

    /// Adds bytes, or a message.
    package mutating func set(_ field: UInt64, bytes value: [UInt8]) {
        Self.append(field << 3 | 2, to: &bytes)
        Self.append(UInt64(value.count), to: &bytes)
        bytes += value
    }

    /// The message behind its length.
    package var delimited: [UInt8] {
        var whole: [UInt8] = []
        Self.append(UInt64(bytes.count), to: &whole)
        return whole + bytes
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Calls `take` with each message of a frame; false when the bytes are no messages.
    package static func messages(in frame: Span<UInt8>, _ take: (Span<UInt8>) -> Void) -> Bool {
        var position = 0
        while position < frame.count {
            guard let range = range(in: frame, at: &position) else { return false }
            take(frame.extracting(range))
        }
        return true
    }

    /// Calls `take` with each field: its number, its value if it is a number, else where its bytes
    /// are; false when the bytes are no message.
    package static func fields(
        in message: Span<UInt8>, _ take: (UInt64, UInt64, Range<Int>) -> Void
    ) -> Bool {
        var position = 0
        while position < message.count {
            guard let tag = varint(in: message, at: &position) else { return false }
            switch tag & 7 {
            case 0:
                guard let value = varint(in: message, at: &position) else { return false }
                take(tag >> 3, value, 0..<0)
            case 2:
                guard let range = range(in: message, at: &position) else { return false }
                take(tag >> 3, 0, range)
            default: return false
            }
        }
        return true
    }

    /// Where bytes behind their length lie; `position` moves behind them.
    private static func range(in bytes: Span<UInt8>, at position: inout Int) -> Range<Int>? {
        guard let length = varint(in: bytes, at: &position),
            length <= UInt64(bytes.count - position)
        else { return nil }
        defer { position += Int(length) }
        return position..<position + Int(length)
    }

    private static func varint(in bytes: Span<UInt8>, at position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
        }
        return nil
    }
}
