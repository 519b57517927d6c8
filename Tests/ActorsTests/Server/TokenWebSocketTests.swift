import Actors
import Coordinator
import TestSupport
import Testing

/// Tokens on WebSockets, whose close frames say why (contract: protocol, Authentication).
@Suite(.timeLimit(.minutes(5)))
struct TokenWebSocketTests {
    private static func connect(_ claims: JSON, secret: [UInt8] = TokenRig.secret) -> String {
        let token = TokenRig.token(claims, secret: secret)
        return #""connect":{"token":"\#(token)","data":{"device":"tv"}}"#
    }

    private static var seconds: Int64 { SystemClock.now.milliseconds / 1000 }

    private func withTokens(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await withServer {
            $0.server.client.access = .tokens(TokenVerifier(secret: TokenRig.secret))
        } _: { server in
            try await body(server)
        }
    }

    @Test func `a token lets in, tells how long, and is renewed`() async throws {
        try await withTokens { server in
            let socket = try RawWebSocket(port: server.port)
            let claims: JSON = [
                "sub": "ann", "sessions": ["a"], "create": true,
                "exp": .integer(Self.seconds + 1000),
            ]
            let answer = try socket.call(Self.connect(claims))
            #expect(answer.result["expires"] == true)
            let ttl = try #require(answer.result.unsigned("ttl"))
            #expect((900...1000).contains(ttl))
            let subscribed = try socket.call(#""subscribe":{"channel":"session:a"}"#)
            #expect(subscribed.code == nil)
            let token = TokenRig.token(["sub": "ann", "sessions": ["a"]])
            let renewed = try socket.call(#""refresh":{"token":"\#(token)"}"#)
            #expect(renewed == .result([:]))
        }
    }

    @Test func `a forged one is closed with 3500, an expired one told to be renewed`() async throws
    {
        try await withTokens { server in
            let socket = try RawWebSocket(port: server.port)
            socket.send(
                "{\"id\":1,\(Self.connect(["sub": "ann"], secret: Array("another".utf8)))}")
            let frame = try socket.frame()
            #expect(frame.code == 3500)
            #expect(frame.reason == "invalid token")
            let other = try RawWebSocket(port: server.port)
            let answer = try other.call(
                Self.connect(["sub": "ann", "exp": .integer(Self.seconds - 1)]))
            #expect(answer.code == 109)
        }
    }

    @Test func `a renewal with an expired one is closed with 3005`() async throws {
        try await withTokens { server in
            let socket = try RawWebSocket(port: server.port)
            try socket.call(Self.connect(["sub": "ann"]))
            let token = TokenRig.token(["sub": "ann", "exp": .integer(Self.seconds - 1)])
            socket.send(#"{"id":2,"refresh":{"token":"\#(token)"}}"#)
            let frame = try socket.frame()
            #expect(frame.code == 3005)
            #expect(frame.reason == "connection expired")
        }
    }

    @Test func `C55: a user who is revoked is gone from every carrier`() async throws {
        try await withTokens { server in
            let socket = try RawWebSocket(port: server.port)
            try socket.call(Self.connect(["sub": "ann"]))
            let line = try RawClient(port: server.port)
            try line.call(Self.connect(["sub": "ann"]))
            let other = try RawClient(port: server.port)
            try other.call(Self.connect(["sub": "bob"]))
            #expect(await server.revoke(.user("ann")) == .success(2))
            #expect(try socket.frame().code == 3500)
            #expect(
                line.rest().lines == [
                    #"{"push":{"disconnect":{"code":3500,"reason":"invalid token"}}}"#
                ])
            let again = try RawWebSocket(port: server.port)
            again.send("{\"id\":1,\(Self.connect(["sub": "ann"]))}")
            #expect(try again.frame().code == 3500)
            #expect(try other.call(#""presence":{"channel":"session:a"}"#).code == 103)
        }
    }
}
