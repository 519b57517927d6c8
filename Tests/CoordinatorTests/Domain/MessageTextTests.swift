import Coordinator
import Testing

@Suite struct MessageTextTests {
    private static func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    private func value(of text: String) throws -> JSON? {
        MessageText.value(of: try JSONParser.parse(text: text).root)
    }

    @Test(arguments: [#"{"a":1.50}"#, "7", "null", "[]", "true", #"{"a":"{}"}"#])
    func `a value and its text are the same`(text: String) throws {
        let expected = try JSONParser.parse(text: text).root
        #expect(try value(of: text) == expected)
        #expect(MessageText.value(of: .string(text)) == expected)
        #expect(MessageText.value(of: .string(" \n\(text)\t")) == expected)
    }

    @Test func `a text within a text stays a text`() {
        #expect(MessageText.value(of: #""{}""#) == "{}")
    }

    @Test(arguments: ["", " ", "hello", "{", #"{"a":1}x"#, "{a:1}", "NaN", "'a'", "\u{0}"])
    func `a text of something else is bad`(text: String) {
        #expect(MessageText.value(of: .string(text)) == nil)
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"[{"b":{"a":1,"a":2}}]"#, #""\ud800""#, #"{"a":"x\udc00"}"#,
    ])
    func `a doubled name or half a surrogate pair in a text is bad`(text: String) {
        #expect(MessageText.value(of: .string(text)) == nil)
    }

    @Test(arguments: ["1e400", "[-1e400]", #"{"a":[{"b":1e999}]}"#])
    func `a number out of range is bad in a value and in a text`(text: String) throws {
        #expect(try value(of: text) == nil)
        #expect(MessageText.value(of: .string(text)) == nil)
    }

    @Test func `24 levels are accepted and one more is not`() throws {
        #expect(try value(of: Self.nested(24)) != nil)
        #expect(MessageText.value(of: .string(Self.nested(24))) != nil)
        #expect(try value(of: Self.nested(25)) == nil)
        #expect(MessageText.value(of: .string(Self.nested(25))) == nil)
        #expect(MessageText.value(of: .string(Self.nested(100_000))) == nil)
    }
}
