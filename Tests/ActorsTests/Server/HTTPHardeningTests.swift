import Actors
import Coordinator
import TestSupport
import Testing

/// Requests that are made to do harm: one answer with the right status, then the end, and everybody
/// else is served as before (RFC 9112, section 11; Docs/HTTP.md).
@Suite(.timeLimit(.minutes(5)))
struct HTTPHardeningTests {
    private static let post = "POST /v1/sessions/a/events HTTP/1.1\r\nHost: localhost\r\n"
    private static let json = "Content-Type: application/json\r\n"
    /// What an attacker would want to have read as a request of somebody else.
    private static let smuggled = "DELETE /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func chunked(_ body: String) -> String {
        post + json + "Transfer-Encoding: chunked\r\n\r\n" + body
    }

    /// Each could be read in two ways, by two programs that stand one behind the other.
    static let ambiguous: [(name: String, text: String, status: Int)] = [
        (
            "a length and chunks",
            post + json + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
        (
            "chunks and a length",
            post + json + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n", 400
        ),
        ("two lengths", post + json + "Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}", 400),
        ("two lengths in a line", post + json + "Content-Length: 2, 9\r\n\r\n{}", 400),
        ("a signed length", post + json + "Content-Length: +2\r\n\r\n{}", 400),
        ("a negative length", post + json + "Content-Length: -2\r\n\r\n{}", 400),
        ("a hexadecimal length", post + json + "Content-Length: 0x2\r\n\r\n{}", 400),
        ("a length with a blank", post + json + "Content-Length: 2 0\r\n\r\n{}", 400),
        ("an empty length", post + json + "Content-Length:\r\n\r\n", 400),
        ("a long length", post + json + "Content-Length: 99999999999999999999\r\n\r\n{}", 413),
        ("a blank before the colon", post + "Content-Length : 2\r\n\r\n{}", 400),
        ("a folded field", post + "A: b\r\n Content-Length: 2\r\n\r\n{}", 400),
        ("a folded length", post + "Content-Length:\r\n 2\r\n\r\n{}", 400),
        ("a folded first field", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n", 400),
        ("a bare line feed", post + "A: b\nContent-Length: 2\r\n\r\n{}", 400),
        ("a bare carriage return", post + "A: b\rContent-Length: 2\r\n\r\n{}", 400),
        ("a head that ends with line feeds", "GET / HTTP/1.1\r\nHost: localhost\n\n", 400),
        ("a zero byte", post + "A: b\0c\r\n\r\n", 400),
        ("no colon", post + "Content-Length 2\r\n\r\n{}", 400),
        ("a name with a blank", post + "Content Length: 2\r\n\r\n{}", 400),
        ("a name that is no token", post + "Content-Length\u{B}: 2\r\n\r\n{}", 400),
        ("chunks that are not last", post + "Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n", 400),
        ("chunks twice", post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
        (
            "chunks in two fields",
            post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
        ("identity", post + "Transfer-Encoding: identity\r\n\r\n", 400),
        ("something like chunks", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
        ("a quoted coding", post + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", 400),
        ("an empty coding", post + "Transfer-Encoding:\r\n\r\n0\r\n\r\n", 400),
        ("a coding before chunks", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (
            "chunks in version 1.0",
            "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
        ("a chunk longer than said", chunked("1\r\n{}\r\n0\r\n\r\n"), 400),
        ("a chunk shorter than said", chunked("3\r\n{}\r\n0\r\n\r\n"), 400),
        ("a chunk that ends with a line feed", chunked("2\r\n{}\n0\r\n\r\n"), 400),
        ("a size that ends with a line feed", chunked("2\n{}\r\n0\r\n\r\n"), 400),
        ("a size with a prefix", chunked("0x2\r\n{}\r\n0\r\n\r\n"), 400),
        ("a signed size", chunked("+2\r\n{}\r\n0\r\n\r\n"), 400),
        ("no size", chunked("\r\n{}\r\n0\r\n\r\n"), 400),
        ("a size of many digits", chunked("FFFFFFFFFFFFFFFFF\r\n"), 413),
        ("a size that wraps around", chunked("10000000000000002\r\n{}"), 413),
        ("a line feed in an extension", chunked("2;a=\n{}\r\n0\r\n\r\n"), 400),
        ("a bare line feed behind the chunks", chunked("2\r\n{}\r\n0\r\nA: b\n\r\n"), 400),
        ("a folded trailer", chunked("2\r\n{}\r\n0\r\nA: b\r\n c\r\n\r\n"), 400),
        ("two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n", 400),
        ("two hosts in one", "GET / HTTP/1.1\r\nHost: localhost, evil.test\r\n\r\n", 400),
        ("a host with a path", "GET / HTTP/1.1\r\nHost: localhost/evil.test\r\n\r\n", 400),
        ("a user at a host", "GET / HTTP/1.1\r\nHost: localhost@evil.test\r\n\r\n", 400),
        ("version 0.9", "GET /\r\n", 400),
        ("two blanks", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("a blank in the target", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("a line feed in the version", "GET / HTTP/1.1\n\r\nHost: localhost\r\n\r\n", 400),
    ]

    @Test func `what can be read in two ways is refused, and nothing behind it is done`()
        async throws
    {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            try tv.subscribe("a")
            let neighbour = try RawClient(port: server.port)
            for (name, text, status) in Self.ambiguous {
                // In one piece, and cut anywhere: what comes of it is the same.
                for size in [Int.max, 1, 7] {
                    let client = try RawClient(port: server.port)
                    let bytes = Array((text + Self.smuggled).utf8)
                    var rest = bytes[...]
                    while !rest.isEmpty {
                        client.send(bytes: Array(rest.prefix(size)))
                        rest = rest.dropFirst(size)
                    }
                    let answer = try client.httpAnswer()
                    #expect(answer.status == status, "\(name)")
                    #expect(answer.fields["connection"] == "close", "\(name)")
                    #expect(client.rest().lines.isEmpty, "\(name)")
                }
                #expect(try neighbour.ask("GET", "/v1/sessions").status == 200)
            }
        }
    }
    @Test func `extensions and trailers are read and mean nothing`() async throws {
        try await withServer { server in
            let tv = try RawClient(port: server.port, device: "tv")
            try tv.subscribe("a")
            let api = try RawClient(port: server.port)
            let event = #"{"event":{"type":"fullscreen.toggle"}}"#
            let size = String(event.utf8.count, radix: 16)
            let bodies = [
                "\(size);a=b;c=\"d\"\r\n\(event)\r\n0;last\r\n\r\n",
                "000\(size)\r\n\(event)\r\n000\r\n\r\n",
                "\(size.uppercased())\r\n\(event)\r\n0\r\nContent-Length: 5\r\n"
                    + "Host: evil.test\r\nTransfer-Encoding: chunked\r\n\r\n",
            ]
            for (index, body) in bodies.enumerated() {
                api.send(bytes: Array(Self.chunked(body).utf8))
                #expect(try api.httpAnswer().json == ["rev": .integer(index + 1)])
            }
            // What comes behind is a request of its own.
            #expect(try api.ask("GET", "/v1/sessions/a").json["rev"] == 3)
        }
    }

    /// Each never comes to an end by itself.
    static let endless: [(name: String, start: String, more: String, status: Int)] = [
        ("a target", "GET /", "a", 414), ("a query", "GET /v1/sessions?", "a=b&", 414),
        ("a field", "GET / HTTP/1.1\r\nA: ", "a", 431),
        ("many fields", "GET / HTTP/1.1\r\nHost: localhost\r\n", "A: b\r\n", 431),
        ("empty lines", "GET / HTTP/1.0\r\n\r\n", "\r\n", 404),
        ("an extension", chunked("2;"), "a", 400), ("a size", chunked("0"), "0", 400),
        ("trailers", chunked("2\r\n{}\r\n0\r\n"), "A: b\r\n", 431),
        ("a trailer", chunked("2\r\n{}\r\n0\r\nA: "), "a", 400),
        ("a body in chunks", chunked(""), "2\r\n{}\r\n", 413),
    ]

    @Test(arguments: endless)
    func `what does not end is ended, at its bound`(
        name: String, start: String, more: String, status: Int
    ) async throws {
        try await withServer { server in
            let neighbour = try RawClient(port: server.port)
            let client = try RawClient(port: server.port)
            client.send(bytes: Array(start.utf8))
            // Far beyond every bound, and then no more is taken.
            let piece = Array(String(repeating: more, count: 65_536 / more.utf8.count).utf8)
            for _ in 0..<8 { client.send(bytes: piece) }
            let answer = try client.httpAnswer()
            #expect(answer.status == status, "\(name)")
            #expect(answer.fields["connection"] == "close")
            #expect(try neighbour.ask("GET", "/v1/sessions").status == 200)
            client.close()
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
        }
    }

    @Test func `who sends byte by byte is 408 in time, and the others do not notice`()
        async throws
    {
        try await withServer {
            $0.server.client.connectSeconds = 1
        } _: { server in
            let tv = try RawClient(port: server.port, device: "tv")
            try tv.subscribe("a")
            let heads = Array("GET / HTTP/1.1\r\nX-Slow: ".utf8)
            let bodies = Array((Self.post + Self.json + "Content-Length: 60000\r\n\r\n{").utf8)
            let chunks = Array(Self.chunked("2\r\n{").utf8)
            var slow: [RawClient] = []
            for index in 0..<60 {
                let client = try RawClient(port: server.port)
                client.send(bytes: [heads, bodies, chunks][index % 3])
                slow.append(client)
            }
            // One more byte each, again and again: that buys no time.
            var answered = 0
            var rounds = 0
            while answered < slow.count {
                answered = 0
                for client in slow {
                    client.send(bytes: [UInt8(ascii: "a")])
                    if !client.drain() { answered += 1 }
                }
                let neighbour = try RawClient(port: server.port)
                #expect(try neighbour.ask("GET", "/v1/sessions/a").status == 200)
                rounds += 1
            }
            #expect(rounds > 1)
            for (index, client) in slow.enumerated() {
                // The chunked one breaks its chunk with the second byte.
                let answer = try client.httpAnswer()
                #expect(answer.status == (index % 3 == 2 ? 400 : 408), "\(index)")
            }
            // A connection of another carrier lives on.
            #expect(try tv.apply(#"{"type":"fullscreen.toggle"}"#, to: "a") == .result(["rev": 1]))
        }
    }

    @Test func `an address has its share of connections and no more`() async throws {
        try await withServer {
            $0.server.connectionsPerAddress = 10
        } _: { server in
            var flood: [RawClient] = []
            for _ in 0..<50 {
                let client = try RawClient(port: server.port, host: 2)
                client.request("GET", "/healthz")
                flood.append(client)
            }
            let neighbour = try RawClient(port: server.port, host: 3)
            #expect(try neighbour.get("/healthz").status == 200)
            var served = 0
            for client in flood where (try? client.httpAnswer().status) == 200 { served += 1 }
            #expect(served == 10)
        }
    }

    @Test func `a reader of a long list who does not read holds up nobody`() async throws {
        try await withServer {
            $0.server.outboundBytes = 65_536
        } _: { server in
            let tv = try RawClient(port: server.port, device: "tv")
            for index in 0..<100 { try tv.subscribe("s-\(index)") }
            let client = try RawClient(port: server.port, receiveBytes: 4096)
            let request = "GET /v1/sessions?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            client.send(bytes: Array(String(repeating: request, count: 500).utf8))
            let neighbour = try RawClient(port: server.port)
            #expect(try neighbour.ask("GET", "/v1/sessions/s-1").status == 200)
            #expect(await server.settled(2) { await $0.connectionCount } == 2)
            #expect(client.rest().end == .reset)
        }
    }
}
