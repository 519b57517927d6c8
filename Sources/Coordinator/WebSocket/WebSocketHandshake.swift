internal import Security

/// What a server makes of a request to go on as a WebSocket (RFC 6455, section 4.2).
package struct WebSocketHandshake: Sendable, Equatable {
    /// How messages are written on the connection.
    package enum Encoding: Sendable, Hashable {
        /// JSON in text frames.
        case json
        /// Protobuf in binary frames.
        case protobuf
    }

    /// How messages are written.
    package var encoding: Encoding
    /// The subprotocol to confirm; nil when the client offered none that is known.
    package var subprotocol: String?
    /// The value that shows that the request was understood.
    package var accept: String

    /// The subprotocols that are spoken, the more wanted one first (protocol facts: Centrifugal,
    /// transports).
    private static let subprotocols: [(name: String, encoding: Encoding)] = [
        ("centrifuge-protobuf", .protobuf), ("centrifuge-json", .json),
    ]
    private static let version = "13"
    /// Appended to every key (RFC 6455, section 1.3).
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    private static let keyBytes = 16

    /// Judges a request whose `upgrade` names the protocol.
    ///
    /// - Throws: ``Refusal`` with the answer.
    package init(_ request: HTTPRequest) throws(Refusal) {
        guard request.method == "GET" else {
            throw Refusal(.problem(.badRequest, "a WebSocket begins with GET"))
        }
        guard request.body.isEmpty else {
            throw Refusal(.problem(.badRequest, "a WebSocket's request has no body"))
        }
        guard request.fields.list("sec-websocket-version") == [Self.version] else {
            var response = HTTPResponse.problem(
                .upgradeRequired, "only version \(Self.version) of WebSocket is spoken")
            response.fields.append("sec-websocket-version", Self.version)
            throw Refusal(response)
        }
        guard let key = request.fields.only("sec-websocket-key"),
            Base64.bytes(of: key)?.count == Self.keyBytes
        else {
            throw Refusal(
                .problem(.badRequest, "Sec-WebSocket-Key must be 16 bytes in base64, once"))
        }
        accept = Self.accept(key)
        // Names are told apart by case; an empty field counts as absent, since an SDK sends that.
        let offered = request.fields.values("sec-websocket-protocol").flatMap { value in
            value.split(separator: ",").map { name in
                String(name.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
            }
        }
        if let spoken = Self.subprotocols.first(where: { offered.contains($0.name) }) {
            (subprotocol, encoding) = (spoken.name, spoken.encoding)
        } else {
            subprotocol = nil
            let wishes = ["cf_protocol", "format"].map(request.parameter)
            encoding = wishes.contains("protobuf") ? .protobuf : .json
        }
    }

    /// Why a request does not become a WebSocket, as its answer says.
    package struct Refusal: Error, Sendable, Equatable {
        /// The answer.
        package var response: HTTPResponse

        init(_ response: HTTPResponse) {
            self.response = response
        }
    }

    /// The digest of a key that only who knows the protocol can make.
    package static func accept(_ key: String) -> String {
        Base64.text(of: SHA1.digest(Array((key + suffix).utf8)))
    }

    /// Adds the answer, behind which the first frame may stand; extensions are declined.
    package func encode(into bytes: inout [UInt8]) {
        var head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
        head += "Connection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"
        if let subprotocol { head += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        bytes.append(contentsOf: (head + "\r\n").utf8)
    }
}
