import Coordinator
import Testing

@Suite struct CarrierTests {
    private func detect(_ text: String) -> Carrier {
        let bytes = Array(text.utf8)
        return Carrier.detect(bytes.span)
    }

    @Test func `an opening brace is the line protocol`() {
        #expect(detect("{") == .line)
        #expect(detect("{\"id\":1}") == .line)
    }

    @Test(arguments: [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PRI",
    ])
    func `a method and a blank are HTTP, and every prefix needs more`(method: String) {
        #expect(detect(method + " ") == .http)
        #expect(detect(method + " / HTTP/1.1\r\n") == .http)
        for count in 0...method.count {
            #expect(detect(String(method.prefix(count))) == .needsMore)
        }
        #expect(detect(method + "X") == .unknown)
        #expect(detect(method.lowercased()) == .unknown)
    }

    @Test(arguments: ["\n", " ", "[", "\u{16}\u{03}\u{01}", "GETS ", "XGET ", "\0", " {", "PA "])
    func `anything else is unknown`(text: String) {
        #expect(detect(text) == .unknown)
    }
}
