import Coordinator
import Testing

@Suite struct HTTPResponseTests {
    private func text(_ response: HTTPResponse, keepsAlive: Bool = true, isHead: Bool = false)
        -> String
    {
        var bytes: [UInt8] = []
        response.encode(date: "today", keepsAlive: keepsAlive, isHead: isHead, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `an answer has a length, a date and nobody keeps it`() {
        let response = HTTPResponse(.ok, contentType: "text/plain", body: Array("abc".utf8))
        let head =
            "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n"
            + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        #expect(text(response) == head + "Connection: keep-alive\r\n\r\nabc")
        #expect(text(response, isHead: true) == head + "Connection: keep-alive\r\n\r\n")
        #expect(text(response, keepsAlive: false) == head + "Connection: close\r\n\r\nabc")
    }

    @Test func `an error is a problem document`() {
        let response = HTTPResponse(HTTPFault(.notFound, "there is nothing"))
        #expect(response.contentType == "application/problem+json")
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"type":"about:blank","title":"Not Found","status":404,"detail":"there is nothing"}"#
                + "\n")
    }
}
