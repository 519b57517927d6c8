import Coordinator
import Testing

@Suite struct WebSocketHandshakeTests {
    /// The RFC's own request, with changes: nil takes a field away.
    private func request(
        method: String = "GET", query: String? = nil, _ changes: [String: [String]] = [:]
    ) -> HTTPRequest {
        var fields: [(String, [String])] = [
            ("upgrade", ["websocket"]), ("connection", ["Upgrade"]),
            ("sec-websocket-key", ["dGhlIHNhbXBsZSBub25jZQ=="]),
            ("sec-websocket-version", ["13"]), ("sec-websocket-protocol", []),
        ]
        for index in fields.indices {
            if let change = changes[fields[index].0] { fields[index].1 = change }
        }
        var header = HTTPFields()
        for (name, values) in fields {
            for value in values { header.append(name, value) }
        }
        return HTTPRequest(
            method: method, path: "/connection/websocket", query: query, isVersion11: true,
            fields: header, host: "server.example.com")
    }

    private func status(_ request: HTTPRequest) -> HTTPStatus? {
        do throws(WebSocketHandshake.Refusal) {
            _ = try WebSocketHandshake(request)
            return nil
        } catch {
            return error.response.status
        }
    }

    /// RFC 6455, section 1.3.
    @Test func `the RFC's example`() throws {
        let handshake = try WebSocketHandshake(request())
        var bytes: [UInt8] = []
        handshake.encode(into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    }

    @Test(
        arguments: [
            ([], nil, .json), ([""], nil, .json), (["centrifuge-json"], "centrifuge-json", .json),
            (["centrifuge-protobuf"], "centrifuge-protobuf", .protobuf),
            (["centrifuge-json, centrifuge-protobuf"], "centrifuge-protobuf", .protobuf),
            (["chat", " centrifuge-json "], "centrifuge-json", .json),
            (["Centrifuge-Protobuf"], nil, .json), (["chat"], nil, .json),
        ] as [([String], String?, WebSocketHandshake.Encoding)])
    func `the subprotocol decides the encoding`(
        offered: [String], spoken: String?, encoding: WebSocketHandshake.Encoding
    ) throws {
        let handshake = try WebSocketHandshake(request(["sec-websocket-protocol": offered]))
        #expect(handshake.subprotocol == spoken)
        #expect(handshake.encoding == encoding)
        var bytes: [UInt8] = []
        handshake.encode(into: &bytes)
        let answer = String(decoding: bytes, as: UTF8.self)
        #expect(
            answer.contains("Sec-WebSocket-Protocol: \(spoken ?? "")\r\n") == (spoken != nil))
    }

    @Test func `the query can ask for Protobuf, too`() throws {
        for query in ["cf_protocol=protobuf", "a=b&format=protobuf"] {
            let handshake = try WebSocketHandshake(request(query: query))
            #expect(handshake.encoding == .protobuf)
            #expect(handshake.subprotocol == nil)
        }
        #expect(try WebSocketHandshake(request(query: "format=json")).encoding == .json)
    }

    @Test(arguments: [
        [], [""], ["dGhlIHNhbXBsZSBub25jZQ"], ["dGhlIHNhbXBsZSBub25j"],
        ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="], ["not base64 at all!!!!!!!"],
    ])
    func `a key that is not 16 bytes once is refused`(keys: [String]) {
        #expect(status(request(["sec-websocket-key": keys])) == .badRequest)
    }

    @Test(arguments: [[], ["8"], ["12"], ["14"], ["13", "13"], ["13, 8"]])
    func `another version is told which one is spoken`(versions: [String]) {
        do throws(WebSocketHandshake.Refusal) {
            _ = try WebSocketHandshake(request(["sec-websocket-version": versions]))
            Issue.record("accepted")
        } catch {
            #expect(error.response.status == .upgradeRequired)
            #expect(error.response.fields.only("sec-websocket-version") == "13")
        }
    }

    @Test func `only GET without a body becomes a WebSocket`() {
        #expect(status(request(method: "POST")) == .badRequest)
        var withBody = request()
        withBody.body = [1]
        #expect(status(withBody) == .badRequest)
    }
}
