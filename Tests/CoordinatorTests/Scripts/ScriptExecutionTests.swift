import Coordinator
import Testing

/// Every script that coordd makes, run by a JavaScript engine (contract: domain, section 5).
///
/// What the scripts are is in the suites of the vendors; here is what holds for all of them.
@Suite(
    .enabled(
        if: ScriptEngine.program != nil,
        "node is not installed, so no script was run; `make node` installs it"))
struct ScriptExecutionTests {
    /// Texts that break scripts that are put together without care.
    static let hostile = [
        "a\u{2028}b", "a\u{2029}b", #"O'Neil "x" \ y"#, #"\"#, #"\""#, "\"", "'", "`${x}`",
        "line\r\nend\u{0}", "\n", "\u{0}", "\u{85}", "\u{7F}", "</script>", "</SCRIPT >",
        "</script><script>record('x')</script>", "<!--", "<!--<script>", "-->", "]]>", "//", "/*",
        "*/", "&lt;&quot;&#39;", "{{config}}", #"\u003c/script>"#, #"\u2028"#,
        #"");record("x");(""#,
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{1F3FD}", "e\u{301}", "\u{FEFF}", "\u{FFFD}",
        "\u{202E}abc", "__proto__", "constructor", "",
    ]

    /// An object with all of these as values, names and elements.
    static let hostileObject: JSONObject = {
        var object = JSONObject()
        for text in hostile where !text.isEmpty { object.append(text, .string(text)) }
        object.append("list", .array(hostile.map { .string($0) }))
        object.append("__proto__x", ["__proto__": ["isAdmin": true], "toString": 1])
        object.append("number", 2)
        object.append("fraction", .number(JSONNumber(text: "0.5")))
        object.append("truth", true)
        return object
    }()

    /// The script of the only effect of its kind in an outcome.
    static func script(of outcome: Outcome) throws -> String {
        let scripts = outcome.effects.filter { $0.order.kind == "evaluateJavaScript" }
        #expect(scripts.count == 1)
        let script = try #require(scripts.first?.json["script"]?.string)
        checkText(script)
        return script
    }

    /// A script goes through line protocols, pages and engines that end lines in their own ways.
    static func checkText(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for part in ["\u{2028}", "\u{2029}", "\r", "\n", "\u{0}", "</", "<!--"] {
            #expect(
                !script.unicodeScalars.contains(part.unicodeScalars), "\(part.debugDescription)",
                sourceLocation: sourceLocation)
        }
    }

    /// No element ended early or was added, and only the configuration's script is another one.
    static func checkSameScripts(_ answer: JSON, _ plain: JSON) throws {
        let loaded = try #require(answer["results"]?.array?[0])
        let expected = try #require(plain["results"]?.array?[0])
        #expect(loaded["error"] == nil)
        #expect(loaded["tags"] == expected["tags"])
        let scripts = try #require(loaded["scripts"]?.array)
        #expect(scripts.count == 2)
        #expect(scripts.last == expected["scripts"]?.array?.last)
        #expect(answer["elements"] == plain["elements"])
    }

    /// What a percent-encoded part of an address stands for.
    ///
    /// Foundation's own way leaves a byte order mark out.
    static func decoded(_ part: Substring) throws -> String {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "%") else {
                bytes.append(first)
                continue
            }
            let code = String(decoding: rest.prefix(2), as: UTF8.self)
            bytes.append(try #require(UInt8(code, radix: 16)))
            rest = rest.dropFirst(2)
        }
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    @Test func `the engine tells a wrong script from a right one`() async throws {
        let answer = try await ScriptEngine.shared.play([
            "steps": [
                ["run", "1+1"], ["run", "("], ["run", "\"a\u{2028}b\""], ["run", "nothing()"],
            ]
        ])
        #expect(answer["results"]?.array?.prefix(1) == [2])
        #expect(answer["results"]?.array?[2] == "a\u{2028}b")
        let errors = answer["results"]?.array?.map { $0["error"]?.string?.prefix { $0 != ":" } }
        #expect(errors == [nil, "SyntaxError", nil, "ReferenceError"])
    }

    @Test func `the engine finds scripts in a page as browsers do`() async throws {
        let page = """
            <!doctype html><!-- <script>0</script> --><title><script>1</script></title>
            <script>"<!--<script>a</script>"</script><script src=x></script ><p data-a='<script>'>
            <script>"<!-- </script>
            """
        let answer = try await ScriptEngine.shared.play(["steps": [["load", .string(page)]]])
        // The last one is no script, so the whole step fails.
        #expect(answer["results"]?.array?[0]["error"] != nil)
        let whole = String(page.dropLast("\"<!-- </script>".count)) + "1</script>"
        let found = try await ScriptEngine.shared.play(["steps": [["load", .string(whole)]]])
        #expect(
            found["results"] == [
                [
                    "tags": ["title", "script", "script", "p", "script"],
                    "scripts": ["\"<!--<script>a</script>\"", "", "1"],
                ]
            ])
    }

    @Test(arguments: [
        #"{"type":"theme.set","theme":"\ud800"}"#, #"{"type":"locale.set","locale":"\udc00x"}"#,
        #"{"type":"widget.update","selector":"\ud83d","props":{}}"#,
        #"{"type":"widget.update","props":{"\ude00":1}}"#,
        #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"a\ud83db"}}"#,
        #"{"type":"player.load","vendor":"genius","content":{},"options":{"a":["\ud83d"]}}"#,
    ])
    func `half a surrogate pair never gets so far`(event: String) throws {
        #expect(throws: Rejection.self) {
            try Event.decode(try JSONParser.parse(text: event), policy: Policy())
        }
    }
}
