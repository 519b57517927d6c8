import Actors
import Coordinator
import TestSupport
import Testing

/// Who gets what over HTTP, on a real socket (contract: protocol, Authentication).
@Suite(.timeLimit(.minutes(5)))
struct HTTPAccessServerTests {
    private static let key = "0123456789abcdef"
    private static let event = #"{"event":{"type":"betslip.update","stake":"1.00"}}"#

    @Test func `with a key nothing of the API goes without it`() async throws {
        try await withServer {
            $0.server.apiKey = APIKey(Self.key)
        } _: { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let requests = [
                ("GET", "/v1/sessions", nil), ("GET", "/v1/sessions/a", nil),
                ("GET", "/v1/sessions/a/history", nil), ("DELETE", "/v1/sessions/a", nil),
                ("POST", "/v1/sessions/a/events", Self.event),
            ]
            for (method, path, body) in requests {
                for fields in [[], ["X-API-Key: fedcba9876543210"], ["Authorization: Bearer x"]] {
                    let answer = try api.ask(method, path, body, fields: fields)
                    #expect(answer.status == 401, "\(method) \(path) \(fields)")
                    #expect(answer.fields["www-authenticate"] == "apikey")
                    #expect(answer.fields["content-type"] == "application/problem+json")
                    #expect(!answer.body.contains(Self.key))
                }
            }
            // By whatever name: only a page of this site could know it.
            for field in ["X-API-Key: \(Self.key)", "authorization: APIKEY \(Self.key)"] {
                #expect(
                    try api.ask("GET", "/v1/sessions/a", host: "coordd.example", fields: [field])
                        .status
                        == 200)
            }
            #expect(try api.get("/healthz").status == 200)
            // This machine gets the metrics without.
            #expect(try api.get("/metrics").status == 200)
            #expect(await server.httpStatus("/metrics", from: "10.0.0.1") == 401)
        }
    }

    @Test func `where clients need tokens the API is closed without a key, and says so`()
        async throws
    {
        for isExposed in [false, true] {
            try await withServer {
                let secret = Array("a secret that is long enough for everybody".utf8)
                if !isExposed {
                    $0.server.client.access = .tokens(TokenVerifier(secret: secret))
                }
                $0.server.isExposed = isExposed
            } _: { server in
                let api = try RawClient(port: server.port)
                for (method, path) in [("GET", "/v1/sessions"), ("DELETE", "/v1/sessions/a")] {
                    let answer = try api.ask(method, path)
                    #expect(answer.status == 403)
                    #expect(
                        answer.json["detail"]?.string?
                            .hasSuffix(", and auth.apiKey is not configured") == true)
                }
            }
        }
    }

    @Test func `a page of another site reaches nothing: DNS rebinding`() async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            for host in ["evil.test", "evil.test:\(server.port)", "127.0.0.1.nip.io"] {
                let requests = [
                    ("GET", "/v1/sessions", nil), ("GET", "/v1/sessions/a", nil),
                    ("DELETE", "/v1/sessions/a", nil),
                    ("POST", "/v1/sessions/a/events", Self.event),
                ]
                for (method, path, body) in requests {
                    let answer = try api.ask(method, path, body, host: host)
                    #expect(answer.status == 403, "\(host) \(method) \(path)")
                }
                let socket = try RawWebSocket(
                    port: server.port, "Origin: http://\(host)", host: host)
                #expect(socket.answer.status == 403, "\(host)")
            }
            for host in ["localhost:\(server.port)", "127.0.0.1", "[::1]:1"] {
                #expect(try api.ask("GET", "/v1/sessions/a", host: host).status == 200, "\(host)")
                let socket = try RawWebSocket(port: server.port, host: host)
                #expect(socket.answer.status == 101, "\(host)")
            }
            // The target's own host counts, if there is one.
            api.send(
                bytes: Array(
                    "GET http://evil.test/v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            #expect(try api.httpAnswer().status == 403)
            #expect(try api.ask("GET", "/v1/sessions/a").json["rev"] == 0)
        }
    }

    @Test(arguments: [
        "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain",
        "text/plain; application/json", "application/jsonp", "text/json", "",
        "application/json, text/plain",
    ])
    func `a form of another site sends nothing: cross-site POST`(type: String) async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let answer = try api.ask("POST", "/v1/sessions/a/events", Self.event, type: type)
            #expect(answer.status == 415)
            // A body is looked at wherever one comes.
            #expect(try api.ask("DELETE", "/v1/sessions/a", "x=y", type: type).status == 415)
            #expect(try api.ask("GET", "/v1/sessions/a").json["rev"] == 0)
        }
    }

    @Test func `JSON from another site's page is refused by its origin`() async throws {
        try await withServer {
            $0.server.origins = OriginRule(allowed: ["https://shop.example"])
        } _: { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let path = "/v1/sessions/a/events"
            for origin in ["https://evil.test", "null", "http://localhost.evil.test"] {
                let answer = try api.ask("POST", path, Self.event, fields: ["Origin: \(origin)"])
                #expect(answer.status == 403)
            }
            for (index, origin) in ["http://localhost", "https://shop.example"].enumerated() {
                let event = #"{"event":{"type":"betslip.update","stake":"\#(index + 1).00"}}"#
                let answer = try api.ask("POST", path, event, fields: ["Origin: \(origin)"])
                #expect(answer.status == 200, "\(origin)")
                #expect(answer.fields["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/json;x"])
    func `JSON is JSON, whatever its parameters`(type: String) async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let answer = try api.ask("POST", "/v1/sessions/a/events", Self.event, type: type)
            #expect(answer.status == 200)
        }
    }

    @Test func `a POST without a body is 411, without a type 415, and both before it is sent`()
        async throws
    {
        try await withServer { server in
            let api = try RawClient(port: server.port)
            #expect(try api.ask("POST", "/v1/sessions/a/events").status == 411)
            let untyped = try api.ask("POST", "/v1/sessions/a/events", Self.event, type: nil)
            #expect(untyped.status == 415)
            api.request(
                "POST", "/v1/sessions/a/events", "Content-Length: 9", "Expect: 100-continue")
            #expect(try api.httpAnswer().status == 415)
            let chunked = try RawClient(port: server.port)
            chunked.request(
                "POST", "/v1/sessions/a/events", "Transfer-Encoding: chunked",
                "Content-Type: application/json")
            chunked.send(bytes: Array("1\r\n{\r\n1\r\n}\r\n0\r\n\r\n".utf8))
            #expect(try chunked.httpAnswer().json["detail"] == "bad request: body.event is missing")
        }
    }

    /// Handshakes of a browser while one page is allowed (Docs/Cases.md).
    static let handshakes: [(fields: [String], status: Int)] = [
        (["Origin: https://app.example.com"], 101), (["Origin: HTTPS://APP.EXAMPLE.COM"], 101),
        (["Origin: https://app.example.com:443"], 101),
        (["Origin: https://app.example.com:8443"], 403),
        (["Origin: http://app.example.com"], 403),
        (["Origin: https://app.example.com.evil.test"], 403),
        (["Origin: https://evilapp.example.com"], 403), (["Origin: null"], 403),
        (["Origin: https://app.example.com", "Origin: https://app.example.com"], 403), ([], 101),
    ]

    @Test(arguments: handshakes)
    func `C56: only the allowed page opens a WebSocket`(
        fields: [String], status: Int
    ) async throws {
        try await withServer {
            $0.server.origins = OriginRule(allowed: ["https://app.example.com"])
        } _: { server in
            let socket = try RawWebSocket(port: server.port, more: fields)
            #expect(socket.answer.status == status)
            #expect(socket.answer.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func `C56: by default no other site's page does`() async throws {
        try await withServer { server in
            let foreign = try RawWebSocket(
                port: server.port, more: ["Origin: https://app.example.com"])
            #expect(foreign.answer.status == 403)
            let own = try RawWebSocket(port: server.port, more: ["Origin: http://localhost"])
            #expect(own.answer.status == 101)
        }
    }

    @Test func `keys are in no line of the log`() async throws {
        let sink = MemoryLogSink()
        try await withServer {
            $0.server.apiKey = APIKey(Self.key)
            $0.sink = sink
        } _: { server in
            let api = try RawClient(port: server.port)
            _ = try api.ask("GET", "/v1/sessions", fields: ["X-API-Key: \(Self.key)"])
            _ = try api.ask("GET", "/v1/sessions", fields: ["X-API-Key: wrong-\(Self.key)"])
            api.send(bytes: Array("GET / HTTP/1.1\r\nX-API-Key: \(Self.key)\n\n".utf8))
            #expect(!(try api.httpAnswer().body.contains(Self.key)))
        }
        #expect(await sink.finish().allSatisfy { !"\($0)".contains(Self.key) })
    }
}
