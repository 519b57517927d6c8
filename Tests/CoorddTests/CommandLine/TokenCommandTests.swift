import Coordinator
import TestSupport
import Testing
import coordd

/// `coordd token` (contract: protocol, Command line).
@Suite struct TokenCommandTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let environment = ["COORDD_AUTH_SECRET": secret]

    private func claims(_ arguments: String...) async throws -> JSON {
        let run = await ToolRun(
            ["token", "--json"] + arguments, environment: Self.environment)
        #expect(run.code == .done)
        #expect(run.error == "")
        let printed = try JSONParser.parse(text: run.output).root
        let token = try #require(printed["token"]?.string)
        let payload = try #require(
            Base64URL.bytes(of: token.split(separator: ".")[1]))
        let claims = try JSONParser.parse(payload.span).root
        #expect(printed["claims"] == claims)
        return claims
    }

    @Test func `a token is taken by the server with the same secret, and by no other`() async throws
    {
        let run = await ToolRun(
            [
                "token", "--session", "match-1,shop-*", "--role", "mirror", "--ttl", "15m",
                "--user", "ann", "--device", "tv", "--create", "--place",
            ], environment: Self.environment)
        #expect(run.code == .done)
        #expect(run.output.hasSuffix("\n"))
        let token = String(run.output.dropLast())
        let peeked = try #require(TokenVerifier.peek(token))
        let issued = try #require(peeked.issued)
        let claims = try TokenVerifier(secret: Array(Self.secret.utf8)).verify(token, at: issued)
        #expect(claims.user == "ann")
        #expect(claims.device == "tv")
        #expect(claims.role == .mirror)
        #expect(
            claims.sessions == [.one(try #require(SessionID("match-1"))), .prefix("shop-")])
        #expect(claims.mayCreate && claims.mayPlace)
        #expect(claims.expires?.milliseconds(since: issued) == 900_000)
        #expect(claims.id?.utf8.count == 32)
        #expect(throws: TokenFault.signature) {
            try TokenVerifier(secret: Array("x".utf8)).verify(token, at: issued)
        }
    }

    @Test func `what is not asked for is not in it`() async throws {
        let claims = try await claims("--session", "a")
        let names = claims.object?.members.map(\.key)
        #expect(names == ["iat", "exp", "jti", "sessions", "role"])
        #expect(claims["role"] == "observer")
        #expect(
            claims.unsigned("exp").flatMap { exp in claims.unsigned("iat").map { exp - $0 } }
                == 3600)
    }

    @Test func `two tokens have two names`() async throws {
        let (first, second) = (
            try await claims("--session", "a"), try await claims("--session", "a")
        )
        #expect(first["jti"] != second["jti"])
    }

    @Test func `a channel makes it a subscription token`() async throws {
        let claims = try await claims("--channel", "stage:a", "--role", "player")
        #expect(claims["channel"] == "stage:a")
        #expect(claims["sessions"] == nil)
    }

    @Test func `audience and issuer are the configured ones`() async throws {
        let folder = try TestFolder()
        try folder.write(
            Array(
                #"{"auth": {"secret": "\#(Self.secret)", "audience": "a", "issuer": "i"}}"#.utf8),
            to: "c.json")
        let run = await ToolRun(
            ["token", "--config", folder.file("c.json"), "--session", "a", "--json"])
        let claims = try JSONParser.parse(text: run.output).root["claims"]
        #expect(claims?["aud"] == "a")
        #expect(claims?["iss"] == "i")
    }

    @Test(arguments: [
        (["--role", "player"], "--session or --channel is needed"),
        (["--session", "a", "--channel", "session:a"], "does not go with --session"),
        (["--session", "a b"], #"--session: found "a b""#),
        (["--session", "a,"], #"--session: found """#),
        (["--channel", "room:a"], "--channel: found"),
        (["--channel", "stage:a"], "needs --role player"),
        (["--session", "a", "--role", "api"], "--role: found"),
        (["--session", "a", "--ttl", "1"], "--ttl: found"),
        (["--session", "a", "--ttl", "366d"], "from 1s to 31536000s"),
        (["--session", "a", "--ttl", "0s"], "--ttl: found"),
    ])
    func `wrong usage is told`(arguments: [String], problem: String) async {
        let run = await ToolRun(["token"] + arguments, environment: Self.environment)
        #expect(run.code == .usage)
        #expect(run.output == "")
        #expect(run.error.contains(problem), "\(run.error)")
        #expect(!run.error.contains(Self.secret))
    }

    @Test func `without a secret there is no token`() async {
        let run = await ToolRun(["token", "--session", "a"])
        #expect(run.code == .usage)
        #expect(run.error.contains("auth.secret is not set"))
    }
}
