import Coordinator
import Testing
import coordd

@Suite struct ClientWatcherTests {
    /// A watcher of session `s` on a fake daemon, and what it printed.
    private final class Bench {
        let daemon = FakeDaemon()
        var lines: [String] = []
        var notes: [String] = []
        var exitCode: Int32?
        private var watcher: Watcher?

        init(_ style: Watcher.Style = .init()) throws {
            let context = daemon.makeContext()
            let world = ToolWorld(
                dial: { context.dial("watcher", $0) },
                schedule: { context.schedule(afterMilliseconds: $0, $1) },
                print: { [unowned self] in lines.append($0) },
                note: { [unowned self] in notes.append($0) },
                finish: { [unowned self] in exitCode = $0 })
            let session = try #require(SessionID("s"))
            watcher = Watcher(session: session, style: style, world: world)
            watcher?.start()
            daemon.run { false }
        }

        func apply(_ type: String) {
            _ = daemon.session("s").apply(["type": .string(type)], by: "tv")
            daemon.run { false }
        }
    }

    @Test func `each revision is one line`() throws {
        let bench = try Bench()
        bench.apply("betslip.open")
        #expect(bench.lines.count == 2)
        #expect(bench.lines[0] == "rev 0  following s, epoch fake")
        let line = try #require(bench.lines.last)
        #expect(line.hasPrefix("rev 1     00:00:00.00"))
        #expect(line.hasSuffix("tv (mirror)  betslip.open  | count: 1, last: betslip.open"))
        #expect(bench.notes == [])
    }

    @Test func `the folded state is printed in place of lines when asked for`() throws {
        let bench = try Bench(.init(showsState: true))
        bench.apply("betslip.open")
        #expect(bench.lines.count == 2)
        #expect(
            bench.lines.last == """
                {
                  "count": 1,
                  "last": "betslip.open"
                }
                """)
    }

    @Test func `JSON lines are the snapshot and then the publications`() throws {
        let bench = try Bench(.init(isJSON: true))
        bench.apply("betslip.open")
        #expect(
            bench.lines.first == #"{"epoch":"fake","rev":0,"state":{"count":0,"last":"none"}}"#)
        let last = try JSONParser.parse(text: try #require(bench.lines.last)).root
        #expect(last["patch"] == ["count": 1, "last": "betslip.open"])
    }

    @Test func `with explanations a second line names the rule`() throws {
        let bench = try Bench(.init(explains: true))
        bench.apply("betslip.open")
        #expect(bench.lines.count == 3)
        // The fake daemon's state has parts that no rule is known for.
        #expect(bench.lines.last == "          state: count changed, last changed")
    }

    @Test func `with explanations a JSON line has them too`() throws {
        let bench = try Bench(.init(isJSON: true, explains: true))
        bench.apply("betslip.open")
        let last = try JSONParser.parse(text: try #require(bench.lines.last)).root
        #expect(
            last["explain"] == [
                [
                    "rule": "state", "words": "count changed, last changed",
                    "paths": ["count", "last"],
                ]
            ])
    }

    @Test func `after a lost connection the missed revisions are printed`() throws {
        let bench = try Bench()
        bench.apply("a.a")
        bench.daemon.links.last?.fail(.lost("reset"))
        bench.apply("b.b")
        bench.apply("c.c")
        let shown = bench.lines.map { $0.split(separator: "  ")[0] }
        #expect(shown == ["rev 0", "rev 1", "rev 2", "rev 3"])
        #expect(
            bench.notes.first == "connection lost: reset")
        #expect(bench.exitCode == nil)
    }

    @Test func `a server that cannot be reached at first ends it`() throws {
        let daemon = FakeDaemon()
        let context = daemon.makeContext()
        var exitCode: Int32?
        let world = ToolWorld(
            dial: { context.dial("watcher", $0) }, schedule: { _, _ in }, print: { _ in },
            note: { _ in }, finish: { exitCode = $0 })
        let session = try #require(SessionID("s"))
        let watcher = Watcher(session: session, style: .init(), world: world)
        watcher.start()
        daemon.links.last?.fail(.unreachable("connection refused"))
        #expect(exitCode == 1)
    }

    @Test func `a disconnect that forbids to come back ends it`() throws {
        let bench = try Bench()
        bench.daemon.links.last?.fail(.disconnected(.badRequest))
        #expect(bench.exitCode == 1)
    }

    @Test func `a closed session ends it in good order`() throws {
        let bench = try Bench()
        bench.daemon.links.last?.deliver(.push(.unsubscribe(channel: "session:s", .closed)))
        bench.daemon.run { false }
        #expect(bench.exitCode == 0)
    }
}

@Suite struct ClientWatchLineTests {
    @Test func `the example of the contract as a line`() throws {
        let text = """
            {"rev": 43, "at": 1767225600123, "by": {"device": "iphone-1", "role": "player"},
             "event": {"type": "betslip.update", "stake": "10.00"},
             "patch": {"betslip": {"stake": "10.00", "revision": 8, "totals": {"return": "18.50"}}}}
            """
        #expect(
            WatchLine.text(of: try JSONParser.parse(text: text).root)
                == "rev 43    00:00:00.123Z  iphone-1 (player)  betslip.update stake=10.00  "
                + "| betslip.stake: 10.00, betslip.revision: 8, betslip.totals.return: 18.50")
    }

    @Test func `a signal is marked and its warnings are shown`() {
        let signal: JSON = [
            "at": 3_723_004, "by": ["role": "system"],
            "event": ["type": "bridge", "handler": "x\u{1B}", "body": ["type": "y"]],
            "warnings": [["code": "bridge.unhandled", "message": "x"]],
        ]
        #expect(
            WatchLine.text(of: signal)
                == #"signal    01:02:03.004Z  system  bridge x\u{1b} {"type":"y"}  "#
                + "! bridge.unhandled: x")
    }

    @Test func `removed members and long lists are told`() {
        #expect(WatchLine.changes(in: ["a": ["b": .null]]) == ["a.b: removed"])
        #expect(WatchLine.changes(in: ["a": [:], "c": []]) == ["a: {}", "c: []"])
        var patch = JSONObject()
        for number in 0..<11 { patch.append("m\(number)", 1) }
        let line = WatchLine.text(of: ["rev": 1, "event": [:], "patch": .object(patch)])
        #expect(line.hasSuffix("m7: 1 and 3 more"))
    }
}
