import Actors
import Coordinator
import Foundation
import Glibc
import TestSupport
import Testing
import coordd

/// `coordd sessions export`, `import` and `delete`, as an operator calls them.
@Suite(.timeLimit(.minutes(5)))
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

    @Test func `an export replaces regular files only, and nothing of the daemon's`() async throws {
        let folder = try filled()
        let place = try TestFolder()
        try place.write([1], to: "file")
        #expect(unsafe symlink(place.file("file"), place.file("link")) == 0)
        #expect(unsafe symlink(folder.data, place.file("data")) == 0)
        #expect(unsafe mkfifo(place.file("pipe"), 0o600) == 0)
        #expect(unsafe mkdir(place.file("folder"), 0o700) == 0)
        let key = folder.folder.bytes(of: "coordd.key")
        for (path, reason) in [
            (place.file("link"), "it is no regular file"),
            (place.file("pipe"), "it is no regular file"),
            (place.file("folder"), "it is no regular file"),
            (folder.folder.file("coordd.key"), "it is needed as it is"),
            (folder.database, "it is in the data folder \(folder.data)"),
            (folder.data + "/new", "it is in the data folder \(folder.data)"),
            (place.file("data/sessions.sqlite"), "it is in the data folder \(folder.data)"),
        ] {
            let run = await folder.run("export", "--all", "--output", path)
            #expect(run.code == .failed)
            #expect(run.output == "")
            #expect(run.error.hasSuffix("\(path): \(reason)\n"), "\(run)")
        }
        #expect(place.names == ["data", "file", "folder", "link", "pipe"])
        #expect(place.bytes(of: "file") == [1])
        #expect(folder.folder.bytes(of: "coordd.key") == key)
        // The store's thread may still be closing its files.
        let names = folder.folder.names(in: "data").filter { name in
            !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
        }
        #expect(names == ["coordd.lock", "sessions.sqlite"])
        let run = await folder.run("export", "--all", "--output", place.file("file"))
        #expect(run.code == .done)
        #expect(place.bytes(of: "file").count > 1)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the wait for standard input or a pipe, and nothing is made`(
        signal: Int32
    ) throws {
        let place = try TestFolder()
        #expect(unsafe mkfifo(place.file("pipe"), 0o600) == 0)
        let folder = try filled()
        for isPipe in [false, true] {
            let process = try ToolProcess([
                "sessions", "import", isPipe ? place.file("pipe") : "-", "--config",
                folder.configuration, "--data",
                place.file("new"),
            ])
            var writer: FileHandle?
            if isPipe {
                // Returns when somebody reads.
                writer = FileHandle(forWritingAtPath: place.file("pipe"))
                #expect(writer != nil)
            } else {
                try process.flood()
            }
            process.send(signal)
            let end = try process.end()
            #expect(end.code == 130, "\(end)")
            #expect(end.output == "")
            #expect(end.error == "")
            #expect(place.names == ["pipe"])
            try writer?.close()
        }
    }

    @Test func `a journal of SQLite in the way is explained`() async throws {
        let folder = try filled()
        let journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        try folder.folder.write(
            journal + [UInt8](repeating: 0, count: 504), to: "data/sessions.sqlite-journal")
        for arguments in [
            ["verify", folder.data], ["sessions", "list"], ["sessions", "export", "--all"],
            ["sessions", "delete", "other"], ["backup", folder.folder.file("backup")],
        ] {
            let run = await ToolRun(arguments + ["--config", folder.configuration])
            #expect(run.code == .failed)
            #expect(run.error.contains("/data/sessions.sqlite-journal is there: "), "\(run)")
        }
        #expect(folder.folder.names(in: "data").contains("sessions.sqlite-journal"))
        // As a daemon's start does.
        try SQLiteDatabase(path: folder.database, access: .create).execute("SELECT * FROM meta")
        let run = await folder.run("list")
        #expect(run.code == .done)
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
