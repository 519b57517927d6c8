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

    @Test(arguments: [
        (
            #" { "a" : [ 1 , -2.50 , true , null ] , "b" : { } } "#,
            #"{"a":[1,-2.50,true,null],"b":{}}"#
        ),
        (#"["\u0041\/\u00e9\ud83d\ude00"]"#, #"["A/é😀"]"#),
        (#""\b\f\n\r\t\u0000\u000a\u001f""#, #""\u0008\u000c\n\r\t\u0000\n\u001f""#),
        (#""\u0022\u005c\"\\""#, #""\"\\\"\\""#), (#""\ud800""#, "\"\u{FFFD}\""),
        (#"{"\u0061":1,"b\n":2}"#, #"{"a":1,"b\n":2}"#), ("\r\n[\t]\n", "[]"),
    ])
    func `a text is kept in its shortest spelling`(text: String, short: String) throws {
        let document = try JSONParser.parse(text: text)
        #expect(String(decoding: document.bytes, as: UTF8.self) == short)
        #expect(document.byteCount == short.utf8.count)
        #expect(JSONWriter.text(of: document.root) == short)
    }

    @Test func `a part has its own text, values and members`() throws {
        let document = try JSONParser.parse(
            text: #"{"a": [1, {"b": "x"}], "c\n": true, "d": null, "e": 18446744073709551615}"#)
        let list = try #require(document["a"])
        #expect(String(decoding: list.bytes, as: UTF8.self) == #"[1,{"b":"x"}]"#)
        #expect(list.elements.map(\.value.kind) == [.number, .object])
        #expect(list.elements.map(\.value["b"]?.string) == [nil, "x"])
        #expect(document.members.map(\.key) == ["a", "c\n", "d", "e"])
        #expect(document["c\n"]?.bool == true)
        #expect(document["d"]?.isNull == true)
        #expect(document["e"]?.unsigned == .max)
        #expect(document["b"] == nil)
        #expect(document.elements.map(\.value.kind).isEmpty && list.members.map(\.key).isEmpty)
    }

    @Test(arguments: [
        "18446744073709551616", "-1", "1.0", "1e3", "99999999999999999999999", "\"1\"",
    ])
    func `what is no unsigned number of 64 bits is none`(text: String) throws {
        #expect(try JSONParser.parse(text: text).unsigned == nil)
    }

    @Test func `defects come in the order in which the text tells of them`() throws {
        let text = #"{"a":1,"a":{"x":"\ud800","y":1,"y":"\udc00"},"b":2,"b":"\ud800"}"#
        let document = try JSONParser.parse(text: text)
        #expect(
            document.defects == [
                .init(kind: .loneSurrogate, path: ["a", "x"]),
                .init(kind: .loneSurrogate, path: ["a", "y"]),
                .init(kind: .doubledKey, path: ["a", "y"]),
                .init(kind: .doubledKey, path: ["a"]),
                .init(kind: .loneSurrogate, path: ["b"]),
                .init(kind: .doubledKey, path: ["b"]),
            ])
        #expect(document["a"]?.defects == [])
        #expect(document["b"]?.defects == [])
    }

    @Test func `a tree with defects is a document with them`() throws {
        let text = #"{"a":[{"b":1,"b":2}],"c":"\ud800"}"#
        let document = try JSONParser.parse(text: text)
        let again = JSONDocument(root: document.root, defects: document.defects)
        #expect(again == document)
        #expect(again["a"]?.defects == [.init(kind: .doubledKey, path: ["0", "b"])])
        #expect(JSONDocument(root: document.root).defects.isEmpty)
    }

    @Test func `a name that needs an escape is not another one of the same length`() throws {
        let document = try JSONParser.parse(text: #"{"a\n":1,"abc":2,"\"":3}"#)
        #expect(document["a\n"]?.unsigned == 1)
        #expect(document["abc"]?.unsigned == 2)
        #expect(document["\""]?.unsigned == 3)
        #expect(document["\\n"] == nil && document[#"\""#] == nil && document[#"a\n"#] == nil)
    }
}
