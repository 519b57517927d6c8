import Actors
import Coordinator
import TestSupport
import Testing

/// The sessions over HTTP (contract: protocol, HTTP).
@Suite(.timeLimit(.minutes(5)))
struct HTTPSessionsTests {
    private static let stake = #"{"type":"betslip.update","stake":"10.00"}"#

    private func events(_ event: String, _ more: String = "") -> String {
        #"{"event":\#(event)\#(more)}"#
    }

    @Test func `an event is applied by the API, answered and published once it is durable`()
        async throws
    {
        try await withServer { server in
            let mirror = try RawClient(port: server.port, device: "tv")
            let epoch = try #require(try mirror.subscribe("match-1").result["epoch"])
            let api = try RawClient(port: server.port)
            let answer = try api.ask("POST", "/v1/sessions/match-1/events", events(Self.stake))
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "application/json")
            #expect(answer.body == "{\"rev\":1}\n")
            let push = try mirror.push()
            #expect(push.payload.unsigned("offset") == 1)
            #expect(push.payload.at("data", "by") == ["role": "api"])
            #expect(push.payload.at("data", "event", "stake") == "10.00")

            let state = try api.ask("GET", "/v1/sessions/match-1")
            #expect(state.status == 200)
            #expect(state.json["epoch"] == epoch)
            #expect(state.json["rev"] == 1)
            #expect(state.json.at("state", "betslip", "stake") == "10.00")
            #expect(state.json == (try mirror.rpc("session.state", "match-1").result))
        }
    }

    @Test func `a repeated id is answered as the first time`() async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let body = events(Self.stake, #","id":"k1""#)
            #expect(try api.ask("POST", "/v1/sessions/a/events", body).json == ["rev": 1])
            // Whatever connection it comes on: the API is one sender.
            let other = try RawClient(port: server.port)
            #expect(
                try other.ask("POST", "/v1/sessions/a/events", body).json
                    == ["rev": 1, "duplicate": true])
            let device = try RawClient(port: server.port, device: "tv")
            let event = #"{"type":"betslip.update","stake":"11.00"}"#
            #expect(try device.apply(event, to: "a", #","id":"k1""#) == .result(["rev": 2]))
        }
    }

    @Test func `errors are problems with their codes`() async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let cases: [(path: String, body: String, status: Int, code: Int, reason: String)] = [
                ("b", events(Self.stake), 404, 102, "unknown channel: "),
                ("a", events(Self.stake, #","ifRev":7"#), 409, 409, "revision.conflict: "),
                ("a", events(#"{"type":"dance"}"#), 422, 422, "event.unknownType: "),
                ("a", events(#"{"type":"betslip.update","stake":{}}"#), 422, 422, ""),
                ("a", "{}", 400, 107, "bad request: "), ("a", "x", 400, 107, "bad request: "),
                ("a", "", 400, 107, "bad request: "),
                ("%2F", events(Self.stake), 400, 107, "bad request: "),
                ("%zz", events(Self.stake), 400, 107, "bad request: "),
                ("%ff", events(Self.stake), 400, 107, "bad request: "),
            ]
            for (path, body, status, code, reason) in cases {
                let answer = try api.ask("POST", "/v1/sessions/\(path)/events", body)
                #expect(answer.status == status, "\(path) \(body)")
                #expect(answer.fields["content-type"] == "application/problem+json")
                #expect(answer.json["status"] == .integer(status))
                #expect(answer.json["code"] == .integer(code), "\(path) \(body)")
                #expect(answer.json["type"] == "about:blank")
                let detail = answer.json["detail"]?.string ?? ""
                #expect(detail.hasPrefix(reason), "\(detail)")
                #expect(answer.fields["connection"] == "keep-alive")
            }
            #expect(try api.ask("GET", "/v1/sessions/a").json["rev"] == 0)
        }
    }

    @Test func `ids may be percent-encoded`() async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a~b.c")
            let api = try RawClient(port: server.port)
            for path in ["a~b.c", "a%7Eb.c", "%61%7e%62%2E%63"] {
                #expect(try api.ask("GET", "/v1/sessions/\(path)").status == 200, "\(path)")
            }
            for path in ["a~b.c/", "a~b.c//history", "/v1/sessions//history", "a+b"] {
                let full = path.hasPrefix("/") ? path : "/v1/sessions/\(path)"
                #expect([400, 404].contains(try api.ask("GET", full).status), "\(path)")
            }
            #expect(try api.ask("GET", "/v1/sessions/").status == 404)
        }
    }

    @Test func `what goes over the rate is refused, and the connection stays`() async throws {
        try await withServer {
            $0.server.client.eventsPerSecond = 1
        } _: { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            // Twice as many at once; time may pass in between, so some more may get through.
            var refusal: HTTPAnswer?
            for _ in 0..<20 where refusal == nil {
                let answer = try api.ask("POST", "/v1/sessions/a/events", events(Self.stake))
                if answer.status != 200 { refusal = answer }
            }
            #expect(refusal?.status == 429)
            #expect(refusal?.json["code"] == 111)
            #expect(refusal?.fields["retry-after"] == "1")
            #expect(try api.ask("GET", "/v1/sessions/a").status == 200)
        }
    }

    @Test func `history pages through the window`() async throws {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            let epoch = try tv.subscribe("a").result["epoch"]
            let api = try RawClient(port: server.port)
            for stake in 1...5 {
                let event = #"{"type":"betslip.update","stake":\#(stake)}"#
                #expect(
                    try api.ask("POST", "/v1/sessions/a/events", events(event)).status == 200)
            }
            let cases: [(query: String, offsets: [UInt64])] = [
                ("", [1, 2, 3, 4, 5]), ("?limit=2", [1, 2]), ("?since=3", [4, 5]),
                ("?since=1&limit=2", [2, 3]), ("?since=5", []), ("?since=9", []),
                ("?limit=0", []), ("?since=0", [1, 2, 3, 4, 5]),
            ]
            for (query, offsets) in cases {
                let answer = try api.ask("GET", "/v1/sessions/a/history\(query)")
                #expect(answer.status == 200)
                let found = answer.json["publications"]?.array?.compactMap {
                    $0.unsigned("offset")
                }
                #expect(found == offsets, "\(query)")
                #expect(answer.json["epoch"] == epoch)
                #expect(answer.json["offset"] == 5)
            }
            let first = try api.ask("GET", "/v1/sessions/a/history?limit=1").json
            let data = first["publications"]?.array?.first?["data"]
            #expect(data?["rev"] == 1)
            #expect(data?["by"] == ["role": "api"])
            #expect(data?["patch"] == ["betslip": ["stake": "1", "revision": 1]])
            for query in ["?limit=1001", "?limit=-1", "?since=x", "?since=-1", "?since=%zz"] {
                let answer = try api.ask("GET", "/v1/sessions/a/history\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect(answer.json["code"] == 107)
            }
            #expect(try api.ask("GET", "/v1/sessions/b/history").status == 404)
        }
    }

    @Test func `a deleted session is gone for everybody, and a second time it is not there`()
        async throws
    {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            try tv.subscribe("a")
            let api = try RawClient(port: server.port)
            let answer = try api.ask("DELETE", "/v1/sessions/a")
            #expect(answer.status == 204)
            #expect(answer.body == "")
            #expect(answer.fields["content-length"] == nil)
            #expect(answer.fields["content-type"] == nil)
            let push = try tv.push()
            #expect(push.kind == "unsubscribe")
            #expect(push.payload["code"] == 2000)
            let again = try api.ask("DELETE", "/v1/sessions/a")
            #expect(again.status == 404)
            #expect(again.json["code"] == 102)
            #expect(try api.ask("GET", "/v1/sessions/a").status == 404)
            #expect(await server.storedSessions == 0)
        }
    }

    @Test func `asking makes no session`() async throws {
        try await withServer { server in
            let api = try RawClient(port: server.port)
            #expect(try api.ask("GET", "/v1/sessions/a").status == 404)
            #expect(try api.ask("GET", "/v1/sessions/a/history").status == 404)
            #expect(try api.ask("POST", "/v1/sessions/a/events", events(Self.stake)).status == 404)
            #expect(try api.ask("DELETE", "/v1/sessions/a").status == 404)
            #expect(await server.storedSessions == 0)
            #expect(await server.activeSessions == 0)
        }
    }

    @Test func `HEAD is GET without the body, everywhere`() async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            for path in ["/v1/sessions", "/v1/sessions/a", "/v1/sessions/a/history"] {
                let head = try api.ask("HEAD", path)
                let get = try api.ask("GET", path)
                #expect(head.status == 200)
                #expect(head.fields["content-length"] == "\(get.body.utf8.count)")
            }
            #expect(try api.ask("HEAD", "/v1/sessions/b").status == 404)
        }
    }

    @Test func `another method is 405 and names those that are served`() async throws {
        try await withServer { server in
            let api = try RawClient(port: server.port)
            let cases = [
                ("/v1/sessions", "POST", "GET, HEAD"),
                ("/v1/sessions/a", "PUT", "GET, HEAD, DELETE"),
                ("/v1/sessions/a/history", "DELETE", "GET, HEAD"),
                ("/v1/sessions/a/events", "GET", "POST"), ("/v1/sessions/a/events", "HEAD", "POST"),
                ("/v1/sessions", "OPTIONS", "GET, HEAD"),
            ]
            for (path, method, allow) in cases {
                let answer = try api.ask(method, path, nil)
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer.fields["allow"] == allow)
                // Nobody else's page gets a word.
                #expect(answer.fields.keys.allSatisfy { !$0.hasPrefix("access-control") })
            }
        }
    }

    @Test func `answers of sessions hold the connection's order`() async throws {
        try await withServer { server in
            try RawClient(port: server.port, device: "tv").subscribe("a")
            let api = try RawClient(port: server.port)
            let body = events(#"{"type":"fullscreen.toggle"}"#)
            let post =
                "POST /v1/sessions/a/events HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                + body
            let get = "GET /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            api.send(bytes: Array(String(repeating: post + get + health, count: 20).utf8))
            for rev in 1...20 {
                #expect(try api.httpAnswer().json == ["rev": .integer(rev)])
                #expect(try api.httpAnswer().json["rev"] == .integer(rev))
                #expect(try api.httpAnswer().json == ["status": "ready"])
            }
        }
    }

    @Test func `what a client asked for is done although it has gone`() async throws {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            try tv.subscribe("a")
            for round in 1...20 {
                let api = try RawClient(port: server.port)
                let body = events(#"{"type":"fullscreen.toggle"}"#)
                api.send(
                    bytes: Array(
                        ("POST /v1/sessions/a/events HTTP/1.1\r\nHost: localhost\r\n"
                            + "Content-Type: application/json\r\n"
                            + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8))
                if round.isMultiple(of: 2) { api.close() } else { api.endSending() }
                #expect(try tv.push().payload.unsigned("offset") == UInt64(round))
                if !round.isMultiple(of: 2) {
                    #expect(try api.httpAnswer().json == ["rev": .integer(round)])
                }
            }
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
        }
    }
}
