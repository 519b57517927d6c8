import Actors
import Coordinator
import TestSupport
import Testing
import coordd

@Suite(.timeLimit(.minutes(5)))
struct SessionsCommandTests {
    private static let secrets = ["KEY-PLANTED", "USER-PLANTED", "PASS-PLANTED", "planted@mail"]

    /// A phone loads a page with secrets and lets everything wait in the outbox.
    private static let loaded = """
        {"at":1000,"by":{"device":"phone-1","role":"player"},"attach":{}}
        {"at":1010,"by":{"device":"phone-1","role":"player"},"event":{"type":"player.load",\
        "vendor":"genius","content":{"fixtureId":"f1","apiKey":"KEY-PLANTED",\
        "user":"USER-PLANTED","password":"PASS-PLANTED","userEmail":"planted@mail"}}}
        {"at":1020,"by":{"device":"tablet","role":"mirror"},"event":{"type":"betslip.open",\
        "sportsbookSelectionId":"s1","decimalPrice":"2.0"}}
        {"at":1030,"by":{"device":"tablet","role":"mirror"},"event":{"type":"betslip.update","stake":"5"}}
        """

    private static let idleSince = Instant(milliseconds: 1_767_225_600_123)

    private func filled() throws -> FilledFolder {
        let folder = try FilledFolder()
        try folder.add(
            ["match-2": try .played(Self.loaded), "match-1": .new()], idleSince: Self.idleSince)
        return folder
    }

