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

    @Test func `no content has neither type nor length`() {
        #expect(
            text(.noContent)
                == "HTTP/1.1 204 No Content\r\nDate: today\r\nCache-Control: no-store\r\n"
                + "X-Content-Type-Options: nosniff\r\nConnection: keep-alive\r\n\r\n")
    }

    @Test(arguments: [
        (UInt32(100), HTTPStatus.internalServerError), (102, .notFound), (103, .forbidden),
        (106, .tooManyRequests), (107, .badRequest), (108, .notImplemented),
        (109, .unauthorized), (111, .tooManyRequests), (112, .gone), (409, .conflict),
        (422, .unprocessableContent), (423, .locked), (503, .serviceUnavailable),
        (999, .internalServerError),
    ])
    func `each error has its status`(code: UInt32, status: HTTPStatus) {
        #expect(HTTPResponse(ReplyError(code: code, message: "x: y")).status == status)
    }

    @Test func `an error is a problem with its code, and a time where it may pass`() {
        let conflict = HTTPResponse(ReplyError(code: 409, message: "session.closed: it is"))
        #expect(conflict.contentType == "application/problem+json")
        #expect(
            String(decoding: conflict.body, as: UTF8.self)
                == #"{"type":"about:blank","title":"Conflict","status":409,"#
                + #""detail":"session.closed: it is","code":409}"# + "\n")
        #expect(conflict.fields.values("retry-after").isEmpty)
        let full = HTTPResponse(.storageUnavailable("store.full: no room"))
        #expect(
            String(decoding: full.body, as: UTF8.self)
                == #"{"type":"about:blank","title":"Service Unavailable","status":503,"#
                + #""detail":"storage.unavailable: store.full: no room","code":503,"#
                + #""temporary":true}"# + "\n")
        #expect(full.fields.values("retry-after") == ["1"])
    }

    @Test func `history is written as the protocol has it`() {
        let history = Reply.History(
            position: StreamPosition(epoch: "e\"1", offset: 9),
            publications: [
                Publication(offset: 8, data: Array(#"{"rev":8}"#.utf8)),
                Publication(offset: 9, data: Array(#"{"rev":9}"#.utf8)),
            ])
        #expect(
            String(decoding: HTTPResponse(history).body, as: UTF8.self)
                == #"{"epoch":"e\"1","offset":9,"publications":[{"data":{"rev":8},"offset":8},"#
                + #"{"data":{"rev":9},"offset":9}]}"# + "\n")
    }
}
