internal import Coordinator

/// A WebSocket client of its own making over a ``RawClient``, which sends whatever a test wants.
package final class RawWebSocket {
    /// A frame as the server sent it.
    package struct Frame: Equatable {
        /// The first byte: whether it is final, and the opcode.
        package var first: UInt8
        /// The payload.
        package var payload: [UInt8]

        /// A frame with that first byte.
        package init(first: UInt8, payload: [UInt8]) {
            self.first = first
            self.payload = payload
        }

        /// The payload as text.
        package var text: String { String(decoding: payload, as: UTF8.self) }

        /// The code of a close frame; nil without one.
        package var code: Int? {
            guard first == 0x88, payload.count >= 2 else { return nil }
            return Int(payload[0]) << 8 | Int(payload[1])
        }

        /// The reason of a close frame.
        package var reason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
    }

    /// The connection.
    package let client: RawClient
    /// The server's answer to the handshake.
    package let answer: HTTPAnswer
    private var lastID = 0
    private static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// Asks for the upgrade; `fields` and `more` are further lines, `behind` is sent with the
    /// request, and `receiveBytes` makes the kernel's buffer small.
    ///
    /// - Throws: ``RawClient/Failure``.
    package init(
        port: UInt16, _ fields: String..., more: [String] = [],
        path: String = "/connection/websocket", host: String = "localhost", behind: [UInt8] = [],
        isTLS: Bool = false, receiveBytes: Int32? = nil
    ) throws(RawClient.Failure) {
        client = try RawClient(port: port, receiveBytes: receiveBytes)
        if isTLS { try client.secure() }
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13",
            ] + fields + more
        client.send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + behind)
        answer = try client.httpAnswer()
    }

    /// A frame's bytes as a client sends them.
    package static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [first]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        case ...65_535:
            bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(0xFF)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        bytes += key
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index % 4]) }
        return bytes
    }

    /// A text frame's bytes.
    package static func text(_ text: String) -> [UInt8] { frame(0x81, Array(text.utf8)) }

    /// Sends a frame.
    package func send(_ first: UInt8, _ payload: [UInt8]) {
        client.send(bytes: Self.frame(first, payload))
    }

    /// Sends a text.
    package func send(_ text: String) { client.send(bytes: Self.text(text)) }

    /// The next frame.
    ///
    /// - Throws: ``RawClient/Failure``; a masked frame is unexpected.
    package func frame() throws(RawClient.Failure) -> Frame {
        let head = try client.bytes(2)
        guard head[1] & 0x80 == 0 else { throw .unexpected("a masked frame") }
        var count = Int(head[1])
        let more = count == 126 ? 2 : count == 127 ? 8 : 0
        if more > 0 { count = try client.bytes(more).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(first: head[0], payload: try client.bytes(count))
    }

    /// The text in the next frame.
    ///
    /// - Throws: ``RawClient/Failure``; another frame is unexpected.
    package func text() throws(RawClient.Failure) -> String {
        let frame = try frame()
        guard frame.first == 0x81 else { throw .unexpected("\(frame)") }
        return frame.text
    }

    /// Sends `{"id":…,<request>}` and reads the next text, which must be its answer.
    ///
    /// - Throws: ``RawClient/Failure``.
    @discardableResult
    package func call(_ request: String) throws(RawClient.Failure) -> Answer {
        lastID += 1
        send("{\"id\":\(lastID),\(request)}")
        let text = try text()
        let message = try? JSONCodec.decodeServerMessage(Array(text.utf8).span)
        guard let message, let answer = Answer(message, id: UInt32(lastID)) else {
            throw .unexpected(text)
        }
        return answer
    }
}
