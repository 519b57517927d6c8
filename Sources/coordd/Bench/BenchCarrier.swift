/// How a benchmark's clients speak to the daemon.
package enum BenchCarrier: Sendable, Equatable {
    /// One JSON object a line, over TCP.
    case line
    /// JSON over WebSocket.
    case webSocketJSON
    /// Protobuf over WebSocket.
    case webSocketProtobuf

    /// In words.
    package var name: String {
        switch self {
        case .line: "line"
        case .webSocketJSON: "websocket, json"
        case .webSocketProtobuf: "websocket, protobuf"
        }
    }

    /// What asks for a WebSocket at `host`; nil for lines.
    package func handshake(host: String) -> String? {
        if self == .line { return nil }
        var lines = [
            "GET /connection/websocket HTTP/1.1", "Host: \(host)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            // Everybody's key: its answer tells nothing that a benchmark wants to know.
            "Sec-WebSocket-Key: Y29vcmRkIGJlbmNoIDEyMw==",
        ]
        if self == .webSocketProtobuf {
            lines.append("Sec-WebSocket-Protocol: centrifuge-protobuf")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A request as it goes out.
    package func bytes(of request: BenchRequest, id: UInt32) -> [UInt8] {
        switch self {
        case .line: Array((request.json(id: id) + "\n").utf8)
        case .webSocketJSON: Self.frame(Self.text, Array(request.json(id: id).utf8))
        case .webSocketProtobuf: Self.frame(Self.binary, request.protobuf(id: id))
        }
    }

    /// The answer to a ping of the protocol as it goes out.
    package var pong: [UInt8] {
        switch self {
        case .line: Array("{}\n".utf8)
        case .webSocketJSON: Self.frame(Self.text, Array("{}".utf8))
        // A message of no bytes behind its length.
        case .webSocketProtobuf: Self.frame(Self.binary, [0])
        }
    }

    private static let text: UInt8 = 1
    private static let binary: UInt8 = 2
    /// The opcode of an answer to a ping of the carrier.
    package static let pongOpcode: UInt8 = 10
    /// The standard wants a new mask for each frame, against proxies that are not there; the daemon's
    /// work is the same with any.
    private static let mask: [UInt8] = [0x5A, 0xC3, 0x96, 0x3C]

    /// A frame as a client sends it, masked, with less than 64 KB (RFC 6455, section 5.2).
    package static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        if payload.count < 126 {
            bytes.append(0x80 | UInt8(payload.count))
        } else {
            bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        bytes += mask
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index & 3]) }
        return bytes
    }
}
