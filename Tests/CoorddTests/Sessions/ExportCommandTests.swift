import Actors
import Coordinator
import Glibc
import TestSupport
import Testing
import coordd

/// `coordd sessions export`, `import` and `delete`, as an operator calls them.
@Suite(.timeLimit(.minutes(2)))
struct ExportCommandTests {
    private static let played = """
        {"at":1000,"by":{"device":"phone-1","role":"player"},"attach":{}}
        {"at":1010,"by":{"device":"phone-1","role":"player"},"event":{"type":"player.load",\
        "vendor":"genius","content":{"fixtureId":"f1","apiKey":"KEY-PLANTED"}}}
        {"at":1020,"by":{"device":"tablet","role":"mirror"},"event":{"type":"betslip.open",\
        "sportsbookSelectionId":"s1","decimalPrice":"2.0"}}
        """

    private func filled() throws -> FilledFolder {
        let folder = try FilledFolder()
        try folder.add(
            ["match-2": try .played(Self.played), "match-1": .new(), "other": .new()],
            idleSince: Instant(milliseconds: 1_767_225_600_123))
        return folder
    }

    /// What `show` tells, without what an import changes.
    private func shown(_ folder: FilledFolder, _ id: String, data: String) async throws -> JSON {
        let run = await ToolRun([
            "sessions", "show", id, "--json", "--config", folder.configuration, "--data", data,
        ])
        let root = try #require(try JSONParser.parse(text: run.output).root.object)
        let changing = ["epoch", "history", "idleSince", "bytes", "journal"]
        return .object(JSONObject(root.members.filter { !changing.contains($0.key) }))
    }

