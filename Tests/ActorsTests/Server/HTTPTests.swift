import Actors
import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPTests {
    private func text(_ lines: String...) -> [UInt8] {
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    @Test func `one connection serves one request after the other`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                let answer = try client.get("/healthz")
                #expect(answer.line == "HTTP/1.1 200 OK")
                #expect(answer.fields["content-type"] == "application/json")
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["connection"] == "keep-alive")
                #expect(answer.body == "{\"status\":\"ready\"}\n")
            }
            #expect(try client.get("/readyz").body == "{\"status\":\"ready\"}\n")
            #expect(await server.connectionCount == 1)
        }
    }

    @Test func `requests that come together are answered in order`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let paths = ["/healthz", "/none", "/metrics", "/readyz?x=y"]
            let all = paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
            client.send(bytes: Array(all.utf8) + text("GET / HTTP/1.1", "Host: a"))
            let statuses = try (0..<5).map { _ in try client.httpAnswer().status }
            #expect(statuses == [200, 404, 200, 200, 404])
        }
    }

    @Test func `a request may come byte by byte`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let request = text("POST /none HTTP/1.1", "Host: a", "Transfer-Encoding: chunked")
            for byte in request + Array("3\r\nabc\r\n0\r\n\r\n".utf8) { client.send(bytes: [byte]) }
            #expect(try client.httpAnswer().status == 404)
            for byte in text("GET /healthz HTTP/1.1", "Host: a") { client.send(bytes: [byte]) }
            #expect(try client.httpAnswer().status == 200)
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.request("HEAD", "/healthz")
            let answer = try client.httpAnswer(toHead: true)
            #expect(answer.status == 200)
            #expect(answer.fields["content-length"] == "19")
            #expect(try client.get("/healthz").body.utf8.count == 19)
        }
    }

    static let oneAnswer: [(name: String, text: String, status: Int)] = [
        ("a wish to close", "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200),
        ("version 1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200),
        ("no host", "GET /healthz HTTP/1.1\r\n\r\n", 400),
        ("bare line feeds", "GET /healthz HTTP/1.1\nHost: a\n\n", 400),
        ("another version", "GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (
            "two lengths",
            "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400
        ),
        (
            "a length and chunks",
            "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            400
        ),
        ("a folded line", "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n", 400),
        (
            "a bad chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            400
        ),
        ("a long body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413),
        ("a long target", "GET /" + String(repeating: "a", count: 20_000), 414),
        ("a long field", "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 20_000), 431),
        (
            "many fields",
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "A: b\r\n", count: 100) + "\r\n",
            431
        ),
        (
            "a coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            501
        ),
        ("an expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n", 417),
        (
            "a body that nobody wants",
            "POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n", 404
        ),
    ]

    @Test(arguments: oneAnswer)
    func `what must not go on is answered once and closed`(
        name: String, text: String, status: Int
    ) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(bytes: Array(text.utf8))
            let answer = try client.httpAnswer()
            #expect(answer.status == status, "\(name)")
            #expect(answer.fields["connection"] == "close")
            if status != 200 {
                #expect(answer.fields["content-type"] == "application/problem+json")
                #expect(answer.body.contains("\"status\":\(status),"))
            }
            // Too late for an answer, and harmless.
            client.request("GET", "/healthz")
            #expect(client.rest().lines.isEmpty)
            client.close()
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `an unknown path is 404 and another method 405, and the connection stays`()
        async throws
    {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for path in ["/", "/healthz/", "/Healthz", "/health%7A", "*"] {
                #expect(try client.get(path).status == 404, "\(path)")
            }
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"] {
                client.request(method, "/metrics", "Content-Length: 0")
                let answer = try client.httpAnswer()
                #expect(answer.status == 405, "\(method)")
                #expect(answer.fields["allow"] == "GET, HEAD")
            }
            #expect(try client.get("/healthz").status == 200)
        }
    }

    @Test func `who waits to send a body is told to go on`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.request("GET", "/healthz", "Expect: 100-continue", "Content-Length: 3")
            #expect(try client.httpAnswer().line == "HTTP/1.1 100 Continue")
            client.send(bytes: Array("abc".utf8))
            #expect(try client.httpAnswer().status == 200)
        }
    }

    @Test func `a head that does not come to its end is 408, a silent connection is closed`()
        async throws
    {
        try await withServer {
            $0.server.client.connectSeconds = 1
        } _: { server in
            let slow = try RawClient(port: server.port)
            slow.send(bytes: Array("GET /healthz HTTP/1.1\r\nHost:".utf8))
            let idle = try RawClient(port: server.port)
            #expect(try idle.get("/healthz").status == 200)
            let later = try RawClient(port: server.port)
            #expect(try later.get("/healthz").status == 200)
            later.send(bytes: Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n".utf8))
            #expect(try slow.httpAnswer().status == 408)
            #expect(slow.rest().end == .ended)
            #expect(idle.rest().lines.isEmpty)
            #expect(idle.rest().end == .ended)
            #expect(try later.httpAnswer().status == 408)
            for client in [slow, idle, later] { client.close() }
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `what was asked before the end of the input is answered`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.request("GET", "/healthz")
            client.request("GET", "/readyz")
            client.endSending()
            #expect(try client.httpAnswer().status == 200)
            #expect(try client.httpAnswer().status == 200)
            #expect(client.rest().end == .ended)
        }
    }

    @Test func `an answer longer than what may wait for a reader is sent all the same`()
        async throws
    {
        try await withServer {
            $0.server.outboundBytes = 4096
        } _: { server in
            let client = try RawClient(port: server.port)
            let answer = try client.get("/metrics")
            #expect(answer.body.utf8.count > 4096)
            #expect(try client.get("/healthz").status == 200)
        }
    }

    @Test func `who asks without reading is reset`() async throws {
        try await withServer {
            $0.server.outboundBytes = 65_536
        } _: { server in
            let client = try RawClient(port: server.port, receiveBytes: 4096)
            let request = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
            client.send(bytes: Array(String(repeating: request, count: 1000).utf8))
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            #expect(client.rest().end == .reset)
        }
    }

    @Test func `a reason not to be ready is named until it is gone`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            await server.setHealth(.store, "the disk is full")
            for path in ["/healthz", "/readyz"] {
                let answer = try client.get(path)
                #expect(answer.status == 503)
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(
                    answer.body
                        == #"{"status":"unavailable","reasons":{"store":"the disk is full"}}"#
                        + "\n")
            }
            await server.setHealth(.starting, "reading sessions")
            #expect(
                try client.get("/readyz").body
                    == #"{"status":"unavailable","reasons":"#
                    + #"{"starting":"reading sessions","store":"the disk is full"}}"# + "\n")
            await server.setHealth(.starting, nil)
            await server.setHealth(.store, nil)
            await server.noteHealth("session a is set aside")
            let answer = try client.get("/healthz")
            #expect(answer.status == 200)
            #expect(
                answer.body == #"{"status":"ready","notes":["session a is set aside"]}"# + "\n")
        }
    }

    @Test func `while it drains the server still says how it is`() async throws {
        try await withServer {
            $0.server.drainSeconds = 600
        } _: { server in
            // The second one to leave has half of the drain's time.
            let phones = try (1...2).map { try RawClient(port: server.port, device: "p\($0)") }
            let idle = try RawClient(port: server.port)
            #expect(try idle.get("/healthz").status == 200)
            let busy = try RawClient(port: server.port)
            busy.send(bytes: Array("GET /readyz HTTP/1.1\r\n".utf8))
            #expect(await server.settled(4) { await $0.connectionCount } == 4)
            await server.drain()
            for path in ["/healthz", "/readyz", "/metrics"] {
                let client = try RawClient(port: server.port)
                let answer = try client.get(path)
                #expect(answer.status == (path == "/metrics" ? 200 : 503))
                #expect(answer.fields["connection"] == "close")
                if path != "/metrics" {
                    #expect(answer.body.contains(#""draining":"the daemon is shutting down""#))
                }
                #expect(client.rest().end == .ended)
            }
            let late = try RawWebSocket(port: server.port)
            #expect(late.answer.status == 503)
            #expect(late.answer.fields["retry-after"] == "1")
            #expect(late.answer.body.contains(#""temporary":true"#))
            busy.send(bytes: Array("Host: a\r\n\r\n".utf8))
            #expect(try busy.httpAnswer().status == 503)
            #expect(busy.rest().end == .ended)
            _ = phones
        }
    }
}
