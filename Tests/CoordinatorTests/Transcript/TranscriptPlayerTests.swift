import Coordinator
import Testing

@Suite struct TranscriptPlayerTests {
    /// Plays lines and gives all rows.
    static func rows(
        _ lines: [String], isStrict: Bool = false, policy: Policy = Policy()
    ) throws -> [TranscriptRow] {
        let transcript = try Transcript(Array(lines.joined(separator: "\n").utf8))
        var player = TranscriptPlayer(policy: policy, isStrict: isStrict)
        return transcript.steps.flatMap { player.play($0) }
    }

    /// Plays one event of a mirror and gives what is not met.
    private static func unmet(
        _ event: String, _ expect: String, isStrict: Bool = false
    ) throws -> [String] {
        let line =
            #"{"at":1,"by":{"device":"m","role":"mirror"},"event":\#(event),"expect":\#(expect)}"#
        return try rows([line], isStrict: isStrict).flatMap(\.unmet).map(\.description)
    }

    private static let open = #"{"type":"betslip.open"}"#
    private static let full = #"{"type":"fullscreen.set","on":true}"#
    private static let fullPatch = """
        {"presentation":{"mode":"fullscreen"},\
        "orientation":{"source":"programmatic","requested":"landscapeRight","armed":false}}
        """

    @Test(arguments: [
        (open, #"{"patch":{"betslip":{"visible":true}}}"#),
        (open, "{}"),
        (open, #"{"rev":1,"effects":[],"warnings":[],"error":null,"state":{"vendor":null}}"#),
        (full, #"{"patch":\#(fullPatch)}"#),
        (full, #"{"effects":["setFullscreen","requestOrientation"]}"#),
        (full, #"{"effects":[{"kind":"setFullscreen","on":true},"requestOrientation"]}"#),
        (#"{"type":"betslip.close"}"#, #"{"unchanged":true,"patch":{}}"#),
        (#"{"type":"betslip.place","placementId":"p"}"#, #"{"error":409}"#),
        (#"{"type":"betslip.place","placementId":"p"}"#, #"{"error":"betslip.notOpen"}"#),
        (
            #"{"type":"betslip.place","placementId":"p"}"#,
            #"{"error":{"code":409,"reason":"betslip.notOpen"}}"#
        ),
    ])
    func `an expectation that holds is met`(event: String, expect: String) throws {
        #expect(try Self.unmet(event, expect) == [])
    }

    @Test(arguments: [
        (
            open, #"{"patch":{"betslip":{"visible":false}}}"#,
            #"patch: expected {"betslip":{"visible":false}}, got {"betslip":{"visible":true}}"#
        ),
        (full, #"{"effects":["setFullscreen"]}"#, #"effects: expected ["setFullscreen"], got ["#),
        (
            full, #"{"effects":[{"kind":"setFullscreen","on":false},"requestOrientation"]}"#,
            "effects: expected "
        ),
        (
            open, #"{"warnings":["bridge.unhandled"]}"#,
            #"warnings: expected ["bridge.unhandled"], got []"#
        ),
        (open, #"{"error":409}"#, "error: expected 409, got none"),
        (
            #"{"type":"nonsense"}"#, #"{"patch":{}}"#,
            "error: expected none, got 422 event.unknownType: "
        ),
        (
            #"{"type":"nonsense"}"#, #"{"error":{"code":409}}"#,
            #"error: expected {"code":409}, got 422 event.unknownType: "#
        ),
        (open, #"{"rev":2}"#, "rev: expected 2, got 1"),
        (open, #"{"unchanged":true}"#, "unchanged: expected true, got false"),
        (open, #"{"signal":true}"#, "signal: expected true, got false"),
        (open, #"{"answer":{"duplicate":true}}"#, #"answer: expected {"duplicate":true}, got {}"#),
        (
            open, #"{"state":{"keepAwake":true}}"#,
            #"state: expected {"keepAwake":true}, got {"player""#
        ),
    ])
    func `a wrong expectation is found`(event: String, expect: String, message: String) throws {
        let found = try Self.unmet(event, expect)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(message) == true, "\(found)")
    }

    @Test(arguments: [
        (open, "{}", ["patch"]), (full, #"{"patch":\#(fullPatch)}"#, ["effects"]),
        (#"{"type":"betslip.close"}"#, #"{"patch":{}}"#, ["unchanged"]),
        (open, #"{"rev":1,"patch":{"betslip":{"visible":true}}}"#, []),
    ])
    func `strictly nothing may happen that is not named`(
        event: String, expect: String, what: [String]
    ) throws {
        let found = try Self.unmet(event, expect, isStrict: true)
        #expect(found.map { String($0.prefix { $0 != ":" }) } == what)
    }

    @Test func `without a word of the stage a player takes it before its first step`() throws {
        let rows = try Self.rows([
            #"{"at":5,"by":{"device":"m","role":"mirror"},"event":{"type":"betslip.open"}}"#,
            #"{"at":6,"by":{"device":"p","role":"player"},"event":{"type":"device.tab","tab":"stats"},"expect":{"patch":{"presentation":{"tab":"stats"}}}}"#,
            #"{"at":7,"by":{"device":"p","role":"player"},"event":{"type":"device.tab","tab":"video"}}"#,
        ])
        #expect(rows.map(\.name) == ["betslip.open", "(attach)", "device.tab", "device.tab"])
        #expect(rows.map(\.line) == [1, 2, 2, 3])
        #expect(rows.map(\.isJudged) == [false, false, true, false])
        #expect(rows.allSatisfy { $0.unmet.isEmpty })
    }

    private static let bet = [
        #"{"at":0,"by":{"device":"p","role":"player"},"attach":{}}"#,
        #"{"at":1,"by":{"device":"p","role":"player"},"event":{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":"2"}}"#,
        #"{"at":2,"by":{"device":"p","role":"player"},"event":{"type":"betslip.place","placementId":"b"}}"#,
        #"{"at":3,"by":{"device":"p","role":"player"},"event":{"type":"betslip.settle","placementId":"b","outcome":"accepted"}}"#,
    ]
    private static let late =
        #"{"at":9000,"by":{"device":"m","role":"mirror"},"event":{"type":"betslip.open"}}"#

    @Test func `a timer goes off at its time between two steps`() throws {
        let rows = try Self.rows(Self.bet + [Self.late])
        #expect(rows.count == 6)
        #expect(rows[4].name == "toast.expired")
        #expect(rows[4].at == Instant(milliseconds: 3003))
        #expect(rows[4].role == .system)
        #expect(rows[4].line == nil)
    }

    @Test func `strictly a timer that is due must be a step`() throws {
        let rows = try Self.rows(Self.bet + [Self.late], isStrict: true)
        #expect(rows.last?.unmet.map(\.what) == ["timers"])
    }

    @Test func `a recorded timer may be a little late, but not strictly`() throws {
        let lines =
            Self.bet + [
                #"{"at":3005,"by":{"role":"system"},"event":{"type":"toast.expired"},"expect":{"patch":{"toast":null}}}"#
            ]
        #expect(try Self.rows(lines).flatMap(\.unmet).isEmpty)
        #expect(try Self.rows(lines, isStrict: true).last?.unmet.map(\.what) == ["expire"])
    }

    @Test func `a timer that is not due is found`() throws {
        let lines =
            Self.bet + [
                #"{"at":3002,"by":{"role":"system"},"expire":"toast.expired","expect":{}}"#
            ]
        #expect(try Self.rows(lines).last?.unmet.map(\.what) == ["expire"])
    }
}
