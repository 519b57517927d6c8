import Coordinator
import Testing

@Suite struct JSONDocumentTests {
    private static let text =
        #"{"event":{"type":"x","a":[{"b":1,"b":2}],"s":"\ud800"},"id":1,"id":2}"#

    @Test func `a part keeps the defects inside it, with paths from its own root`() throws {
        let document = try JSONParser.parse(text: Self.text)
        let part = try #require(document.subdocument("event"))
        #expect(part.root["type"] == "x")
        #expect(part.defects.map(\.path) == [["a", "0", "b"], ["s"]])
        #expect(document.defects(outside: ["event"]).map(\.path) == [["id"]])
    }

    @Test func `a doubled part is a defect of what is around it`() throws {
        let document = try JSONParser.parse(text: #"{"event":1,"event":2}"#)
        #expect(document.subdocument("event")?.defects.isEmpty == true)
        #expect(document.defects(outside: ["event"]).count == 1)
    }

    @Test func `a part that is half a pair has the defect itself`() throws {
        let document = try JSONParser.parse(text: #"{"event":"\ud800"}"#)
        #expect(document.subdocument("event")?.defects.map(\.path) == [[]])
    }

    @Test func `a part that is not there is none`() throws {
        let document = try JSONParser.parse(text: Self.text)
        #expect(document.subdocument("nothing") == nil)
        #expect(document.subdocument("id", "x") == nil)
    }

    @Test func `a place is shown with dots and brackets`() {
        let defect = JSONDocument.Defect(kind: .doubledKey, path: ["selections", "0", "stake"])
        #expect(defect.location(from: "event") == "event.selections[0].stake")
    }

    @Test func `objects are equal in any order, and not when a doubled name hides another`() throws
    {
        func root(_ text: String) throws -> JSON { try JSONParser.parse(text: text).root }
        #expect(try root(#"{"a":1,"b":2}"#) == root(#"{"b":2,"a":1}"#))
        #expect(try root(#"{"a":1,"a":1}"#) != root(#"{"a":1,"b":2}"#))
        #expect(try root(#"{"a":1,"b":2}"#) != root(#"{"a":1,"a":1}"#))
        #expect(try root(#"{"a":1}"#) != root(#"{"a":1,"b":2}"#))
    }

    @Test func `deep objects in another order are compared in little time`() throws {
        // Doubling the work with each level would be four thousand million comparisons.
        var left = "0"
        var right = "0"
        for _ in 0..<31 {
            left = #"{"a":\#(left),"b":1,"c":2}"#
            right = #"{"a":\#(right),"c":2,"b":1}"#
        }
        #expect(try JSONParser.parse(text: left).root == JSONParser.parse(text: right).root)
    }
}
