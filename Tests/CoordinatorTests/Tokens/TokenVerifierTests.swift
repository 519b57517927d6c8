import Coordinator
import Security
import Testing

@Suite struct TokenVerifierTests {
    private static let secret = Array("a secret of more than thirty-two bytes".utf8)
    private static let now = Instant(milliseconds: 1_700_000_000_000)

    private let verifier = TokenVerifier(secret: secret)

    private func token(_ claims: JSON) -> String {
        TokenSigner.token(claims.object ?? JSONObject(), secret: Self.secret)
    }

    private func key(_ pem: String) throws -> VerifyingKey {
        try VerifyingKey(pem: Array(pem.utf8))
    }

    private func fault(_ token: String, _ verifier: TokenVerifier? = nil) -> TokenFault? {
        do throws(TokenFault) {
            _ = try (verifier ?? self.verifier).verify(token, at: Self.now)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Genuine tokens

    /// The token, key and claims of RFC 7515, appendix A.1; it expired in 2011.
    @Test func `the RFC's example of HS256`() throws {
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let key = try #require(
            Base64URL.bytes(
                of: "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUu"
                    + "TwjAzZr1Z9CAow"))
        let verifier = TokenVerifier(secret: key, issuer: "joe")
        let before = Instant(milliseconds: 1_300_819_379_999)
        #expect(try verifier.verify(token, at: before).expires?.milliseconds == 1_300_819_380_000)
        #expect(throws: TokenFault.expired) {
            try verifier.verify(token, at: Instant(milliseconds: 1_300_819_380_000))
        }
    }

    @Test func `tokens that openssl signed`() throws {
        let rsa = TokenVerifier(publicKey: try key(TokenFixtures.rsaKey))
        let p256 = TokenVerifier(publicKey: try key(TokenFixtures.p256Key))
        for (verifier, token) in [
            (rsa, TokenFixtures.rs256), (p256, TokenFixtures.es256),
            (p256, TokenFixtures.es256WithZero),
        ] {
            let claims = try verifier.verify(token, at: Self.now)
            #expect(claims.user == "ann")
            #expect(claims.sessions == [.prefix("match-")])
        }
    }

