import Coordinator
import Testing

@Suite struct JSONParserTests {
    private func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONDocument {
        try JSONParser.parse(bytes.span)
    }

    private func kind(_ bytes: [UInt8]) -> JSONError.Kind? {
        do {
            _ = try parse(bytes)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(
        arguments: [
            ("null", JSON.null), ("true", true), (" false\r\n\t", false), ("\"\"", ""), ("[]", []),
            ("{}", [:]), ("[ ]", []), ("{ }", [:]), ("[1,\"a\",null]", [1, "a", .null]),
            ("{\"a\" : {\"b\":[ ]}}", ["a": ["b": []]]), ("{\"\":0}", ["": 0]),
        ] as [(String, JSON)])
    func `values and blanks are read`(text: String, value: JSON) throws {
        let document = try JSONParser.parse(text: text)
        #expect(document == JSONDocument(root: value))
    }

    @Test(arguments: [
        "0", "-0", "1", "-12", "0.5", "1.80", "1e5", "1E+5", "1e-5", "0e0", "1.5e400",
        "123456789012345678901234567890",
    ])
    func `numbers keep their text`(text: String) throws {
        #expect(try JSONParser.parse(text: text).root == .number(JSONNumber(text: text)))
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "tru", "undefined", "NaN", "Infinity", "-", "+1", "01",
        "-01",
        "00", "1.", ".5", "1.e5", "1e", "1e+", "0x1", "1 2", "--1", "1_0", "[", "[1", "[1,", "[1,]",
        "[,1]",
        "[1 2]", "]", "[1}", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}",
        "{1:2}",
        "{a:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "'a'", "\"", "\"a", "\"\\\"",
        "\"\\x\"", "\"\\u12\"",
        "\"\\u12G4\"", "\"\\u+123\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\\u0000", "\u{FEFF}1",
        "1\u{0}",
        "\u{A0}1", "// x\n1", "1 // x", "[1,/**/2]", "{}{}", "\"\\", "\"\\ud800\\u12\"",
        "\"\\u\u{661}000\"",
    ])
    func `what breaks the grammar is refused`(text: String) {
        #expect(kind(Array(text.utf8)) == .syntax)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `thirty-two levels are read, one more is not`(open: String, close: String) throws {
        func nested(_ levels: Int) -> String {
            let inner = open == "[" ? "" : "1"
            return String(repeating: open, count: levels) + inner
                + String(repeating: close, count: levels)
        }
        _ = try JSONParser.parse(text: nested(32))
        #expect(kind(Array(nested(33).utf8)) == .depth)
        #expect(kind(Array(String(repeating: open, count: 200_000).utf8)) == .depth)
    }

