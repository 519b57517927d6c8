import Coordinator
import Testing

/// What must not be understood in two ways, and what is too much.
@Suite struct HTTPParserFaultTests {
    private static func chunked(_ body: String) -> String {
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked", body: body)
    }

    static let malformed: [String] = [
        // The first line.
        "GET /\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.10\r\nHost: a\r\n\r\n",
        "GET / HTTP/11\r\nHost: a\r\n\r\n", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / \r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ** HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET http:// HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        // Line ends.
        "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "\n", "\r\n\r\n",
        // The header.
        request("GET / HTTP/1.1", "A: b", " folded"), request("GET / HTTP/1.1", "A: b", "\tfolded"),
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n", request("GET / HTTP/1.1", "A : b"),
        request("GET / HTTP/1.1", ": b"), request("GET / HTTP/1.1", "A"),
        request("GET / HTTP/1.1", "A: b\rc"), request("GET / HTTP/1.1", "A: b\0c"),
        request("GET / HTTP/1.1", "A\0: b"), request("GET / HTTP/1.1", "Ä: b"),
        // The host.
        "GET / HTTP/1.1\r\n\r\n", request("GET / HTTP/1.1", "Host: a"),
        "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        // The end of the body in two places.
        request("POST / HTTP/1.1", "Content-Length: 3", "Transfer-Encoding: chunked"),
        request("POST / HTTP/1.1", "Content-Length: 3", "Content-Length: 4"),
        request("POST / HTTP/1.1", "Content-Length: 3, 4"),
        request("POST / HTTP/1.1", "Content-Length: 3", "Content-Length: 03"),
        request("POST / HTTP/1.1", "Content-Length: +3"),
        request("POST / HTTP/1.1", "Content-Length: -3"),
        request("POST / HTTP/1.1", "Content-Length: 3 4"),
        request("POST / HTTP/1.1", "Content-Length: 0x3"),
        request("POST / HTTP/1.1", "Content-Length:"),
        request("POST / HTTP/1.1", "Content-Length: 3,"),
        request("POST / HTTP/1.1", "Transfer-Encoding: identity"),
        request("POST / HTTP/1.1", "Transfer-Encoding:"),
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked, gzip"),
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        request("POST / HTTP/1.1", "Transfer-Encoding: xchunked"),
        request("POST / HTTP/1.1", "Transfer-Encoding: \"chunked\""),
        request("POST / HTTP/1.1", "Transfer-Encoding: chunked\u{B}"),
        request("POST / HTTP/1.0", "Transfer-Encoding: chunked"),
        // Chunks.
        chunked("x\r\n"), chunked("\r\n"), chunked("-1\r\n"), chunked(" 1\r\na\r\n"),
        chunked("1 \r\na\r\n"), chunked("0x1\r\na\r\n"), chunked("1\na\r\n"),
        chunked("1\r\nab\r\n"),
        chunked("1\r\na\n"), chunked("1;a\rb\r\n"), chunked("1,\r\n"), chunked("0\r\n\n"),
        chunked("0\r\nbad trailer\r\n\r\n"), chunked("0\r\nA: b\r\n folded\r\n\r\n"),
        chunked("1;" + String(repeating: "x", count: 300)),
    ]

    @Test(arguments: malformed)
    func `what can be read in two ways is 400, however it is cut`(text: String) {
        let parsed = ParsedHTTP(text)
        #expect(parsed.fault?.status == .badRequest)
        #expect(parsed.requests.isEmpty)
        #expect(ParsedHTTP(text, pieces: 1) == parsed)
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0"])
    func `another version is 505`(version: String) {
        #expect(ParsedHTTP(request("GET / \(version)")).fault?.status == .versionNotSupported)
        #expect(ParsedHTTP("PRI * \(version)\r\n\r\nSM").fault?.status == .versionNotSupported)
    }

    @Test func `a coding that is not known is 501, an expectation 417`() {
        let coded = request("POST / HTTP/1.1", "Transfer-Encoding: gzip, chunked")
        #expect(ParsedHTTP(coded).fault?.status == .notImplemented)
        let expecting = request("POST / HTTP/1.1", "Expect: 200-ok", "Content-Length: 1")
        #expect(ParsedHTTP(expecting).fault?.status == .expectationFailed)
    }

    @Test func `a head has as many bytes and fields as configured and not one more`() {
        let text = request("GET / HTTP/1.1", "A: b")
        let size = text.utf8.count
        #expect(ParsedHTTP(text, limits: HTTPLimits(headBytes: size)).requests.count == 1)
        let long = ParsedHTTP(text, limits: HTTPLimits(headBytes: size - 1))
        #expect(long.fault?.status == .headerFieldsTooLarge)
        #expect(ParsedHTTP(text, limits: HTTPLimits(headFields: 2)).requests.count == 1)
        let many = ParsedHTTP(text, limits: HTTPLimits(headFields: 1))
        #expect(many.fault?.status == .headerFieldsTooLarge)
        let line = String(repeating: "a", count: 20_000)
        #expect(ParsedHTTP("GET /" + line).fault?.status == .uriTooLong)
        #expect(ParsedHTTP("GET / HTTP/1.1\r\nA: \(line)").fault?.status == .headerFieldsTooLarge)
    }

    @Test func `a body has as many bytes as configured and not one more`() {
        let limits = HTTPLimits(bodyBytes: 4)
        for (size, status) in [(4, nil), (5, HTTPStatus.contentTooLarge)] {
            let body = String(repeating: "x", count: size)
            let counted = request("POST / HTTP/1.1", "Content-Length: \(size)", body: body)
            #expect(ParsedHTTP(counted, limits: limits).fault?.status == status)
            let one = Self.chunked("\(size)\r\n\(body)\r\n0\r\n\r\n")
            #expect(ParsedHTTP(one, limits: limits).fault?.status == status)
            let pieces = String(repeating: "1\r\nx\r\n", count: size)
            let many = Self.chunked(pieces + "0\r\n\r\n")
            #expect(ParsedHTTP(many, limits: limits).fault?.status == status)
        }
        for huge in ["99999999999999999999", "9223372036854775807"] {
            let counted = request("POST / HTTP/1.1", "Content-Length: \(huge)")
            #expect(ParsedHTTP(counted).fault?.status == .contentTooLarge)
        }
        for huge in ["fffffffffffffff", "ffffffffffffffff", "7fffffffffffffff", "0000000000000001"]
        {
            #expect(ParsedHTTP(Self.chunked(huge + "\r\n")).fault?.status == .contentTooLarge)
        }
    }

    @Test func `trailers are bounded like a header`() {
        let limits = HTTPLimits(headBytes: 200, headFields: 3)
        let many = Self.chunked("0\r\n" + String(repeating: "A: b\r\n", count: 4) + "\r\n")
        #expect(ParsedHTTP(many, limits: limits).fault?.status == .headerFieldsTooLarge)
        let long = Self.chunked("0\r\nA: " + String(repeating: "b", count: 300))
        #expect(ParsedHTTP(long, limits: limits).fault?.status == .badRequest)
    }

    @Test func `after a fault nothing more is read`() throws {
        var parser = HTTPParser()
        let bytes = Array(("\n" + request("GET / HTTP/1.1")).utf8)
        var position = 0
        for _ in 0..<2 {
            #expect(throws: HTTPFault.self) { try parser.next(in: bytes.span, at: &position) }
            #expect(position == 1)
        }
    }
}
