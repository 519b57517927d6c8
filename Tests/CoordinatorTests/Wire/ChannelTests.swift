import Coordinator
import Testing

@Suite struct ChannelTests {
    @Test func `a session and a stage are told apart`() throws {
        let id = try #require(SessionID("a.B_9~-"))
        #expect(Channel("session:a.B_9~-") == .session(id))
        #expect(Channel("stage:a.B_9~-") == .stage(id))
        #expect(Channel("stage:x")?.description == "stage:x")
        #expect(Channel("session:x")?.session.description == "x")
    }

    @Test(arguments: [
        "", "session", "session:", ":x", "Session:x", "user:x", "session:a b", "session:a:b",
        "session:é", "session:x\u{301}", " session:x", "session:x ",
        "session:" + String(repeating: "x", count: 129),
    ])
    func `any other name is none`(name: String) {
        #expect(Channel(name) == nil)
    }
}
