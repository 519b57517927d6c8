/// Writes frames as a server does: never masked, never in fragments (RFC 6455, section 5).
package enum WebSocketWriter {
    /// The most bytes of a close frame's reason (RFC 6455, section 5.5).
    package static let reasonBytes = WebSocketHead.controlBytes - 2

    /// The bytes that a payload of `count` bytes has before it.
    package static func headBytes(for count: Int) -> Int {
        count <= WebSocketHead.controlBytes ? 2 : count <= 0xFFFF ? 4 : 10
    }

    /// Adds a frame's head; its payload of `count` bytes comes next.
    ///
    /// A control frame has 125 bytes at most.
    package static func head(
        _ opcode: WebSocketOpcode, count: Int, into bytes: inout [UInt8]
    ) {
        bytes.append(0x80 | opcode.rawValue)
        switch headBytes(for: count) {
        case 2: bytes.append(UInt8(count))
        case 4:
            bytes.append(126)
            append(UInt64(count), byteCount: 2, to: &bytes)
        default:
            bytes.append(127)
            append(UInt64(count), byteCount: 8, to: &bytes)
        }
    }

    /// Adds a frame.
    package static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], into bytes: inout [UInt8]
    ) {
        head(opcode, count: payload.count, into: &bytes)
        bytes.append(contentsOf: payload)
    }

    /// Adds a frame whose payload `encode` adds behind what it is given.
    ///
    /// The head is written when the length is known, into room that was left for the usual one.
    package static func frame(
        _ opcode: WebSocketOpcode, into bytes: inout [UInt8], _ encode: (inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        bytes.append(contentsOf: roomForHead)
        encode(&bytes)
        let count = bytes.count - start - roomForHead.count
        let size = headBytes(for: count)
        if size < roomForHead.count {
            bytes.removeSubrange(start..<start + roomForHead.count - size)
        } else if size > roomForHead.count {
            let more = [UInt8](repeating: 0, count: size - roomForHead.count)
            bytes.insert(contentsOf: more, at: start)
        }
        bytes[start] = 0x80 | opcode.rawValue
        switch size {
        case 2: bytes[start + 1] = UInt8(count)
        case 4:
            bytes[start + 1] = 126
            bytes[start + 2] = UInt8(count >> 8)
            bytes[start + 3] = UInt8(count & 0xFF)
        default:
            bytes[start + 1] = 127
            for index in 0..<8 {
                bytes[start + 2 + index] = UInt8(truncatingIfNeeded: count >> (56 - 8 * index))
            }
        }
    }

    /// Most messages have 126 to 65,535 bytes.
    private static let roomForHead: [UInt8] = [0, 0, 0, 0]

    /// Adds a close frame, its reason cut to what fits at the end of a character; without a code
    /// when that is one that nobody may send.
    package static func close(
        _ code: WebSocketCode?, reason: String = "", into bytes: inout [UInt8]
    ) {
        guard let code, code.mayBeSent else {
            return head(.close, count: 0, into: &bytes)
        }
        var text: [UInt8] = []
        for character in reason {
            guard text.count + character.utf8.count <= reasonBytes else { break }
            text.append(contentsOf: character.utf8)
        }
        head(.close, count: 2 + text.count, into: &bytes)
        append(UInt64(code.rawValue), byteCount: 2, to: &bytes)
        bytes.append(contentsOf: text)
    }

    private static func append(_ value: UInt64, byteCount: Int, to bytes: inout [UInt8]) {
        for index in stride(from: byteCount - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
        }
    }
}
