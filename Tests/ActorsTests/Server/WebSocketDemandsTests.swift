import Actors
import Coordinator
import TestSupport
import Testing

/// What RFC 6455 demands of a server as a whole; frames alone are the reader's and writer's tests.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketDemandsTests {
    private static let connect = #""connect":{"data":{"device":"tv"}}"#
    private static let state = #""rpc":{"method":"session.state","data":{"session":"a"}}"#

    private func connected(_ server: TestServer) throws -> RawWebSocket {
        let socket = try RawWebSocket(port: server.port)
        #expect(try socket.call(Self.connect).code == nil)
        return socket
    }

    // MARK: Section 4.2, the handshake

    /// The status that lines of a header are answered with, behind the first one.
    private func status(_ server: TestServer, _ first: String, _ lines: [String]) throws -> Int {
        let client = try RawClient(port: server.port)
        client.send(
            bytes: Array(([first] + lines).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8))
        return try client.httpAnswer().status
    }

    private static let lines = [
        "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]
    private static let get = "GET /connection/websocket HTTP/1.1"

    @Test(
        arguments: [
            (1, "upgrade: WebSocket", 101), (1, "Upgrade: h2c, websocket", 101),
            (1, "Upgrade: websocket/13", 426), (1, "Upgrade: h2c", 426), (1, "X: y", 426),
            (2, "Connection: keep-alive, upgrade", 101), (2, "Connection: keep-alive", 426),
            (2, "X: y", 426), (0, "X: y", 400), (3, "X: y", 400), (4, "X: y", 426),
            (4, "Sec-WebSocket-Version: 7", 426), (3, "sec-websocket-key: AA==", 400),
            // A body would stand where frames are expected.
            (0, "Host: localhost\r\nContent-Length: 0", 101),
        ] as [(Int, String, Int)])
    func `a request with a changed line`(index: Int, line: String, expected: Int) async throws {
        try await withServer { server in
            var lines = Self.lines
            lines[index] = line
            let found = try status(server, Self.get, lines)
            #expect(found == expected)
        }
    }

    @Test(
        arguments: [
            ("GET /connection/websocket HTTP/1.0", 426),
            ("POST /connection/websocket HTTP/1.1", 400),
            ("GET /connection/websockets HTTP/1.1", 404),
            ("GET /connection/websocket HTTP/2.0", 505),
            ("GET /connection/websocket?a=b HTTP/1.1", 101),
            ("GET http://localhost/connection/websocket HTTP/1.1", 101),
        ])
    func `a request with another first line`(first: String, expected: Int) async throws {
        try await withServer { server in
            let found = try status(server, first, Self.lines)
            #expect(found == expected)
        }
    }

    /// Section 4.2.2 and 9.1: nothing is confirmed that was not offered, and no extension at all.
    @Test func `no extension and no unknown subprotocol is confirmed`() async throws {
        try await withServer { server in
            let socket = try RawWebSocket(
                port: server.port, "Sec-WebSocket-Extensions: permessage-deflate; server_no_x",
                "Sec-WebSocket-Protocol: chat, superchat")
            #expect(socket.answer.status == 101)
            #expect(socket.answer.fields["sec-websocket-extensions"] == nil)
            #expect(socket.answer.fields["sec-websocket-protocol"] == nil)
            #expect(socket.answer.fields["upgrade"] == "websocket")
            #expect(socket.answer.fields["connection"] == "Upgrade")
        }
    }

    // MARK: Section 5.5, control frames

    @Test func `a ping between the fragments of a command is answered before it`() async throws {
        try await withServer { server in
            let socket = try connected(server)
            let text = Array("{\"id\":2,\(Self.state)}".utf8)
            socket.send(0x01, Array(text[..<9]))
            socket.send(0x89, [1, 2])
            #expect(try socket.frame() == RawWebSocket.Frame(first: 0x8A, payload: [1, 2]))
            socket.send(0x80, Array(text[9...]))
            #expect(try socket.text().hasPrefix(#"{"id":2,"error":"#))
        }
    }

    /// Section 5.5.1: a close frame is the answer to one, with its code, or none where it had none.
    @Test(arguments: [[], [0x03, 0xE8], [0x0F, 0xA0, 0x78]] as [[UInt8]])
    func `a close frame is answered by one, and nothing comes behind it`(
        payload: [UInt8]
    ) async throws {
        try await withServer { server in
            let socket = try connected(server)
            let sender = try RawClient(port: server.port, device: "tablet")
            #expect(try socket.call(#""subscribe":{"channel":"session:a"}"#).code == nil)
            // A command behind the close frame is nobody's any more.
            let event = RawClient.applying(#"{"type":"betslip.open"}"#, to: "a")
            socket.client.send(
                bytes: RawWebSocket.frame(0x88, payload) + RawWebSocket.text("{\"id\":3,\(event)}"))
            let frame = try socket.frame()
            #expect(frame.first == 0x88)
            #expect(frame.payload == Array(payload.prefix(2)))
            // Section 7.1.1: it is the server that ends the connection first.
            #expect(socket.client.rest().end == .ended)
            #expect(try sender.apply(#"{"type":"betslip.open"}"#, to: "a") == .result(["rev": 1]))
        }
    }

    @Test func `what was asked before a close frame is answered before its answer`() async throws {
        try await withServer { server in
            let socket = try connected(server)
            let subscribe = #"{"id":2,"subscribe":{"channel":"session:a"}}"#
            socket.client.send(
                bytes: RawWebSocket.text(subscribe) + RawWebSocket.frame(0x88, [0x03, 0xE8]))
            #expect(try socket.text().hasPrefix(#"{"id":2,"subscribe":"#))
            #expect(try socket.frame().code == 1000)
        }
    }

    /// Section 7.1.7: after a failure nothing more is looked at, not even a close frame.
    @Test func `behind a broken frame nothing counts`() async throws {
        try await withServer { server in
            let socket = try connected(server)
            let event = RawClient.applying(#"{"type":"betslip.open"}"#, to: "a")
            let sender = try RawClient(port: server.port, device: "tablet")
            try sender.subscribe("a")
            socket.client.send(
                bytes: [0xF1, 0x80, 1, 2, 3, 4] + RawWebSocket.text("{\"id\":3,\(event)}")
                    + RawWebSocket.frame(0x89, [9]) + RawWebSocket.frame(0x88, [0x03, 0xE8]))
            #expect(try socket.frame().code == 1002)
            #expect(socket.client.rest().end == .ended)
            #expect(
                try sender.rpc("session.state", "a").result.unsigned("rev") == 0)
        }
    }

    // MARK: Section 7.2 and 10.4

    @Test func `a client that ends without a close frame leaves nothing behind`() async throws {
        try await withServer { server in
            for ending in [0, 1, 2] {
                let socket = try connected(server)
                socket.client.send(bytes: [0x81, 0xFE])
                switch ending {
                case 0: socket.client.abort()
                case 1: socket.client.close()
                default:
                    socket.client.endSending()
                    #expect(socket.client.rest().end == .ended)
                    socket.client.close()
                }
                #expect(await server.settled(0) { await $0.connectionCount } == 0)
            }
        }
    }

    /// The server's ping of the protocol is a text; 3012 is the close frame of who does not answer.
    @Test func `a client without a word is closed`() async throws {
        try await withServer {
            $0.server.client.connectSeconds = 1
            $0.server.client.pingSeconds = 1
            $0.server.client.pongMilliseconds = 1000
        } _: { server in
            let silent = try RawWebSocket(port: server.port)
            let frame = try silent.frame()
            #expect(frame.code == 3502)
            #expect(frame.reason == "stale")
            let socket = try connected(server)
            #expect(try socket.text() == "{}")
            #expect(try socket.frame().code == 3012)
        }
    }

    /// A frame that is half written cannot be followed by a close frame; a whole one can.
    @Test func `who lets too much pile up is told 3008 where that can be said`() async throws {
        try await withServer {
            $0.server.outboundBytes = 4096
        } _: { server in
            let socket = try connected(server)
            #expect(try socket.call(#""subscribe":{"channel":"session:a"}"#).code == nil)
            let change = RawClient.applying(#"{"type":"betslip.update","stake":9}"#, to: "a")
            let questions = (10..<40).map { "{\"id\":\($0),\(Self.state)}" }
            // What waits for the commit is answered in one turn, before anything is written.
            socket.send((["{\"id\":9,\(change)}"] + questions).joined(separator: "\n"))
            let frame = try socket.frame()
            #expect(frame.code == 3008)
            #expect(frame.reason == "slow")
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }
}
