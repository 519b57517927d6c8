import Coordinator
import Testing

@Suite struct HTTPAccessTests {
    private static let key = "0123456789abcdef"

    private func access(
        key: String? = nil, requiresTokens: Bool = false, isExposed: Bool = false
    ) -> HTTPAccess {
        HTTPAccess(
            apiKey: key.flatMap { APIKey($0) }, requiresTokens: requiresTokens,
            isExposed: isExposed, origins: OriginRule(allowed: ["https://shop.example"]))
    }

    private func request(_ host: String, _ fields: (String, String)...) -> HTTPRequest {
        var header = HTTPFields()
        for field in fields { header.append(field.0, field.1) }
        return HTTPRequest(
            method: "GET", path: "/", query: nil, isVersion11: true, fields: header, host: host)
    }

    private func status(
        _ access: HTTPAccess, _ request: HTTPRequest, _ rule: HTTPAccess.Rule,
        isLocal: Bool = true
    ) -> HTTPStatus? {
        access.refusal(of: request, rule, isLocal: isLocal)?.status
    }

    @Test func `without any secret the API is for this machine's own names`() {
        let open = access()
        #expect(status(open, request("localhost:8787"), .api) == nil)
        #expect(status(open, request("127.0.0.1"), .api) == nil)
        #expect(status(open, request("evil.test:8787"), .api) == .forbidden)
        #expect(status(open, request(""), .api) == .forbidden)
    }

    @Test func `a page of another site is not answered there`() {
        let open = access()
        let host = "localhost:8787"
        #expect(status(open, request(host, ("origin", "https://evil.test")), .api) == .forbidden)
        #expect(status(open, request(host, ("origin", "null")), .api) == .forbidden)
        #expect(status(open, request(host, ("origin", "http://localhost:8787")), .api) == nil)
        #expect(status(open, request(host, ("origin", "https://shop.example")), .api) == nil)
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func `where a secret is asked for, or others come, the API is closed without a key`(
        requiresTokens: Bool, isExposed: Bool
    ) {
        let closed = access(requiresTokens: requiresTokens, isExposed: isExposed)
        let refusal = closed.refusal(of: request("localhost"), .api, isLocal: true)
        #expect(refusal?.status == .forbidden)
        let text = String(decoding: refusal?.body ?? [], as: UTF8.self)
        #expect(text.contains("auth.apiKey is not configured"))
    }

    @Test func `a key is asked for wherever one is configured`() {
        for (tokens, exposed) in [(false, false), (true, false), (false, true), (true, true)] {
            let locked = access(key: Self.key, requiresTokens: tokens, isExposed: exposed)
            let refusal = locked.refusal(of: request("localhost"), .api, isLocal: true)
            #expect(refusal?.status == .unauthorized)
            #expect(refusal?.fields.values("www-authenticate") == ["apikey"])
            let wrong = request("localhost", ("x-api-key", "fedcba9876543210"))
            #expect(status(locked, wrong, .api) == .unauthorized)
            // Whoever has it may come by any name.
            let right = request("coordd.example.net", ("x-api-key", Self.key))
            #expect(status(locked, right, .api) == nil)
        }
    }

    @Test func `the metrics are for this machine, or need the key`() {
        #expect(status(access(), request("a"), .metrics) == nil)
        #expect(status(access(), request("a"), .metrics, isLocal: false) == .forbidden)
        let locked = access(key: Self.key)
        #expect(status(locked, request("a"), .metrics) == nil)
        #expect(status(locked, request("a"), .metrics, isLocal: false) == .unauthorized)
        let right = request("a", ("authorization", "apikey \(Self.key)"))
        #expect(status(locked, right, .metrics, isLocal: false) == nil)
    }

    @Test func `everybody may ask for the health`() {
        for access in [access(), access(key: Self.key, requiresTokens: true, isExposed: true)] {
            #expect(status(access, request("evil.test"), .everybody, isLocal: false) == nil)
        }
    }

    @Test func `a WebSocket without a secret is for this machine's own names`() {
        #expect(access().webSocketRefusal(of: request("localhost:8787")) == nil)
        let rebound = request("evil.test:8787", ("origin", "http://evil.test:8787"))
        #expect(access().webSocketRefusal(of: rebound)?.status == .forbidden)
        #expect(access(key: Self.key).webSocketRefusal(of: rebound)?.status == .forbidden)
        // With tokens a page gets nowhere without one; with --insecure that is the operator's wish.
        #expect(access(requiresTokens: true).webSocketRefusal(of: rebound) == nil)
        #expect(access(isExposed: true).webSocketRefusal(of: rebound) == nil)
        let foreign = request("localhost", ("origin", "https://evil.test"))
        for access in [access(), access(requiresTokens: true), access(isExposed: true)] {
            #expect(access.webSocketRefusal(of: foreign)?.status == .forbidden)
        }
    }
}