    @Test func `all claims`() throws {
        let claims = try verifier.verify(
            token([
                "sub": "ann", "exp": 1_700_000_001.5, "iat": 1_699_999_000, "jti": "t-1",
                "device": "tv", "sessions": ["match-1", "shop-*", "*"], "role": "mirror",
                "create": true, "place": true, "channel": "session:a", "nbf": 1_700_000_005,
                "other": ["x": 1],
            ]), at: Self.now)
        var expected = TokenClaims()
        expected.user = "ann"
        expected.expires = Instant(milliseconds: 1_700_000_001_500)
        expected.issued = Instant(milliseconds: 1_699_999_000_000)
        expected.id = "t-1"
        expected.device = "tv"
        expected.sessions = [
            .one(try #require(SessionID("match-1"))), .prefix("shop-"), .prefix(""),
        ]
        expected.role = .mirror
        expected.mayCreate = true
        expected.mayPlace = true
        expected.channel = "session:a"
        #expect(claims == expected)
    }

    @Test func `what a token does not say is not allowed`() throws {
        let claims = try verifier.verify(token([:]), at: Self.now)
        #expect(claims == TokenClaims())
        #expect(claims.role == .observer)
        #expect(claims.sessions.isEmpty && !claims.mayCreate && !claims.mayPlace)
    }

    // MARK: Forgeries

    @Test func `a token without a signature is none`() {
        let payload = Base64URL.text(of: Array(#"{"sub":"ann"}"#.utf8))
        for name in ["none", "None", "NONE", ""] {
            let header = Base64URL.text(of: Array(#"{"alg":"\#(name)"}"#.utf8))
            #expect(fault("\(header).\(payload).") == .algorithm)
        }
        let header = Base64URL.text(of: Array("{}".utf8))
        #expect(fault("\(header).\(payload).") == .algorithm)
    }

    @Test func `a public key is no secret`() throws {
        let rsa = TokenVerifier(publicKey: try key(TokenFixtures.rsaKey))
        #expect(fault(TokenFixtures.confused, rsa) == .algorithm)
        let both = TokenVerifier(secret: Self.secret, publicKey: try key(TokenFixtures.rsaKey))
        #expect(fault(TokenFixtures.confused, both) == .signature)
        #expect(fault(TokenFixtures.es256, rsa) == .algorithm)
        #expect(fault(TokenFixtures.rs256, verifier) == .algorithm)
    }

    @Test func `any changed letter is noticed`() throws {
        let rsa = TokenVerifier(publicKey: try key(TokenFixtures.rsaKey))
        let p256 = TokenVerifier(publicKey: try key(TokenFixtures.p256Key))
        let mac = token(["sub": "ann"])
        for (verifier, token) in [
            (rsa, TokenFixtures.rs256), (p256, TokenFixtures.es256), (self.verifier, mac),
        ] {
            let letters = Array(token.utf8)
            for index in letters.indices {
                var changed = letters
                changed[index] =
                    letters[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                #expect(fault(String(decoding: changed, as: UTF8.self), verifier) != nil)
            }
            for count in letters.indices {
                #expect(fault(String(decoding: letters[..<count], as: UTF8.self), verifier) != nil)
            }
        }
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b", "a.b.c.d", "{}.{}.", "e30.e30", "e30=.e30.e30", "é.é.é",
        "bnVsbA.bnVsbA.AA", "W10.W10.AA",
    ])
    func `what is no token`(text: String) {
        guard case .malformed = fault(text) else {
            Issue.record("\(String(describing: fault(text)))")
            return
        }
    }

    @Test func `a header that demands extensions, or says something twice, is malformed`() {
        let payload = Base64URL.text(of: Array("{}".utf8))
        for text in [
            #"{"alg":"HS256","crit":["b64"],"b64":false}"#, #"{"alg":"none","alg":"HS256"}"#,
        ] {
            let signed = Base64URL.text(of: Array(text.utf8)) + "." + payload
            let code = HMACSHA256.code(of: Array(signed.utf8), key: Self.secret)
            guard case .malformed = fault(signed + "." + Base64URL.text(of: code)) else {
                Issue.record("accepted: \(text)")
                continue
            }
        }
    }

    @Test func `a token over the limit is not looked at`() {
        let long = token(["x": .string(String(repeating: "x", count: 20_000))])
        #expect(fault(long) == .malformed("it is longer than 16384 bytes"))
    }

    // MARK: Claims

    @Test func `a token counts from nbf, with five seconds for clocks, until exp`() {
        #expect(fault(token(["exp": 1_700_000_000])) == .expired)
        #expect(fault(token(["exp": 1_700_000_000.001])) == nil)
        #expect(fault(token(["nbf": 1_700_000_005])) == nil)
        #expect(fault(token(["nbf": 1_700_000_005.001])) == .expired)
    }

    @Test func `audience and issuer count when they are configured`() {
        let strict = TokenVerifier(secret: Self.secret, audience: "coordd", issuer: "book")
        #expect(fault(token(["iss": "book", "aud": "coordd"]), strict) == nil)
        #expect(fault(token(["iss": "book", "aud": ["x", "coordd"]]), strict) == nil)
        #expect(fault(token(["iss": "book", "aud": ["x"]]), strict) == .wrong("audience"))
        #expect(fault(token(["iss": "book"]), strict) == .wrong("audience"))
        #expect(fault(token(["aud": "coordd"]), strict) == .wrong("issuer"))
        #expect(fault(token(["iss": "other", "aud": "coordd"]), strict) == .wrong("issuer"))
        #expect(fault(token(["iss": "other", "aud": "x"])) == nil)
        // What is of the wrong type makes it none, also where nobody asks for it.
        for claims in [["aud": [1]], ["aud": 5], ["aud": ["x", .null]]] as [JSON] {
            #expect(
                fault(token(claims)) == .claim("aud must be a string or a list of strings"))
        }
        #expect(fault(token(["iss": 5])) != nil)
        #expect(fault(token(["aud": .null, "iss": .null])) == nil)
        // Only a token that is good otherwise is told to be renewed.
        #expect(
            fault(token(["iss": "other", "aud": "coordd", "exp": 1]), strict) == .wrong("issuer"))
    }

    @Test(
        arguments: [
            ("sub", 1), ("exp", "soon"), ("exp", -1), ("exp", 1e13), ("nbf", true), ("iat", []),
            ("device", ""), ("device", 1), ("role", "system"), ("role", "api"), ("role", 1),
            ("create", "yes"), ("place", 1), ("sessions", "match-1"), ("sessions", [1]),
            ("sessions", ["a b"]), ("sessions", ["a*b"]), ("sessions", [""]), ("jti", 1),
            ("channel", 1),
        ] as [(String, JSON)])
    func `a claim that is not what it must be is named`(name: String, value: JSON) {
        var claims = JSONObject()
        claims.append(name, value)
        guard case .claim(let text) = fault(token(.object(claims))) else {
            Issue.record("\(name) \(value) was accepted")
            return
        }
        #expect(text.hasPrefix(name))
    }

    @Test func `a scope holds ids that begin with it, byte by byte`() throws {
        let id = try #require(SessionID("match-1"))
        #expect(SessionScope("match-1")?.contains(id) == true)
        #expect(SessionScope("match-")?.contains(id) == false)
        #expect(SessionScope("match-*")?.contains(id) == true)
        #expect(SessionScope("*")?.contains(id) == true)
        #expect(SessionScope("match-10*")?.contains(id) == false)
        #expect(SessionScope("Match-*")?.contains(id) == false)
    }

    // MARK: Keys

    @Test func `keys that are weak or of another kind are refused`() throws {
        #expect(throws: VerifyingKey.Fault.tooShort(bits: 1024)) {
            try key(TokenFixtures.shortRSAKey)
        }
        #expect(throws: VerifyingKey.Fault.unknownKind) { try key(TokenFixtures.p384Key) }
        #expect(throws: VerifyingKey.Fault.unknownKind) { try key(TokenFixtures.ed25519Key) }
        for text in ["", "-----BEGIN PUBLIC KEY-----", String(repeating: "A", count: 70_000)] {
            #expect(throws: VerifyingKey.Fault.notPEM) { try key(text) }
        }
        #expect(try key(TokenFixtures.rsaKey).algorithm == .rs256)
        #expect(try key(TokenFixtures.p256Key).algorithm == .es256)
    }

    @Test func `comparisons look at every byte`() {
        #expect(ConstantTime.areEqual("abc", "abc"))
        #expect(!ConstantTime.areEqual("abc", "abd"))
        #expect(!ConstantTime.areEqual("abc", "ab"))
        #expect(ConstantTime.areEqual([], [] as [UInt8]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 3] as [UInt8]))
    }

    /// RFC 4231, test case 2; RFC 3174's "abc".
    @Test func `the digests of the standards`() {
        #expect(
            HMACSHA256.code(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                .prefix(4) == [0x5B, 0xDC, 0xC1, 0x46])
        #expect(
            SHA1.digest(Array("abc".utf8)) == [
                0xA9, 0x99, 0x3E, 0x36, 0x47, 0x06, 0x81, 0x6A, 0xBA, 0x3E, 0x25, 0x71, 0x78, 0x50,
                0xC2, 0x6C, 0x9C, 0xD0, 0xD8, 0x9D,
            ])
    }
}
