import Coordinator
import Testing
import coordd

@Suite struct ClientSenderTests {
    private final class Bench {
        let daemon = FakeDaemon()
        var lines: [String] = []
        var notes: [String] = []
        var exitCode: Int32?
        private var sender: Sender?

        init(
            takesStage: Bool = false, isJSON: Bool = false, _ texts: [String],
            refuse: @escaping (JSON) -> ReplyError? = { event in
                event["type"] == "betslip.place"
                    ? ReplyError(code: 409, message: "betslip.empty: \u{7}nothing") : nil
            }
        ) throws {
            let context = daemon.makeContext()
            daemon.refuse = refuse
            let world = ToolWorld(
                dial: { context.dial("sender", $0) },
                schedule: { context.schedule(afterMilliseconds: $0, $1) },
                print: { [unowned self] in lines.append($0) },
                note: { [unowned self] in notes.append($0) },
                finish: { [unowned self] in exitCode = $0 })
            let session = try #require(SessionID("s"))
            sender = Sender(
                session: session, takesStage: takesStage, isJSON: isJSON, world: world)
            for (index, text) in texts.enumerated() {
                let bytes = Array(text.utf8)
                let item = Sender.item(bytes.span, from: "line \(index + 1)")
                sender?.add(try #require(item))
            }
            sender?.add(.end)
            sender?.start()
            daemon.run { false }
        }
    }

    @Test func `events are answered in order`() throws {
        let bench = try Bench([#"{"type":"betslip.open"}"#, #"{"type":"betslip.close"}"#])
        #expect(bench.lines == ["rev 1", "rev 2"])
        #expect(bench.exitCode == 0)
        #expect(bench.daemon.session("s").stage == nil)
    }

    @Test func `JSON answers are the results`() throws {
        let bench = try Bench(isJSON: true, [#"{"type":"betslip.open"}"#])
        #expect(bench.lines == [#"{"rev":1}"#])
    }

    @Test func `a refused event goes to standard error and the next one is sent`() throws {
        let bench = try Bench([#"{"type":"betslip.place"}"#, #"{"type":"betslip.close"}"#])
        #expect(bench.notes == [#"409 betslip.empty: \u{7}nothing"#])
        #expect(bench.lines == ["rev 1"])
        #expect(bench.exitCode == 1)
    }

    @Test func `an event that came too fast goes again before the next one`() throws {
        var refusals = 3
        let bench = try Bench([#"{"type":"a.a"}"#, #"{"type":"b.b"}"#]) { event in
            guard event["type"] == "a.a", refusals > 0 else { return nil }
            refusals -= 1
            return .tooManyRequests("limits.eventsPerSecond is 200")
        }
        #expect(bench.lines == ["rev 1", "rev 2"])
        #expect(bench.notes == [])
        #expect(bench.daemon.session("s").events.map { $0["type"] } == ["a.a", "b.b"])
        #expect(bench.daemon.time > 300_000)
        #expect(bench.exitCode == 0)
    }

    @Test func `a bad text stops after the answers before it and names the place`() throws {
        let bench = try Bench([#"{"type":"betslip.open"}"#, #"{"type":}"#, "{}"])
        #expect(bench.lines == ["rev 1"])
        #expect(bench.notes == ["line 2: a value is expected at byte 8"])
        #expect(bench.exitCode == 2)
    }

    @Test(arguments: [
        ("[]", "x: an event is an object, not an array"),
        (#"{"a":["\ud800"]}"#, "x: half a surrogate pair in event.a[0]"),
    ])
    func `what is no event is refused before sending`(text: String, message: String) throws {
        let bytes = Array(text.utf8)
        guard case .unreadable(let why)? = Sender.item(bytes.span, from: "x") else {
            Issue.record("it was taken")
            return
        }
        #expect(why == message)
    }
}
