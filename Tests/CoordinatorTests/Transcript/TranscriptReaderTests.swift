import Coordinator
import Testing

@Suite struct TranscriptReaderTests {
    private static func faults(_ text: String) -> [String] {
        do throws(TranscriptFaults) {
            _ = try Transcript(Array(text.utf8))
            return []
        } catch {
            return error.list.map(\.description)
        }
    }

    private static let by = #""by":{"device":"m","role":"mirror"}"#
    private static let open = #""event":{"type":"betslip.open"}"#

    @Test(arguments: [
        ("[]", "1: found an array; allowed: an object"),
        ("{", "1: not JSON: "),
        (#"{"at":-1,\#(by),\#(open)}"#, "1: at: found -1; allowed: milliseconds, a whole number"),
        (#"{"at":1.5,\#(by),\#(open)}"#, "1: at: found 1.5; allowed: "),
        (#"{"at":1e400,\#(by),\#(open)}"#, "1: at: found 1e400; allowed: "),
        (#"{\#(by),\#(open)}"#, "1: at: missing; allowed: "),
        (#"{"at":1,\#(open)}"#, "1: by: missing; allowed: an object"),
        (#"{"at":1,"by":"m",\#(open)}"#, #"1: by: found "m"; allowed: an object"#),
        (
            #"{"at":1,"by":{"device":"m","role":"boss"},\#(open)}"#,
            #"1: by.role: found "boss"; allowed: player, mirror, observer, api, system"#
        ),
        (#"{"at":1,"by":{"role":"mirror"},\#(open)}"#, "1: by.device: missing; allowed: a text"),
        (#"{"at":1,"by":{"device":"","role":"mirror"},\#(open)}"#, #"1: by.device: found """#),
        (
            #"{"at":1,"by":{"device":"m","role":"mirror","x":1},\#(open)}"#,
            "1: by.x: unknown member"
        ),
        (#"{"at":1,\#(by)}"#, "1: found none; allowed: one of event, attach, detach, take, ack"),
        (#"{"at":1,\#(by),\#(open),"take":{}}"#, "1: found event, take; allowed: one of "),
        (#"{"at":1,\#(by),"event":"betslip.open"}"#, "1: event: found \"betslip.open\"; allowed: "),
        (#"{"at":1,\#(by),"attach":true}"#, "1: attach: found true; allowed: an object"),
        (#"{"at":1,\#(by),"ack":{"done":["x"]}}"#, "1: ack.done[0]: found \"x\"; allowed: a whole"),
        (#"{"at":1,\#(by),"ack":{"failed":[{}]}}"#, "1: ack.failed[0]: found an object; allowed: "),
        (#"{"at":1,\#(by),"expire":"x"}"#, "1: expire: found \"x\"; allowed: toast.expired, "),
        (#"{"at":1,\#(by),\#(open),"evnt":1}"#, "1: evnt: unknown member; allowed: note, at, by, "),
        (#"{"at":1,\#(by),\#(open),"expect":1}"#, "1: expect: found 1; allowed: an object"),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"effect":[]}}"#,
            "1: expect.effect: unknown member; allowed: rev, patch, "
        ),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"patch":[]}}"#,
            "1: expect.patch: found an array; allowed: an object"
        ),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"effects":[1]}}"#,
            "1: expect.effects[0]: found 1; allowed: an object or a text"
        ),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"warnings":"x"}}"#,
            "1: expect.warnings: found \"x\"; allowed: an array"
        ),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"error":true}}"#,
            "1: expect.error: found true; allowed: an object, a code, a reason or null"
        ),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"error":{"cod":1}}}"#,
            "1: expect.error.cod: unknown member; allowed: code, reason, message, contains"
        ),
        (
            #"{"at":1,\#(by),\#(open),"expect":{"rev":"1"}}"#,
            "1: expect.rev: found \"1\"; allowed: "
        ),
        (#"{"at":1,\#(by),\#(open),"at":2}"#, "1: at: the name stands twice in its object"),
        (#"{"define":{"x":1}}"#, "1: define.x: allowed: names that begin with $"),
        (#"{"configuration":[]}"#, "1: configuration: found an array; allowed: an object"),
        (#"{"at":1,\#(by),\#(open),"define":{}}"#, "1: define: allowed: on a line of its own"),
        (
            #"{"at":1,"by":{"role":"system"},"event":{"type":"betslip.open"}}"#,
            "1: event.type: found \"betslip.open\"; allowed: of the session itself, "
        ),
        (#"{"at":1,"by":{"role":"system"},"take":{}}"#, "1: by.role: found \"system\"; allowed: "),
        ("", "no step; at least one is needed"),
        (#"{"note":"nothing"}"#, "no step; at least one is needed"),
    ])
    func `a bad line is named with place and reason`(text: String, message: String) {
        let found = Self.faults(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(message) == true, "\(found)")
    }

    @Test func `every bad line is named`() {
        let found = Self.faults(
            """
            {"at":5,\(Self.by),\(Self.open)}

            nonsense
            {"at":4,\(Self.by),\(Self.open)}
            {"at":9,"by":{"device":"m"},"event":{"type":"x"},"expect":{"rev":null}}
            """)
        #expect(
            found.map { String($0.prefix(12)) } == [
                "3: not JSON:", "4: at: found", "5: by.role: ", "5: expect.re",
            ])
    }

    @Test func `bytes that are not UTF-8 are named`() throws {
        let error = #expect(throws: TranscriptFaults.self) {
            try Transcript([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
        }
        #expect(error?.list.first?.description.hasPrefix("1: not JSON: ") == true)
    }

    @Test func `a doubled key inside an event is the rules' business`() throws {
        let line = #"{"at":1,\#(Self.by),"event":{"type":"betslip.open","type":"x"}}"#
        let rows = try TranscriptPlayerTests.rows([line])
        guard case .refused(422, _)? = rows.first?.result else {
            Issue.record("it was taken")
            return
        }
    }

    @Test func `definitions, configuration, notes and the ends of lines of Windows`() throws {
        let text = """
            {"note":"n","define":{"$t":"betslip.open"}}\r
            {"configuration":{"bounds":{"outbox":4}}}\r
            \r
            {"note":"n","at":1,\(Self.by),"event":{"type":"$t"}}\r
            """
        let transcript = try Transcript(Array(text.utf8))
        #expect(transcript.configuration?.line == 2)
        #expect(transcript.configuration?.values["bounds"]?["outbox"] == 4)
        #expect(transcript.steps.map(\.line) == [4])
        #expect(transcript.steps.map(\.name) == ["betslip.open"])
    }

    @Test func `what a session published can be played`() throws {
        let lines = [
            #"{"at":1,"by":{"role":"system"},"event":{"type":"stage.attached","device":"p","facts":{"orientation":"portrait"}}}"#,
            #"{"at":2,"by":{"role":"system"},"event":{"type":"effect.done","done":[1]}}"#,
            #"{"at":3,"by":{"role":"system"},"event":{"type":"stage.detached","device":"p"}}"#,
            #"{"at":4,"by":{"role":"system"},"event":{"type":"stage.taken","device":"q"}}"#,
            #"{"at":5,"by":{"role":"system"},"event":{"type":"stage.vacated","device":"q"}}"#,
        ]
        let steps = try Transcript(Array(lines.joined(separator: "\n").utf8)).steps
        #expect(
            steps.map(\.action) == [
                .attach(facts: ["orientation": "portrait"]), .acknowledge(done: [1], failed: []),
                .detach, .take, .expire("stage.vacated"),
            ])
        #expect(steps.map(\.device) == ["p", nil, "p", "q", nil])
    }
}