    @Test func `the list has a line for each session, in order of the ids`() async throws {
        let run = await (try filled()).run("list")
        #expect(run.code == .done)
        #expect(run.error == "")
        let lines = run.output.split(separator: "\n").map { line in
            line.split(separator: " ").map(String.init)
        }
        try #require(lines.count == 4)
        #expect(
            lines[0] == [
                "SESSION", "EPOCH", "REV", "VENDOR", "PHASE", "JOURNAL", "BYTES", "IDLE", "SINCE",
                "STAGE",
            ])
        #expect(lines[1].prefix(6) == ["match-1", "epoch-0", "0", "-", "idle", "0"])
        #expect(lines[1].suffix(2) == ["2026-01-01T00:00:00.123Z", "-"])
        #expect(lines[2].prefix(6) == ["match-2", "epoch-4", "4", "genius", "loading", "0"])
        #expect(lines[2].suffix(3) == ["2026-01-01T00:00:00.123Z", "phone-1", "connected"])
        #expect(lines[3] == ["2", "sessions"])
    }

    @Test func `the list as JSON has what the HTTP API gives, and more`() async throws {
        let folder = try filled()
        let run = await folder.run("list", "--json")
        #expect(run.code == .done)
        let root = try JSONParser.parse(text: run.output).root
        #expect(root["next"] == .null)
        #expect(root["damaged"] == 0)
        let sessions = try #require(root["sessions"]?.array)
        #expect(sessions.map { $0["session"]?.string } == ["match-1", "match-2"])
        let second = try #require(sessions.last)
        #expect(second["epoch"] == "epoch-4")
        #expect(second["rev"] == 4)
        #expect(second["vendor"] == "genius")
        #expect(second["phase"] == "loading")
        #expect(second["clients"] == 0)
        #expect(second["stored"] == true)
        #expect(second["stage"] == ["device": "phone-1", "connected": true])
        #expect(second["journal"] == 0)
        #expect(second["idleSince"] == 1_767_225_600_123)
        #expect(sessions.first?["vendor"] == nil)
    }

    @Test func `a limit tells where to go on`() async throws {
        let folder = try filled()
        var run = await folder.run("list", "--limit", "1")
        #expect(run.output.hasSuffix("\n1 session; the next ones: --after match-1\n"))
        run = await folder.run("list", "--limit", "1", "--after", "match-1")
        #expect(run.output.contains("\nmatch-2 "))
        #expect(run.output.hasSuffix("\n1 session\n"))
        run = await folder.run("list", "--limit", "1", "--json")
        #expect(try JSONParser.parse(text: run.output).root["next"] == "match-1")
        run = await folder.run("list", "--after", "match-2", "--json")
        #expect(try JSONParser.parse(text: run.output).root["sessions"] == [])
    }

    @Test func `more sessions than a page are all there`() async throws {
        let folder = try FilledFolder()
        let sessions = (1001...1450).map { ("s-\($0)", StoredSession.new()) }
        try folder.add(
            Dictionary(uniqueKeysWithValues: sessions + [("s", .new())]), idleSince: nil)
        let run = await folder.run("list", "--json")
        let names = try JSONParser.parse(text: run.output).root["sessions"]?.array?
            .compactMap { $0["session"]?.string }
        #expect(names == ["s"] + (1001...1450).map { "s-\($0)" })
    }

    @Test func `a damaged session is listed with its fault, and the exit code is 1`() async throws {
        let folder = try filled()
        try folder.execute(
            "UPDATE snapshot SET body = '{' WHERE session = "
                + "(SELECT key FROM session WHERE id = 'match-1')")
        var run = await folder.run("list")
        #expect(run.code == .failed)
        #expect(run.output.contains("\nmatch-1  damaged: snapshot: the checksum is wrong\n"))
        #expect(run.output.contains("\nmatch-2  epoch-4 "))
        #expect(run.output.hasSuffix("\n2 sessions, 1 damaged\n"))
        run = await folder.run("list", "--json")
        #expect(run.code == .failed)
        let root = try JSONParser.parse(text: run.output).root
        #expect(root["damaged"] == 1)
        #expect(root["sessions"]?.array?.first?["fault"] == "snapshot: the checksum is wrong")
        run = await folder.run("show", "match-1")
        #expect(run.code == .failed)
        #expect(
            run.error == "coordd sessions show: session match-1 is damaged: "
                + "snapshot: the checksum is wrong\n")
    }

    @Test func `show tells state, memory and replay window`() async throws {
        let folder = try filled()
        let run = await folder.run("show", "match-2", "--json")
        #expect(run.code == .done)
        let root = try JSONParser.parse(text: run.output).root
        #expect(root["epoch"] == "epoch-4")
        #expect(root["rev"] == 4)
        #expect(root["state"]?["betslip"]?["stake"] == "5")
        let memory = root["memory"]
        #expect(memory?["stageDevice"] == "phone-1")
        #expect(memory?["hasContent"] == true)
        #expect(memory?["outbox"] == [["seq": 1, "rev": 2, "kind": "loadPage"]])
        #expect(memory?["rememberedIds"] == [["device": "tablet", "ids": 1]])
        #expect(
            root["history"] == [
                [
                    "offset": 4, "at": 1_700_000_000_500, "by": ["role": "system"],
                    "type": "page.\u{1B}failed",
                ]
            ])
    }

    @Test func `show is readable and keeps terminals unharmed`() async throws {
        let folder = try filled()
        let run = await folder.run("show", "match-2")
        #expect(run.code == .done)
        #expect(run.output.hasPrefix("session     match-2\nepoch       epoch-4\nrev         4\n"))
        #expect(run.output.contains("\nidle since  2026-01-01T00:00:00.123Z\n"))
        #expect(run.output.contains("\n      \"kind\": \"loadPage\"\n"))
        #expect(
            run.output.hasSuffix(
                "\nreplay window: 1 publications\n  4  2023-11-14T22:13:20.500Z  "
                    + "page.\\u{1b}failed\n"))
    }

    @Test func `no secret is ever printed`() async throws {
        let folder = try filled()
        for arguments in [
            ["list"], ["list", "--json"], ["show", "match-2"], ["show", "match-2", "--json"],
        ] {
            let run = await ToolRun(
                ["sessions"] + arguments + ["--config", folder.configuration])
            #expect(run.code == .done)
            for secret in Self.secrets {
                #expect(!(run.output + run.error).contains(secret))
            }
        }
        // They are there: the content of the session that was read holds them.
        let stored = try StoredSession.played(Self.loaded)
        let content = stored.viewing.memory.content?.reveal { JSONWriter.text(of: .object($0)) }
        for secret in Self.secrets { #expect(content?.contains(secret) == true) }
    }

    @Test func `an unknown session is named`() async throws {
        let folder = try filled()
        let run = await folder.run("show", "match-3")
        #expect(run.code == .failed)
        #expect(run.output == "")
        #expect(
            run.error
                == "coordd sessions show: there is no session match-3 in \(folder.data)\n")
    }

    @Test func `nothing in the tables changes, and no file comes or goes`() async throws {
        let folder = try FilledFolder()
        // In use when the daemon ended: a daemon that starts would mark them.
        try folder.add(["a": try .played(Self.loaded), "b": .new()], idleSince: nil)
        try folder.note("durability", "memory")
        try folder.note("stopped", "not yet")
        let before = try folder.contents()
        let run = await folder.run("list")
        #expect(run.code == .done)
        #expect(run.output.contains("in use when stopped"))
        #expect(run.error.contains("the daemon did not stop cleanly"))
        _ = await folder.run("show", "a")
        #expect(try folder.contents() == before)
    }

    @Test func `a folder without a database stays as it is`() async throws {
        let folder = try FilledFolder()
        let run = await folder.run("list")
        #expect(run.code == .failed)
        #expect(
            run.error
                == "coordd sessions list: there is no database of coordd in \(folder.data)\n")
        #expect(folder.folder.names == ["coordd.json"])
    }

    @Test func `a daemon that runs is named`() async throws {
        let folder = try filled()
        let holder = try DataFolder(folder.data)
        let run = await folder.run("list")
        #expect(run.code == .failed)
        let start = "coordd sessions list: the data folder \(folder.data) is in use by process "
        #expect(run.error.hasPrefix(start))
        #expect(run.error.hasSuffix("; it has to be stopped first\n"))
        #expect(run.error.dropFirst(start.count).prefix { $0.isNumber }.isEmpty == false)
        withExtendedLifetime(holder) {}
    }

    @Test func `without the key nothing is read and none is made`() async throws {
        let folder = try filled()
        folder.folder.unlinkFile("coordd.key")
        let run = await folder.run("list")
        #expect(run.code == .failed)
        #expect(run.error.contains("the key file \(folder.path)/coordd.key is missing"))
        #expect(folder.folder.names == ["coordd.json", "data"])
    }

    @Test func `a wrong configuration is wrong usage`() async throws {
        let run = await ToolRun(
            ["sessions", "list", "--data", "/nonexistent"], environment: ["COORDD_LOOPS": "x"])
        #expect(run.code == .usage)
        #expect(run.error.hasPrefix("environment COORDD_LOOPS: "))
    }
}
