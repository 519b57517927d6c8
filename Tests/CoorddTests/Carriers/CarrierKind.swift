import Coordinator

/// Ways to speak to the daemon, with which the same must come of the same.
enum CarrierKind: String, CaseIterable, Sendable {
    case line
    case webSocketJSON
    case webSocketProtobuf

    /// The request for the carrier; nil where the first byte is a command's.
    var handshake: String? {
        guard self != .line else { return nil }
        var lines = [
            "GET /connection/websocket HTTP/1.1", "Host: localhost", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        if self == .webSocketProtobuf {
            lines.append("Sec-WebSocket-Protocol: centrifuge-protobuf")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}
