import Coordinator

/// Ways to speak to the daemon, with which the same must come of the same.
struct CarrierKind: Hashable, Sendable, CustomStringConvertible {
    /// What is spoken.
    enum Speech: String, CaseIterable, Sendable {
        case line
        case webSocketJSON
        case webSocketProtobuf
    }

    var speech: Speech
    /// Whether it goes through the listener with TLS.
    var isTLS: Bool

    /// Every way there is.
    static let all = [false, true].flatMap { isTLS in
        Speech.allCases.map { CarrierKind(speech: $0, isTLS: isTLS) }
    }

    var description: String { speech.rawValue + (isTLS ? " under TLS" : "") }

    /// The request for the carrier; nil where the first byte is a command's.
    var handshake: String? {
        guard speech != .line else { return nil }
        var lines = [
            "GET /connection/websocket HTTP/1.1", "Host: localhost", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        if speech == .webSocketProtobuf {
            lines.append("Sec-WebSocket-Protocol: centrifuge-protobuf")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}
