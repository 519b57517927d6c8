/// How messages are written on a connection, frames included: the message model is one, its
/// encodings differ.
package enum WireEncoding: Sendable, Hashable, CaseIterable {
    /// One JSON object a line.
    case line
    /// One JSON object in a WebSocket text frame.
    case webSocketJSON
    /// One Protobuf message behind its length in a WebSocket binary frame.
    case webSocketProtobuf

    /// Adds a reply.
    package func encode(_ reply: Reply, into bytes: inout [UInt8]) {
        switch self {
        case .line: JSONCodec.encode(reply, into: &bytes)
        case .webSocketJSON: Self.text(into: &bytes) { JSONCodec.encode(reply, into: &$0) }
        case .webSocketProtobuf:
            Self.binary(into: &bytes) { ProtobufCodec.encode(reply, into: &$0) }
        }
    }

    /// Adds a push.
    package func encode(_ push: Push, into bytes: inout [UInt8]) {
        switch self {
        case .line: JSONCodec.encode(push, into: &bytes)
        case .webSocketJSON: Self.text(into: &bytes) { JSONCodec.encode(push, into: &$0) }
        case .webSocketProtobuf:
            Self.binary(into: &bytes) { ProtobufCodec.encode(push, into: &$0) }
        }
    }

    /// A server ping.
    package var ping: [UInt8] {
        switch self {
        case .line: JSONCodec.ping
        case .webSocketJSON: Self.textPing
        case .webSocketProtobuf: Self.binaryPing
        }
    }

    private static let textPing: [UInt8] = {
        var bytes: [UInt8] = []
        text(into: &bytes) { $0.append(contentsOf: JSONCodec.ping) }
        return bytes
    }()

    private static let binaryPing: [UInt8] = {
        var bytes: [UInt8] = []
        binary(into: &bytes) { $0.append(contentsOf: ProtobufCodec.ping) }
        return bytes
    }()

    /// A frame ends its object by itself, without the line's end.
    private static func text(into bytes: inout [UInt8], _ encode: (inout [UInt8]) -> Void) {
        WebSocketWriter.frame(.text, into: &bytes) { bytes in
            encode(&bytes)
            bytes.removeLast()
        }
    }

    private static func binary(into bytes: inout [UInt8], _ encode: (inout [UInt8]) -> Void) {
        WebSocketWriter.frame(.binary, into: &bytes, encode)
    }
}
