import Actors
import Coordinator
import Testing

@Suite struct LogFormatTests {
    private func line(
        _ format: LogFormat, _ message: String, _ level: LogLevel = .info,
        _ fields: KeyValuePairs<String, JSON> = [:]
    ) -> String {
        let record = LogRecord(
            time: Instant(milliseconds: 1_767_225_600_123), level: level, message: message,
            fields: fields.map { LogRecord.Field(key: $0.key, value: $0.value) })
        return String(decoding: format.line(for: record), as: UTF8.self)
    }

    @Test func `text has time, level, message and fields`() {
        #expect(
            line(.text, "listening", .info, ["address": "127.0.0.1:8787", "loops": 1])
                == "2026-01-01T00:00:00.123Z INFO    listening address=127.0.0.1:8787 loops=1\n")
        #expect(line(.text, "x", .warning) == "2026-01-01T00:00:00.123Z WARNING x\n")
    }

    @Test func `JSON is one object with time, level and message first`() {
        #expect(
            line(.json, "listening", .error, ["address": "a b", "ok": true, "n": .null])
                == #"{"time":"2026-01-01T00:00:00.123Z","level":"error","message":"listening","#
                + #""address":"a b","ok":true,"n":null}"# + "\n")
    }

    @Test(arguments: [
        ("", #""""#), ("a b", #""a b""#), ("a=b", #""a=b""#), (#"a"b"#, #""a\"b""#),
        (#"a\b"#, #""a\\b""#), ("ü", #""ü""#), ("a-b_c.d:/@+", "a-b_c.d:/@+"),
    ])
    func `text quotes what could be misread`(value: String, shown: String) {
        #expect(
            line(.text, "m", .info, ["k": .string(value)])
                == "2026-01-01T00:00:00.123Z INFO    m k=\(shown)\n")
    }

    @Test(arguments: [
        ("\n", #"\n"#), ("\r\n", #"\r\n"#), ("\u{0}", #"\u0000"#), ("\u{1B}[2J", #"\u001b[2J"#),
        ("\u{7F}", #"\u007f"#), ("\u{9B}", #"\u009b"#), ("\u{2028}", #"\u2028"#),
        ("\u{202E}", #"\u202e"#), ("\u{FEFF}", #"\ufeff"#), ("\u{E0001}", #"\udb40\udc01"#),
    ])
    func `nothing ends a line or moves the cursor`(hostile: String, escaped: String) throws {
        let text = line(.text, "m\(hostile)", .info, ["k": .string(hostile)])
        #expect(text.hasSuffix(" m\(escaped) k=\"\(escaped)\"\n"))
        let json = line(.json, hostile, .info, ["k": [.string(hostile)]])
        #expect(json.contains(#""message":"\#(escaped)","k":["\#(escaped)"]}"#))
        let read = try JSONParser.parse(text: json).root
        #expect(read["message"]?.string?.hasSameBytes(as: hostile) == true)
    }

    @Test func `a long value is cut`() {
        let long = String(repeating: "x", count: LogText.maximumScalars + 1)
        let kept = String(repeating: "x", count: LogText.maximumScalars) + "…"
        #expect(line(.json, "m", .info, ["k": .string(long)]).hasSuffix("\"k\":\"\(kept)\"}\n"))
        #expect(line(.text, long).hasSuffix(" \(kept)\n"))
    }
}
