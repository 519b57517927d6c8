import Actors
import Coordinator
import TestSupport
import Testing

/// WebSockets on the port of all carriers (RFC 6455; contract: protocol, Carriers and Errors).
@Suite(.timeLimit(.minutes(5)))
struct WebSocketTests {
    private static let connect = #""connect":{"data":{"device":"tv"}}"#

    private func connected(_ server: TestServer) throws -> RawWebSocket {
        let socket = try RawWebSocket(port: server.port)
        #expect(try socket.call(Self.connect).code == nil)
        return socket
    }

    @Test func `a conversation in JSON has one object in each text frame`() async throws {
        try await withServer { server in
            let socket = try RawWebSocket(port: server.port)
            #expect(socket.answer.status == 101)
            #expect(socket.answer.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(socket.answer.fields["sec-websocket-protocol"] == nil)
            #expect(socket.answer.fields["sec-websocket-extensions"] == nil)
            #expect(try socket.call(Self.connect).result["client"]?.string?.utf8.count == 36)
            let subscribed = try socket.call(#""subscribe":{"channel":"session:a"}"#).result
            #expect(subscribed.at("data", "rev") == 0)

            let line = try RawClient(port: server.port, device: "tablet")
            let event = #"{"type":"betslip.update","stake":"1.00"}"#
            #expect(try line.apply(event, to: "a") == .result(["rev": 1]))
            let text = try socket.text()
            #expect(!text.contains("\n"))
            let push = try JSONParser.parse(text: text).root
            #expect(push.at("push", "pub", "data", "patch", "betslip", "stake") == "1.00")
            #expect(push.at("push", "pub")?.unsigned("offset") == 1)
        }
    }

    @Test func `a frame may hold several objects, with a line's end between them`() async throws {
        try await withServer { server in
            let commands =
                "{\"id\":1,\(Self.connect)}\n{\"id\":2,\"subscribe\":{\"channel\":\"session:a\"}}\n"
            // An SDK sends its first frame as soon as it may; it can come with the request.
            let socket = try RawWebSocket(
                port: server.port, behind: RawWebSocket.text(commands))
            #expect(try socket.text().hasPrefix(#"{"id":1,"connect":"#))
            #expect(try socket.text().hasPrefix(#"{"id":2,"subscribe":"#))
        }
    }

    @Test(arguments: ["", "\n", "{\"id\":3,\"ping\":{}}\n\n", "[]", "{", "{}x"])
    func `what is no command closes with 3501`(text: String) async throws {
        try await withServer { server in
            let socket = try connected(server)
            socket.send(text)
            var frame = try socket.frame()
            if frame.first == 0x81 { frame = try socket.frame() }
            #expect(frame.code == 3501)
            #expect(frame.reason == "bad request")
            #expect(socket.client.rest().end == .ended)
        }
    }

    @Test func `pings are answered, pongs are not, and a close is sent back`() async throws {
        try await withServer { server in
            let socket = try connected(server)
            socket.send(0x89, Array("hello".utf8))
            #expect(
                try socket.frame() == RawWebSocket.Frame(first: 0x8A, payload: Array("hello".utf8)))
            socket.send(0x8A, [1])
            socket.send(0x88, [0x0F, 0xA0] + Array("bye".utf8))
            let frame = try socket.frame()
            #expect(frame.code == 4000)
            #expect(socket.client.rest().end == .ended)
            socket.client.close()
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `a disconnect is the close frame, without a push before it`() async throws {
        try await withServer { server in
            let socket = try connected(server)
            socket.send(#"{"id":2,"connect":{}}"#)
            let frame = try socket.frame()
            #expect(frame.code == 3501)
            #expect(socket.client.rest().lines.isEmpty)
        }
    }

    @Test(
        arguments: [
            ([0x81, 0x01, 0x78], 1002), ([0xC1], 1002), ([0x83], 1002),
            (RawWebSocket.frame(0x81, [0xFF]), 1007),
            ([0x81, 0xFE, 0x20, 0x00, 1, 2, 3, 4], 1009),
            (RawWebSocket.frame(0x88, [0x03, 0xED]), 1002),
        ] as [([UInt8], Int)])
    func `a frame that breaks the rules closes, after what came before it was answered`(
        bytes: [UInt8], code: Int
    ) async throws {
        try await withServer {
            $0.server.messageBytes = 4096
        } _: { server in
            let socket = try connected(server)
            let state = #"{"id":2,"rpc":{"method":"session.state","data":{"session":"a"}}}"#
            socket.client.send(bytes: RawWebSocket.text(state) + bytes)
            #expect(try socket.text().hasPrefix(#"{"id":2,"error":{"code":102"#))
            let frame = try socket.frame()
            #expect(frame.code == code)
            #expect(!frame.reason.isEmpty)
            #expect(socket.client.rest().end == .ended)
        }
    }

    @Test func `Protobuf is spoken where it was asked for`() async throws {
        try await withServer { server in
            let socket = try RawWebSocket(
                port: server.port, "Sec-WebSocket-Protocol: centrifuge-protobuf")
            #expect(socket.answer.fields["sec-websocket-protocol"] == "centrifuge-protobuf")
            // id 1, connect {data {"device":"tv"}}
            let data = Array(#"{"device":"tv"}"#.utf8)
            let request = [0x12, UInt8(data.count)] + data
            let command = [0x08, 1, 0x22, UInt8(request.count)] + request
            socket.send(0x82, [UInt8(command.count)] + command)
            let connected = try socket.frame()
            #expect(connected.first == 0x82)
            // The length, id 1, then the connect result's client id of 36 bytes.
            #expect(Array(connected.payload[1...4]) == [0x08, 1, 0x2A, connected.payload[0] - 4])
            #expect(Array(connected.payload[5...6]) == [0x0A, 36])
            // id 2, subscribe {channel "session:a"}, and a method that does not exist.
            let subscribe: [UInt8] = [15, 0x08, 2, 0x2A, 11, 0x0A, 9] + Array("session:a".utf8)
            socket.send(0x82, subscribe + [7, 0x08, 3, 0x6A, 3, 0x12, 1, UInt8(ascii: "m")])
            let first = try socket.frame()
            let second = try socket.frame()
            let replies = [first, second].map(\.payload)
            #expect(replies.contains { $0.contains([0x08, 3, 0x12]) })
            #expect(replies.contains { $0.contains([0x08, 2, 0x32]) })
            // Text is not what was agreed on.
            socket.send("{}")
            #expect(try socket.frame().code == 3501)
        }
    }

    @Test func `binary frames are not taken for JSON`() async throws {
        try await withServer { server in
            let socket = try connected(server)
            socket.send(0x82, Array("{}".utf8))
            #expect(try socket.frame().code == 3501)
        }
    }

    // MARK: Handshakes

    @Test func `a request that asks for no upgrade is told so`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let answer = try client.get("/connection/websocket")
            #expect(answer.status == 426)
            #expect(answer.fields["upgrade"] == "websocket")
        }
    }

    @Test func `a page of another origin is refused`() async throws {
        try await withServer {
            $0.server.origins = OriginRule(allowed: ["https://shop.example"])
        } _: { server in
            for (origin, status) in [
                ("https://evil.example", 403), ("null", 403), ("https://shop.example", 101),
                ("http://localhost", 101),
            ] {
                let socket = try RawWebSocket(port: server.port, "Origin: \(origin)")
                #expect(socket.answer.status == status, "\(origin)")
            }
        }
    }

    @Test func `a refused handshake ends the connection`() async throws {
        try await withServer { server in
            let socket = try RawWebSocket(port: server.port, "Sec-WebSocket-Version: 8")
            #expect(socket.answer.status == 426)
            #expect(socket.answer.fields["connection"] == "close")
            #expect(socket.client.rest().end == .ended)
        }
    }

    @Test func `a server that drains closes with 3001 and takes no more`() async throws {
        try await withServer {
            $0.server.drainSeconds = 0
        } _: { server in
            let socket = try connected(server)
            let idle = try RawClient(port: server.port)
            idle.request("GET", "/readyz")
            _ = try idle.httpAnswer()
            await server.drain()
            let frame = try socket.frame()
            #expect(frame.code == 3001)
            #expect(frame.reason == "shutdown")
            let late = try RawWebSocket(port: server.port)
            #expect(late.answer.status == 503)
        }
    }

    @Test func `an echo returns messages as they were`() async throws {
        try await withServer {
            $0.server.echoes = true
            $0.server.messageBytes = 200_000
        } _: { server in
            let socket = try RawWebSocket(port: server.port)
            for count in [0, 1, 125, 126, 65_535, 65_536, 200_000] {
                let payload = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                socket.send(0x81, payload)
                #expect(try socket.frame() == RawWebSocket.Frame(first: 0x81, payload: payload))
                socket.send(0x02, Array(payload.prefix(count / 2)))
                socket.send(0x80, Array(payload.dropFirst(count / 2)))
                #expect(try socket.frame() == RawWebSocket.Frame(first: 0x82, payload: payload))
            }
        }
    }
}

extension [UInt8] {
    /// Whether `part` lies somewhere in it.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
