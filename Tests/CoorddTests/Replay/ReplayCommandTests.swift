import Actors
import Coordinator
import TestSupport
import Testing
import coordd

/// `coordd replay` from its arguments to its exit code, in the pure rules and over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct ReplayCommandTests {
    private func golden(_ name: String) -> String {
        "\(GoldenTranscriptTests.folder)/\(name).jsonl"
    }

    private func connect(_ server: TestServer) -> [String] {
        ["--connect", "127.0.0.1:\(server.port)"]
    }

    private func written(_ lines: String, _ folder: TestFolder) throws -> String {
        try folder.write(Array(lines.utf8), to: "t.jsonl")
        return folder.file("t.jsonl")
    }

    private static let opens = """
        {"at":1000,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.open"},\
        "expect":{"rev":1,"patch":{"betslip":{"visible":true}}}}
        """

    /// What a betslip without a selection says when it is asked to place.
    private static let wrong = """
        {"at":1000,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.close"},\
        "expect":{"rev":7}}
        """

    // Steps of these lie a few seconds apart at most; `detach` and attaching again are among them.
    @Test(arguments: [
        "genius-init", "genius-load-secrets", "betslip-add-update", "stage-reattach",
        "stage-first-facts", "stage-acknowledge", "keep-awake-stage", "place-check-order",
    ])
    func `a golden transcript holds against a daemon`(name: String) async throws {
        try await withServer { server in
            let run = await ToolRun(
                ["replay", golden(name), "--strict", "--speed", "100", "--json"] + connect(server))
            #expect(run.code == .done, "\(run.error)")
            let record = try JSONParser.parse(text: run.output).root
            #expect(record["ok"] == true)
            #expect(record["unmet"] == 0)
            #expect(record["session"]?.string?.hasPrefix("replay-") == true)
            #expect(record["state"]?["player"] != nil)
        }
    }

    @Test func `the daemon's timers are waited for`() async throws {
        let folder = try TestFolder()
        let path = try written(
            """
            {"configuration":{"stage":{"graceSeconds":1}}}
            {"at":1000,"by":{"device":"phone","role":"player"},"attach":{},\
            "expect":{"rev":1,"patch":{"stage":{"device":"phone","connected":true}}}}
            {"at":1100,"by":{"device":"phone","role":"player"},"detach":{},\
            "expect":{"rev":2,"patch":{"stage":{"connected":false}}}}
            {"at":2100,"by":{"role":"system"},"expire":"stage.vacated",\
            "expect":{"rev":3,"patch":{"stage":null}}}
            {"at":2200,"by":{"device":"phone","role":"player"},"attach":{},\
            "expect":{"rev":4,"patch":{"stage":{"device":"phone","connected":true}}}}
            """, folder)
        try await withServer { options in
            options.session.policy.stageGraceSeconds = 1
        } _: { server in
            let run = await ToolRun(["replay", path, "--strict"] + connect(server))
            #expect(run.code == .done)
            // The daemon has to have been started with the configuration.
            #expect(run.error.contains("line 1: the daemon must run with this configuration"))
            #expect(run.output.contains("stage.vacated"))
            #expect(run.output.hasSuffix("4 steps: every expectation met\n"))
        }
    }

    @Test func `an expectation that is not met is named, and the exit code is 1`() async throws {
        let folder = try TestFolder()
        let path = try written(Self.wrong, folder)
        let pure = await ToolRun(["replay", path])
        #expect(pure.code == .failed)
        #expect(pure.error.hasPrefix("\(path):1: "))
        try await withServer { server in
            let wire = await ToolRun(["replay", path] + connect(server))
            #expect(wire.code == .failed)
            #expect(wire.error.hasPrefix("\(path):1: "))
        }
    }

    @Test func `a daemon that is not there fails`() async throws {
        let port = try await withServer { $0.port }
        let run = await ToolRun(
            ["replay", golden("genius-init"), "--connect", "127.0.0.1:\(port)", "--json"])
        #expect(run.code == .failed)
        let record = try JSONParser.parse(text: run.output).root
        #expect(record["ok"] == false)
        #expect(record["failure"]?.string != nil)
        #expect(record["state"] == nil)
    }

    @Test func `a line that cannot be played is wrong usage`() async throws {
        let folder = try TestFolder()
        let path = try written("{\"at\":1}\n", folder)
        let run = await ToolRun(["replay", path, "/nonexistent.jsonl", "--json"])
        #expect(run.code == .usage)
        #expect(run.error.contains("\(path):1: "))
        #expect(run.error.contains("/nonexistent.jsonl: cannot be read: No such file"))
        let report = try JSONParser.parse(text: run.output).root
        #expect(report["ok"] == false)
        #expect(report["problems"]?.array?.isEmpty == false)
    }

    @Test func `a step that has no words in the protocol is wrong usage with a daemon`()
        async throws
    {
        let folder = try TestFolder()
        let path = try written(
            #"{"at":1,"by":{"role":"api"},"event":{"type":"betslip.open"}}"#, folder)
        #expect(await ToolRun(["replay", path]).code == .done)
        let run = await ToolRun(["replay", path, "--connect", "127.0.0.1:1"])
        #expect(run.code == .usage)
        #expect(run.error.hasPrefix("\(path):1: by.role: this daemon has no HTTP API"))
    }

    @Test func `several transcripts have a line each and a sum`() async throws {
        let folder = try TestFolder()
        let path = try written(Self.wrong, folder)
        let files = [golden("genius-init"), path]
        let text = await ToolRun(["replay"] + files)
        #expect(text.code == .failed)
        let lines = text.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("ok     \(files[0]): ") == true)
        #expect(lines.dropFirst().first?.hasPrefix("UNMET  \(path): 1 steps, rev ") == true)
        #expect(lines.last?.hasSuffix("in 1 files") == true)
        let json = await ToolRun(["replay", "--json"] + files)
        let objects = try json.output.split(separator: "\n").map {
            try JSONParser.parse(text: String($0)).root
        }
        #expect(objects.map { $0["ok"] } == [true, false, false])
        #expect(objects.last?["files"] == 2)
        #expect(objects.last?["failed"] == 1)
    }

    @Test func `a session that is named is played in`() async throws {
        let folder = try TestFolder()
        let path = try written(Self.opens, folder)
        try await withServer { server in
            let arguments = ["replay", path, "--session", "match-1"] + connect(server)
            let first = await ToolRun(arguments)
            #expect(first.code == .done, "\(first.error)")
            #expect(first.output.hasPrefix("session match-1\n"))
            #expect(await server.storedSessions == 1)
            // Its second run finds it open: the revision is another one, and a note says why.
            let second = await ToolRun(arguments)
            #expect(second.code == .failed)
            #expect(second.error.contains("the session is not new"))
            #expect(await server.storedSessions == 1)
        }
    }

    @Test func `without a daemon the rules' numbers come from a configuration`() async throws {
        let folder = try TestFolder()
        let path = try written(
            """
            {"at":1,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.add",\
            "sportsbookSelectionId":"a","decimalPrice":"2"}}
            {"at":2,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.add",\
            "sportsbookSelectionId":"b","decimalPrice":"2"},"expect":{"error":409}}
            """, folder)
        try folder.write(Array(#"{"bounds":{"selections":1}}"#.utf8), to: "c.json")
        #expect(await ToolRun(["replay", path]).code == .failed)
        let run = await ToolRun(["replay", path, "--config", folder.file("c.json")])
        #expect(run.code == .done, "\(run.error)")
        let missing = await ToolRun(["replay", path, "--config", folder.file("none.json")])
        #expect(missing.code == .usage)
        #expect(missing.error.hasPrefix(folder.file("none.json")))
    }

    @Test func `the faster speed waits less`() async throws {
        let folder = try TestFolder()
        // At its own speed these two lie an hour apart.
        let path = try written(
            """
            {"at":0,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.open"}}
            {"at":3600000,"by":{"device":"tv","role":"mirror"},"event":{"type":"betslip.close"}}
            """, folder)
        try await withServer { server in
            let run = await ToolRun(["replay", path, "--speed", "100000"] + connect(server))
            #expect(run.code == .done, "\(run.error)")
            #expect(run.output.hasSuffix("2 steps: every expectation met\n"))
        }
    }
}
