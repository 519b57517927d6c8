import Coordinator
import Testing

@Suite struct HTTPParserTests {
    @Test func `a request is its method, path, query, header and body`() {
        let text =
            "POST /v1/a%20b?limit=5&after=x%2By+z HTTP/1.1\r\nHost: example.com:80\r\n"
            + "X-One:  two words \t\r\nx-one: three\r\nEmpty:\r\nContent-Length: 4\r\n\r\nbody"
        let parsed = ParsedHTTP(text)
        #expect(parsed.fault == nil)
        #expect(!parsed.isPartial)
        #expect(parsed.requests.count == 1)
        let request = parsed.requests[0]
        #expect(request.method == "POST")
        #expect(request.path == "/v1/a%20b")
        #expect(request.segments == ["v1", "a b"])
        #expect(request.query == "limit=5&after=x%2By+z")
        #expect(request.parameter("limit") == "5")
        #expect(request.parameter("after") == "x+y z")
        #expect(request.parameter("none") == nil)
        #expect(request.host == "example.com:80")
        #expect(request.fields.values("x-one") == ["two words", "three"])
        #expect(request.fields.only("empty") == "")
        #expect(request.fields.only("x-one") == nil)
        #expect(request.body == Array("body".utf8))
        #expect(request.isVersion11)
        #expect(request.keepsAlive)
    }

    static let streams = [
        request("GET / HTTP/1.1") + request("HEAD /b?x HTTP/1.1", "A: b")
            + request("POST /c HTTP/1.1", "Content-Length: 3", body: "abc"),
        request(
            "POST /c HTTP/1.1", "Transfer-Encoding: chunked",
            body: "3;x=\"y\"\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n")
            + request("GET /next HTTP/1.1"),
        request("POST / HTTP/1.1", "Content-Length: 2", body: "ab") + "\r\n"
            + request("GET / HTTP/1.1"),
        request("GET / HTTP/1.1", "Content-Length: 2, 2", body: "ab"),
        request("GET / HTTP/1.1") + "GET",
        request("GET / HTTP/1.1") + "GET /\n",
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked", body: "5\r\nabcdeX"),
    ]

    @Test(arguments: streams)
    func `the cuts of the reads change nothing`(text: String) {
        let whole = ParsedHTTP(text)
        for size in 1..<text.utf8.count { #expect(ParsedHTTP(text, pieces: size) == whole) }
    }

    @Test func `pipelined requests come one after the other`() {
        let parsed = ParsedHTTP(Self.streams[0])
        #expect(parsed.requests.map(\.method) == ["GET", "HEAD", "POST"])
        #expect(parsed.requests.map(\.path) == ["/", "/b", "/c"])
        #expect(parsed.requests.map(\.body.count) == [0, 0, 3])
        #expect(parsed.requests[1].query == "x")
    }

    @Test func `a chunked body is put together and its trailers are dropped`() {
        let parsed = ParsedHTTP(Self.streams[1])
        #expect(parsed.requests.map(\.path) == ["/c", "/next"])
        #expect(parsed.requests[0].body == Array("abc0123456789".utf8))
        #expect(parsed.requests[0].fields.values("trailer").isEmpty)
    }

    @Test func `it stops at the first byte behind an upgrade`() throws {
        let text = request(
            "GET /connection/websocket HTTP/1.1", "Connection: keep-alive, Upgrade",
            "Upgrade: WebSocket")
        let bytes = Array(text.utf8) + [0x81, 0x05, 0x0A]
        var parser = HTTPParser()
        var position = 0
        let step = try parser.next(in: bytes.span, at: &position)
        #expect(position == text.utf8.count)
        guard case .request(let request) = step else {
            Issue.record("no request")
            return
        }
        #expect(request.upgrade == "websocket")
        #expect(parser.isIdle)
    }

    @Test func `an upgrade must be among the connection's options`() {
        #expect(
            ParsedHTTP(request("GET / HTTP/1.1", "Upgrade: websocket")).requests[0].upgrade == nil)
        #expect(
            ParsedHTTP("GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
                .requests[0].upgrade == nil)
    }

    @Test(arguments: [
        ("HTTP/1.1", "A: b", true), ("HTTP/1.1", "Connection: close", false),
        ("HTTP/1.1", "Connection: x , CLOSE", false), ("HTTP/1.0", "A: b", false),
        ("HTTP/1.0", "Connection: Keep-Alive", true),
        ("HTTP/1.0", "Connection: keep-alive, close", false),
    ])
    func `version and options decide whether the connection stays`(
        version: String, field: String, stays: Bool
    ) {
        #expect(ParsedHTTP(request("GET / \(version)", field)).requests[0].keepsAlive == stays)
    }

    @Test func `a proxy's form of the target names the host itself`() {
        let parsed = ParsedHTTP(
            request("GET HTTP://example.com:8080/a?b=c HTTP/1.1")
                + request("GET http://example.com HTTP/1.1")
                + request("GET http://example.com?x HTTP/1.1")
                + request("OPTIONS * HTTP/1.1"))
        #expect(parsed.fault == nil)
        #expect(parsed.requests.map(\.path) == ["/a", "/", "/", "*"])
        #expect(parsed.requests.map(\.query) == ["b=c", nil, "x", nil])
        #expect(
            parsed.requests.map(\.host) == ["example.com:8080", "example.com", "example.com", "a"])
    }

    @Test func `who waits with its body is heard once, and only while it waits`() {
        let head = request("POST / HTTP/1.1", "Expect: 100-Continue", "Content-Length: 2")
        #expect(ParsedHTTP(head).waited == 1)
        #expect(ParsedHTTP(head).isPartial)
        let impatient = ParsedHTTP(head + "ab")
        #expect(impatient.waited == 0)
        #expect(impatient.requests.map(\.body) == [Array("ab".utf8)])
        let patient = ParsedHTTP(head + "ab", pieces: head.utf8.count)
        #expect(patient.waited == 1)
        #expect(patient.requests == impatient.requests)
        // Nothing to wait with.
        #expect(ParsedHTTP(request("GET / HTTP/1.1", "Expect: 100-continue")).waited == 0)
        #expect(
            ParsedHTTP(
                "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
            ).waited == 0)
    }

    @Test func `badly encoded paths have no segments`() {
        for path in ["/%", "/%4", "/%zz", "/%ff"] {
            let parsed = ParsedHTTP(request("GET \(path) HTTP/1.1"))
            #expect(parsed.requests.map(\.path) == [path])
            #expect(parsed.requests[0].segments == nil)
        }
        #expect(
            ParsedHTTP(request("GET /a+b//%2F HTTP/1.1")).requests[0].segments == ["a+b", "", "/"])
    }
}
