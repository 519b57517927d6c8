import Actors
import Coordinator
import TestSupport
import Testing

/// A client that asks for more than fits its queue is not read for a while, and loses nothing.
@Suite(.timeLimit(.minutes(5)))
struct PausingTests {
    private static let state = #""rpc":{"method":"session.state","data":{"session":"a"}}"#

    /// A server with a session whose state has some 50 KB, in the shipped bounds.
    private func withBigState(
        _ body: (TestServer) throws -> Void
    ) async throws {
        try await withServer { server in
            let phone = try RawClient(port: server.port, device: "phone")
            try phone.subscribe("a")
            try phone.attach("a")
            for number in 0..<50 {
                let name = String(repeating: "x", count: 240) + "\(number)"
                let event =
                    #"{"type":"betslip.add","sportsbookFixtureId":"\#(name)","sportsbookMarketId":"#
                    + #""\#(name)","sportsbookMarketContext":"\#(name)","sportsbookSelectionId":"#
                    + #""\#(name)","decimalPrice":"1.85"}"#
                #expect(try phone.apply(event, to: "a").code == nil)
            }
            try body(server)
        }
    }

    @Test func `pipelined questions with long answers are all answered, in order`() async throws {
        try await withBigState { server in
            let client = try RawClient(port: server.port, device: "tv")
            let ids = 100..<140
            client.send(ids.map { "{\"id\":\($0),\(Self.state)}" }.joined(separator: "\n"))
            var bytes = 0
            for id in ids {
                let line = try client.lineBytes()
                bytes += line.count
                #expect(line.starts(with: Array("{\"id\":\(id),\"rpc\":".utf8)))
            }
            // More than may wait for a reader.
            #expect(bytes > ServerSettings().outboundBytes)
            #expect(try client.rpc("session.state", "a").code == nil)
        }
    }

    @Test func `the same in one message of a WebSocket`() async throws {
        try await withBigState { server in
            let socket = try RawWebSocket(port: server.port)
            try socket.call(#""connect":{"data":{"device":"tv"}}"#)
            let ids = 100..<140
            socket.send(ids.map { "{\"id\":\($0),\(Self.state)}" }.joined(separator: "\n"))
            // Further frames wait behind what is left of the message.
            for id in 140..<150 { socket.send("{\"id\":\(id),\(Self.state)}") }
            for id in 100..<150 {
                let text = try socket.text()
                #expect(text.hasPrefix("{\"id\":\(id),\"rpc\":"))
            }
        }
    }

    @Test func `the same in Protobuf under a bound`() async throws {
        try await withServer {
            $0.server.outboundBytes = 4000
        } _: { server in
            let socket = try RawWebSocket(
                port: server.port, "Sec-WebSocket-Protocol: centrifuge-protobuf")
            let lines =
                [#"{"id":1,"connect":{"data":{"device":"tv"}}}"#]
                + [#"{"id":2,"subscribe":{"channel":"session:a"}}"#]
            for line in lines {
                socket.send(0x82, ProtobufClient.encode(try JSONCodec.decode(line.utf8Span.span)))
                #expect(try socket.frame().first == 0x82)
            }
            var message: [UInt8] = []
            for id in 100..<130 {
                let line = "{\"id\":\(id),\(Self.state)}"
                message += ProtobufClient.encode(try JSONCodec.decode(line.utf8Span.span))
            }
            socket.send(0x82, message)
            for id in UInt32(100)..<130 {
                guard
                    case .reply(let reply)? =
                        try ProtobufClient.decode(socket.frame().payload).first
                else { return #expect(Bool(false), "no reply") }
                #expect(reply.id == id)
            }
        }
    }

    @Test func `what waits is not taken any more once the client has gone`() async throws {
        try await withBigState { server in
            let client = try RawClient(port: server.port, device: "tv", receiveBytes: 4096)
            client.send(
                (100..<400).map { "{\"id\":\($0),\(Self.state)}" }.joined(separator: "\n"))
            #expect(try client.lineBytes().starts(with: Array("{\"id\":100,".utf8)))
            client.abort()
            let other = try RawClient(port: server.port, device: "other")
            #expect(try other.rpc("session.state", "a").code == nil)
        }
    }
}
