import Coordinator
import Testing

@Suite struct EventBodyTests {
    private func read(_ text: String) throws(ReplyError) -> SessionCall.Application {
        try EventBody.read(Array(text.utf8))
    }

    private func fault(_ text: String) -> String? {
        do throws(ReplyError) {
            _ = try read(text)
            return nil
        } catch {
            #expect(error.code == 107)
            return error.message
        }
    }

    @Test func `an event comes with its conditions`() throws {
        let full = try read(#"{"event":{"type":"betslip.open"},"id":"a-1","ifRev":42,"more":1}"#)
        #expect(full.event.root == ["type": "betslip.open"])
        #expect(full.id == "a-1")
        #expect(full.ifRev == 42)
        #expect(!full.isPublish)
        let bare = try read(#"{"event":{},"id":null,"ifRev":null}"#)
        #expect(bare.id == nil)
        #expect(bare.ifRev == nil)
    }

    @Test(arguments: [
        ("", "bad request: the body is not JSON: "), ("[]", "bad request: body must be an object"),
        ("{}", "bad request: body.event is missing"),
        (#"{"event":null}"#, "bad request: body.event is missing"),
        (#"{"event":{},"id":1}"#, "bad request: body.id must be a string"),
        (#"{"event":{},"id":""}"#, "bad request: body.id must have 1–64 bytes"),
        (#"{"event":{},"ifRev":-1}"#, "bad request: body.ifRev must be an unsigned integer"),
        (#"{"event":{},"ifRev":"1"}"#, "bad request: body.ifRev must be an unsigned integer"),
        (#"{"event":{},"id":"a","id":"b"}"#, "bad request: body.id: the name stands twice"),
        (#"{"event":{}} x"#, "bad request: the body is not JSON: "),
    ])
    func `what is no event with conditions is named`(text: String, message: String) {
        let found = fault(text) ?? ""
        #expect(found.hasPrefix(message), "\(found)")
    }

    @Test func `a long id is refused, and one of 64 bytes is not`() throws {
        let id = String(repeating: "x", count: 64)
        #expect(try read(#"{"event":{},"id":"\#(id)"}"#).id == id)
        #expect(fault(#"{"event":{},"id":"\#(id)x"}"#) != nil)
    }

    @Test func `a defect inside the event is the session's to judge`() throws {
        let application = try read(#"{"event":{"type":"a","type":"b"}}"#)
        #expect(application.event.defects.count == 1)
    }

    @Test func `an event may be as deep as in a line`() throws {
        // In a line it stands on the fourth of 32 levels.
        let deep = { (levels: Int) in
            let lists = levels - 1
            let nested =
                String(repeating: "[", count: lists) + String(repeating: "]", count: lists)
            return #"{"event":{"a":\#(nested)}}"#
        }
        #expect(fault(deep(29)) == nil)
        #expect(fault(deep(30)) != nil)
    }
}