    @Test func `what was exported and imported shows the same but epoch and window`() async throws {
        let folder = try filled()
        let file = folder.folder.file("all.jsonl")
        var run = await folder.run("export", "--all", "--output", file)
        #expect(run.code == .done)
        #expect(run.output == "exported 3 sessions to \(file)\n")
        #expect(folder.folder.mode(of: "all.jsonl") == 0o600)
        let text = String(decoding: folder.folder.bytes(of: "all.jsonl"), as: UTF8.self)
        #expect(!text.contains("KEY-PLANTED"))
        let piped = await folder.run("export", "--all")
        #expect(piped.error == "")
        #expect(piped.output.split(separator: "\n").count == 5)
        let new = folder.folder.file("new")
        run = await folder.run("import", file, "--data", new)
        #expect(run.code == .done, "\(run)")
        #expect(
            run.output == "imported 3 sessions into \(new)\n"
                + "Each has a new epoch: devices get a snapshot when they come back.\n")
        for id in ["match-1", "match-2", "other"] {
            let before = try await shown(folder, id, data: folder.data)
            #expect(try await shown(folder, id, data: new) == before)
        }
        run = await folder.run("show", "match-2", "--json", "--data", new)
        let root = try JSONParser.parse(text: run.output).root
        #expect(root["history"] == [])
        #expect(root["epoch"]?.string?.utf8.count == 16)
    }

    @Test func `some, and those with a prefix`() async throws {
        let folder = try filled()
        func names(_ arguments: String...) async -> [String] {
            let run = await ToolRun(
                ["sessions", "export"] + arguments + ["--config", folder.configuration])
            return run.output.split(separator: "\n").compactMap { line in
                try? JSONParser.parse(
                    Array(line.utf8).span, maximumDepth: SessionDocument.maximumDepth
                ).root["session"]?.string
            }
        }
        #expect(await names("other", "match-1") == ["match-1", "other"])
        #expect(await names("--prefix", "match-") == ["match-1", "match-2"])
        #expect(await names("--prefix", "match-2") == ["match-2"])
        #expect(await names("--prefix", "z") == [])
        let run = await folder.run("export", "other", "x", "y")
        #expect(run.code == .failed)
        #expect(run.output == "")
        #expect(
            run.error == "coordd sessions export: there is no session x, y in \(folder.data)\n")
    }

    @Test func `a damaged session is named and the others are exported`() async throws {
        let folder = try filled()
        try folder.execute(
            "UPDATE snapshot SET crc = 1 WHERE session = "
                + "(SELECT key FROM session WHERE id = 'match-1')")
        let run = await folder.run("export", "--all")
        #expect(run.code == .failed)
        #expect(
            run.error == "coordd sessions export: session match-1 is damaged and left out: "
                + "snapshot: the checksum is wrong\n")
        #expect(run.output.split(separator: "\n").count == 4)
    }

    @Test func `what is refused changes nothing`() async throws {
        let folder = try filled()
        let export = await folder.run("export", "--all").output
        let before = try folder.contents()
        try folder.folder.write(Array(export.utf8), to: "all.jsonl")
        try folder.folder.write(Array(export.utf8.dropLast(20)), to: "cut.jsonl")
        var run = await folder.run("import", folder.folder.file("all.jsonl"))
        #expect(run.code == .failed)
        #expect(run.error.contains("already: match-1, match-2, other; nothing was imported"))
        run = await folder.run("import", folder.folder.file("cut.jsonl"), "--replace")
        #expect(run.code == .failed)
        #expect(run.error.hasSuffix("cut.jsonl: line 5: the line is cut; nothing was imported\n"))
        run = await folder.run("import", folder.folder.file("nothing"))
        #expect(run.error.hasSuffix("nothing: No such file or directory\n"))
        run = await folder.run("import", folder.path)
        #expect(run.code == .failed)
        run = await folder.run("delete", "match-1", "x")
        #expect(run.code == .failed)
        #expect(
            run.error == "coordd sessions delete: there is no session x in \(folder.data)\n"
                + "coordd sessions delete: nothing was deleted\n")
        #expect(try folder.contents() == before)
        // Nothing is made either.
        let new = folder.folder.file("new")
        run = await folder.run("import", folder.folder.file("cut.jsonl"), "--data", new)
        #expect(run.code == .failed)
        folder.folder.unlinkFile("coordd.key")
        run = await folder.run("import", folder.folder.file("all.jsonl"), "--data", new)
        #expect(run.error.contains("is missing, and stored secrets need the key"))
        #expect(!folder.folder.names.contains("new"))
        #expect(!folder.folder.names.contains("coordd.key"))
    }

    @Test func `replacing and deleting tell what they did`() async throws {
        let folder = try filled()
        let export = await folder.run("export", "match-1").output
        try folder.folder.write(Array(export.utf8), to: "one.jsonl")
        var run = await folder.run(
            "import", folder.folder.file("one.jsonl"), "--replace", "--json")
        #expect(run.code == .done)
        let root = try JSONParser.parse(text: run.output).root
        #expect(root["imported"] == 1)
        #expect(root["replaced"] == 1)
        #expect(root["sessions"]?.array?.first?["session"] == "match-1")
        run = await folder.run("delete", "other", "match-2")
        #expect(run.code == .done)
        #expect(run.output == "deleted other at rev 0\ndeleted match-2 at rev 3\n")
        run = await folder.run("delete", "match-1", "--json")
        #expect(
            run.output
                == #"{"deleted":[{"session":"match-1","rev":0,"rememberedBets":0}]}"# + "\n")
        run = await folder.run("list")
        #expect(run.output.hasSuffix("\n0 sessions\n"))
    }

    @Test func `standard input is read, and a daemon that runs is named`() async throws {
        let folder = try filled()
        let export = await folder.run("export", "match-2").output
        let process = try ToolProcess([
            "sessions", "import", "-", "--replace", "--config", folder.configuration,
        ])
        try process.finishInput(export)
        let end = try process.end()
        #expect(end.code == 0, "\(end)")
        let held = try DataFolder(folder.data)
        try folder.folder.write(Array(export.utf8), to: "one.jsonl")
        for arguments in [
            ["delete", "other"], ["export", "--all"],
            ["import", folder.folder.file("one.jsonl"), "--replace"],
        ] {
            let run = await ToolRun(
                ["sessions"] + arguments + ["--config", folder.configuration])
            #expect(run.code == .failed)
            #expect(run.error.contains("is in use by process \(getpid()); it has to be stopped"))
        }
        withExtendedLifetime(held) {}
    }
}
