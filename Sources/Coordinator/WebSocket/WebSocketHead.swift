/// The beginning of a frame: what it is, how long, and the key of its mask (RFC 6455, section 5.2).
struct WebSocketHead: Sendable, Equatable {
    var opcode: WebSocketOpcode
    /// Whether the message ends with this frame.
    var isFinal: Bool
    /// Bytes of payload.
    var count: Int
    /// The key's four bytes, the first one lowest; nil when the frame is not masked.
    var mask: UInt32?

    /// The most bytes that a head has.
    static let maximumBytes = 14
    /// The most bytes of a control frame's payload (RFC 6455, section 5.5).
    static let controlBytes = 125

    /// What the first bytes of a frame are.
    enum Reading: Equatable {
        /// They are not all there yet.
        case needsMore
        /// The head, which took so many bytes.
        case head(WebSocketHead, byteCount: Int)
    }

    /// Reads the head at the beginning of `bytes`, and as much of it as can be judged.
    ///
    /// - Throws: ``WebSocketFault`` as soon as the bytes cannot become a head.
    static func read(_ bytes: Span<UInt8>) throws(WebSocketFault) -> Reading {
        guard bytes.count >= 1 else { return .needsMore }
        let first = bytes[0]
        guard first & 0x70 == 0 else {
            throw .protocolError("a reserved bit without an extension")
        }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
            throw .protocolError("unknown opcode \(first & 0x0F)")
        }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else {
            throw .protocolError("a control frame in fragments")
        }
        guard bytes.count >= 2 else { return .needsMore }
        let short = Int(bytes[1] & 0x7F)
        guard short <= controlBytes || !opcode.isControl else {
            throw .protocolError("a control frame of more than \(controlBytes) bytes")
        }
        let lengthBytes = short == 127 ? 8 : short == 126 ? 2 : 0
        let isMasked = bytes[1] & 0x80 != 0
        let byteCount = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard bytes.count >= 2 + lengthBytes else { return .needsMore }
        let count = lengthBytes == 0 ? short : try length(bytes.extracting(2..<2 + lengthBytes))
        guard bytes.count >= byteCount else { return .needsMore }
        var mask: UInt32?
        if isMasked {
            var key: UInt32 = 0
            for index in 0..<4 {
                key |= UInt32(bytes[2 + lengthBytes + index]) << (8 * UInt32(index))
            }
            mask = key
        }
        let head = WebSocketHead(opcode: opcode, isFinal: isFinal, count: count, mask: mask)
        return .head(head, byteCount: byteCount)
    }

    /// The extended length, which must not have fitted into a shorter form.
    private static func length(_ bytes: Span<UInt8>) throws(WebSocketFault) -> Int {
        var value: UInt64 = 0
        for index in bytes.indices { value = value << 8 | UInt64(bytes[index]) }
        guard value <= UInt64(Int64.max) else {
            throw .protocolError("a length with its highest bit set")
        }
        guard value > (bytes.count == 2 ? UInt64(controlBytes) : 0xFFFF) else {
            throw .protocolError("a length that is not in its shortest form")
        }
        return Int(value)
    }
}
