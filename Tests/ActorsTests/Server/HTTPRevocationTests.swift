import Actors
import Coordinator
import TestSupport
import Testing

/// `POST /v1/revoke` (contract: protocol, Authentication).
@Suite(.timeLimit(.minutes(5)))
struct HTTPRevocationTests {
    private static let secret = Array("a secret that is long enough for everybody".utf8)
    private static let key = ["X-API-Key: 0123456789abcdef"]

    private static func token(_ user: String, id: String) -> String {
        var claims = JSONObject()
        claims.append("sub", .string(user))
        claims.append("jti", .string(id))
        claims.append("iat", 1_700_000_000)
        claims.append("exp", 4_000_000_000)
        claims.append("sessions", ["*"])
        claims.append("role", "mirror")
        claims.append("create", true)
        return TokenSigner.token(claims, secret: secret)
    }

    private static func connect(_ client: RawClient, _ token: String) throws -> Answer {
        try client.call(#""connect":{"token":"\#(token)","data":{"device":"d"}}"#)
    }

    private func withTokens(_ body: (TestServer) async throws -> Void) async throws {
        try await withServer {
            $0.server.client.access = .tokens(TokenVerifier(secret: Self.secret))
            $0.server.apiKey = APIKey("0123456789abcdef")
        } _: { server in
            try await body(server)
        }
    }

    @Test(arguments: [#"{"user":"ann"}"#, #"{"tokenID":"t1"}"#])
    func `connections end and their tokens count no more`(body: String) async throws {
        try await withTokens { server in
            let ann = try RawClient(port: server.port)
            let bob = try RawClient(port: server.port)
            #expect(try Self.connect(ann, Self.token("ann", id: "t1")).code == nil)
            #expect(try Self.connect(bob, Self.token("bob", id: "t2")).code == nil)
            try bob.subscribe("a")
            let api = try RawClient(port: server.port)
            let answer = try api.ask("POST", "/v1/revoke", body, fields: Self.key)
            #expect(answer.status == 200)
            #expect(answer.json == ["closed": 1])
            let push = try ann.push()
            #expect(push.kind == "disconnect")
            #expect(push.payload["code"] == 3500)
            #expect(ann.rest().end == .ended)
            let again = try RawClient(port: server.port)
            again.begin(#""connect":{"token":"\#(Self.token("ann", id: "t1"))"}"#)
            #expect(try again.push().payload["code"] == 3500)
            #expect(try bob.rpc("session.state", "a").code == nil)
            // Twice is harmless.
            let repeated = try api.ask("POST", "/v1/revoke", body, fields: Self.key)
            #expect(repeated.json == ["closed": 0])
        }
    }

    @Test(arguments: [
        "{}", "[]", "x", #"{"user":1}"#, #"{"tokenID":null}"#, #"{"user":"a","tokenID":"b"}"#,
        #"{"tokenID":""}"#, #"{"user":"a","user":"b"}"#,
    ])
    func `what names nobody is 400`(body: String) async throws {
        try await withTokens { server in
            let api = try RawClient(port: server.port)
            let answer = try api.ask("POST", "/v1/revoke", body, fields: Self.key)
            #expect(answer.status == 400)
            #expect(answer.json["code"] == 107)
        }
    }

    @Test func `only who has the key revokes, and only where there are tokens`() async throws {
        try await withTokens { server in
            let api = try RawClient(port: server.port)
            #expect(try api.ask("POST", "/v1/revoke", #"{"user":"ann"}"#).status == 401)
            #expect(try api.ask("GET", "/v1/revoke", fields: Self.key).status == 405)
        }
        try await withServer { server in
            let api = try RawClient(port: server.port)
            let answer = try api.ask("POST", "/v1/revoke", #"{"user":"ann"}"#)
            #expect(answer.status == 501)
            #expect(answer.json["code"] == 108)
        }
    }
}
