import Coordinator
import Testing

@Suite struct SessionIDTests {
    @Test(arguments: ["a", "Az09._~-", String(repeating: "x", count: 128)])
    func `letters, digits and four marks make an id`(text: String) {
        #expect(SessionID(text)?.description == text)
    }

    @Test(arguments: [
        "", " ", "a b", "a/b", "a:b", "é", "a\u{301}", "a\n", "a%20",
        String(repeating: "x", count: 129),
    ])
    func `anything else is none`(text: String) {
        #expect(SessionID(text) == nil)
    }
}
