import Coordinator
import Testing

@Suite struct JSONWriterTests {
    @Test(
        arguments: [
            (JSON.null, "null"), (true, "true"), (false, "false"), (0, "0"), (-7, "-7"),
            ("", "\"\""),
            ([], "[]"), ([:], "{}"), ([1, [2, []]], "[1,[2,[]]]"),
            (["b": 1, "a": ["c": .null]], "{\"b\":1,\"a\":{\"c\":null}}"),
            (.number(JSONNumber(text: "1.80")), "1.80"),
        ] as [(JSON, String)])
    func `values are written without blanks, members in their order`(value: JSON, text: String) {
        #expect(JSONWriter.text(of: value) == text)
    }

    @Test func `every character of ASCII reads back, and none that ends a line is written`() throws
    {
        for code in UInt8(0)..<128 {
            let value = JSON.string("a\(Character(Unicode.Scalar(code)))b")
            let bytes = JSONWriter.bytes(of: value)
            #expect(bytes.allSatisfy { $0 >= 0x20 })
            #expect(try JSONParser.parse(bytes.span).root == value)
        }
    }

    @Test(arguments: [
        ("\u{0}", "\"\\u0000\""), ("\u{1F}", "\"\\u001f\""), ("\u{10}", "\"\\u0010\""),
        ("\n\r\t", "\"\\n\\r\\t\""),
        ("\"\\", "\"\\\"\\\\\""), ("/é€😀", "\"/é€😀\""), ("\u{7F}\u{2028}", "\"\u{7F}\u{2028}\""),
    ])
    func `only control characters, quotes and backslashes are escaped`(text: String, json: String) {
        #expect(JSONWriter.text(of: .string(text)) == json)
    }

    @Test(arguments: [
        (420.0, "420"), (0.0, "0"), (-0.0, "0"), (47.5, "47.5"), (0.1, "0.1"), (1e300, "1e+300"),
        (-12.25, "-12.25"), (.leastNonzeroMagnitude, "5e-324"), (4_294_967_296.0, "4294967296"),
    ])
    func `a double is written with the fewest digits, a whole one without a fraction`(
        value: Double, text: String
    ) throws {
        #expect(JSONNumber(value).text == text)
        #expect(try JSONParser.parse(text: text).root.number?.double == value)
    }

    @Test func `a writer goes on where another's bytes end`() {
        var bytes = JSONWriter.bytes(of: [1])
        var writer = JSONWriter(takingOver: &bytes)
        writer.raw(",")
        writer.integer(UInt64.max)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "[1],18446744073709551615")
        #expect(bytes.isEmpty)
    }
}