    @Test func `a value that is no array or object may stand in the deepest level`() throws {
        let text = String(repeating: "[", count: 32) + "1" + String(repeating: "]", count: 32)
        _ = try JSONParser.parse(text: text)
        #expect(throws: JSONError.self) {
            try JSONParser.parse(text: "[[1]]", maximumDepth: 1)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xFF], [0xFE], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80],
            [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused in strings, names and escaped strings`(
        bytes: [UInt8]
    ) {
        #expect(kind([0x22] + bytes + [0x22]) == .encoding)
        #expect(kind([0x22, 0x5C, 0x6E] + bytes + [0x22]) == .encoding)
        #expect(kind([0x7B, 0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D]) == .encoding)
        #expect(kind(bytes) == .syntax)
    }

    @Test(arguments: [
        ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"), ("\"\\u0041\"", "A"),
        ("\"\\u00e9\"", "é"),
        ("\"\\u00E9\"", "é"), ("\"\\u20AC\"", "€"), ("\"\\ud83d\\ude00\"", "😀"),
        ("\"\\uD83D\\uDE00!\"", "😀!"),
        ("\"\\u0000\"", "\u{0}"), ("\"é€😀\"", "é€😀"), ("\"a\\u0062c\"", "abc"),
        ("\"\\uFFFF\"", "\u{FFFF}"),
        ("\"\\udbff\\udfff\"", "\u{10FFFF}"), ("\"\u{7F}\"", "\u{7F}"),
    ])
    func `escapes and characters are read`(text: String, value: String) throws {
        let document = try JSONParser.parse(text: text)
        #expect(document.root.string?.hasSameBytes(as: value) == true)
        #expect(document.defects.isEmpty)
    }

    @Test(arguments: [
        ("\"\\ud800\"", "\u{FFFD}", 1), ("\"\\udc00\"", "\u{FFFD}", 1),
        ("\"\\ud800x\"", "\u{FFFD}x", 1),
        ("\"\\ud800\\u0041\"", "\u{FFFD}A", 1), ("\"\\ud800\\n\"", "\u{FFFD}\n", 1),
        ("\"\\udc00\\ud800\"", "\u{FFFD}\u{FFFD}", 2),
        ("\"\\ud83d\\ud83d\\ude00\"", "\u{FFFD}😀", 1),
        ("\"\\ude00\\ud83d\"", "\u{FFFD}\u{FFFD}", 2),
    ])
    func `half a surrogate pair is a defect and no error`(
        text: String, value: String, count: Int
    ) throws {
        let document = try JSONParser.parse(text: text)
        #expect(document.root == .string(value))
        #expect(
            document.defects
                == [JSONDocument.Defect](
                    repeating: JSONDocument.Defect(kind: .loneSurrogate, path: []), count: count))
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, [["a"]]), (#"{"a":{"b":1,"c":2,"b":3}}"#, [["a", "b"]]),
        (#"[0,{"x":[{"y":1,"y":1}]}]"#, [["1", "x", "0", "y"]]), (#"{"a":1,"\u0061":2}"#, [["a"]]),
        (#"{"a":1,"a":2,"a":3}"#, [["a"], ["a"]]), (#"{"":1,"":2}"#, [[""]]),
        (#"{"a":{"z":1,"z":2},"a":1}"#, [["a", "z"], ["a"]]),
    ])
    func `a doubled name is a defect with its path`(text: String, paths: [[String]]) throws {
        let document = try JSONParser.parse(text: text)
        #expect(document.defects.map(\.path) == paths)
        #expect(document.defects.allSatisfy { $0.kind == .doubledKey })
    }

    @Test func `half a pair in a name and in a value have the member's path`() throws {
        let document = try JSONParser.parse(text: #"{"a":["\ud800"],"\udc00":1}"#)
        #expect(
            document.defects == [
                JSONDocument.Defect(kind: .loneSurrogate, path: ["a", "0"]),
                JSONDocument.Defect(kind: .loneSurrogate, path: ["\u{FFFD}"]),
            ])
    }

    @Test func `names that only look alike are two names`() throws {
        let document = try JSONParser.parse(text: #"{"\u00e9":1,"e\u0301":2}"#)
        #expect(document.defects.isEmpty)
        #expect(document.root["\u{E9}"] == 1)
        #expect(document.root["e\u{301}"] == 2)
    }

    @Test func `the first of doubled members counts`() throws {
        #expect(try JSONParser.parse(text: #"{"a":1,"a":2}"#).root["a"] == 1)
    }

    @Test func `doubled names of large objects are found`() throws {
        var text = "{"
        for index in 0..<1000 { text += "\"k\(index)\":0," }
        let document = try JSONParser.parse(text: text + "\"k3\":1,\"k999\":1,\"k17\":1}")
        #expect(document.defects.map(\.path) == [["k3"], ["k999"], ["k17"]])
    }

    @Test func `only eight defects are remembered`() throws {
        let text = "[" + [String](repeating: #""\ud800""#, count: 20).joined(separator: ",") + "]"
        let document = try JSONParser.parse(text: text)
        #expect(document.defects.map(\.path) == (0..<8).map { [String($0)] })
    }

    private static let sample = Array(
        #" {"a":[1,-2.5e+3,true,false,null],"b\u00e9\ud83d\ude00":"\n€😀\ud800","a":{"c":{}}} "#.utf8
    )

    @Test func `no text that is cut off is read, and none traps`() throws {
        let whole = Self.sample.dropLast()
        _ = try parse(Array(whole))
        for length in 0..<whole.count {
            #expect(kind(Array(whole.prefix(length))) != nil, "cut at \(length)")
        }
    }

    @Test func `no single wrong byte traps, and what is read is written as UTF-8`() {
        for index in Self.sample.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = Self.sample
                bytes[index] = byte
                guard let document = try? parse(bytes) else { continue }
                let written = JSONWriter.bytes(of: document.root)
                #expect((try? parse(written))?.root == document.root, "byte \(byte) at \(index)")
            }
        }
    }

    @Test(arguments: [
        ("[1,x]", 3), ("{\"a\":01}", 6), ("\"a\nb\"", 2), ("true x", 5), ("[1", 2),
    ])
    func `an error names the byte`(text: String, offset: Int) {
        #expect {
            try JSONParser.parse(text: text)
        } throws: { error in
            (error as? JSONError)?.offset == offset
        }
    }
}
