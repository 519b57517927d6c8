import Coordinator
import Testing
import coordd

@Suite struct ClientPlainTextTests {
    @Test func `a terminal's control sequences are written out`() {
        #expect(PlainText.escaped("tv\u{1B}[2J\u{7}\n") == "tv\\u{1b}[2J\\u{7}\\u{a}")
        #expect(PlainText.escaped("a\u{9B}b\u{202E}c\u{2028}d") == "a\\u{9b}b\\u{202e}c\\u{2028}d")
    }

    @Test func `ordinary text of any language stays`() {
        #expect(PlainText.escaped("Zürich 東京 🏟 1.85") == "Zürich 東京 🏟 1.85")
    }

    @Test func `JSON stays the same value on one line`() throws {
        let value: JSON = ["na\u{202E}me": "x\u{9B}y\u{E0001}\n"]
        let text = PlainText.json(value)
        #expect(text == #"{"na\u202eme":"x\u009by\udb40\udc01\n"}"#)
        #expect(try JSONParser.parse(text: text).root == value)
    }

    @Test func `indented JSON puts each member on its own line`() {
        let value: JSON = ["a": 1, "b": [], "c": ["x", ["d": true]]]
        #expect(
            PlainText.indentedJSON(value) == """
                {
                  "a": 1,
                  "b": [],
                  "c": [
                    "x",
                    {
                      "d": true
                    }
                  ]
                }
                """)
    }
}
