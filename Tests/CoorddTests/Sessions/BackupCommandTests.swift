import Actors
import Coordinator
import Glibc
import TestSupport
import Testing
import coordd

/// `coordd backup` and `verify`, with a daemon that runs.
@Suite(.timeLimit(.minutes(5)))
struct BackupCommandTests {
    @Test func `a backup of a running daemon has every revision that was acknowledged before it`()
        async throws
    {
        let folder = try FilledFolder()
        let daemon = try ToolProcess([
            "serve", "--config", folder.configuration, "--listen", "127.0.0.1:0",
        ])
        var log = ""
        while !log.contains(#""message":"listening""#) || !log.hasSuffix("\n") {
            log += daemon.firstComplaint()
        }
        let lines = try log.split(separator: "\n").map {
            try JSONParser.parse(text: String($0)).root
        }
        let address = lines.compactMap { $0["address"]?.string }.first
        let port = address?.split(separator: ":").last.flatMap { UInt16($0) }
        let client = try RawClient(port: try #require(port))
        client.send(#"{"id":1,"connect":{"data":{"device":"tablet"}}}"#)
        client.send(#"{"id":2,"subscribe":{"channel":"session:s"}}"#)
        var (revision, acknowledged, copied) = (0, [Int](), [Int]())
        for round in 1...5 {
            for _ in 0..<40 {
                revision += 1
                client.send(
                    #"{"id":\#(revision + 2),"rpc":{"method":"session.apply","data":"#
                        + #"{"session":"s","event":{"type":"betslip.update","stake":"\#(revision)"}}}}"#
                )
            }
            while true {
                let line = try client.line()
                if line.hasPrefix(#"{"id":\#(revision + 2),"#) { break }
            }
            acknowledged.append(revision)
            // More is under way while it is copied.
            for _ in 0..<40 {
                revision += 1
                client.send(
                    #"{"id":\#(revision + 2),"rpc":{"method":"session.apply","data":"#
                        + #"{"session":"s","event":{"type":"betslip.update","stake":"\#(revision)"}}}}"#
                )
            }
            let run = await ToolRun([
                "backup", folder.folder.file("b\(round)"), "--config", folder.configuration,
            ])
            #expect(run.code == .done, "\(run)")
            #expect(run.error == "")
            let shown = await folder.run(
                "show", "s", "--json", "--data", folder.folder.file("b\(round)"))
            copied.append(
                Int(try JSONParser.parse(text: shown.output).root["rev"]?.number?.signed ?? 0))
        }
        for (sent, found) in zip(acknowledged, copied) { #expect(found >= sent) }
        var run = await ToolRun(["verify", folder.data, "--config", folder.configuration])
        #expect(run.code == .failed)
        #expect(run.error.contains("is in use by process "))
        #expect(run.error.hasSuffix("; stop it first, or verify what coordd backup makes of it\n"))
        daemon.interrupt()
        _ = try daemon.end()
        run = await ToolRun(["verify", folder.data, "--config", folder.configuration])
        #expect(run.code == .done, "\(run)")
        #expect(run.output.contains("\nwhole: nothing is damaged, up to transaction "))
    }

    @Test func `verify names what is damaged, what the daemon does, and exits with 1`() async throws
    {
        let folder = try FilledFolder()
        try folder.add(["a": .new(), "b": .new()], idleSince: nil)
        var run = await ToolRun(["verify", folder.data, "--config", folder.configuration])
        #expect(run.code == .done)
        try folder.execute("UPDATE snapshot SET crc = 1 WHERE session = 1")
        run = await ToolRun(["verify", folder.data, "--config", folder.configuration])
        #expect(run.code == .failed)
        let lines = run.output.split(separator: "\n").map { line in
            line.split(separator: " ").map(String.init)
        }
        #expect(lines.first == ["CHECKED", "COUNT", "DAMAGED"])
        #expect(lines.contains(["sessions", "2", "-"]))
        #expect(lines.contains(["snapshots", "2", "1"]))
        #expect(run.output.contains("sets the session aside (store.damaged setAside)\n"))
        #expect(run.output.hasSuffix("\ndamaged: 1 place\n"))
        run = await ToolRun(["verify", folder.data, "--json", "--config", folder.configuration])
        #expect(run.code == .failed)
        let root = try JSONParser.parse(text: run.output).root
        #expect(root["whole"] == false)
        #expect(root["damaged"] == 1)
        #expect(root["damage"]?.array?.first?["table"] == "snapshot")
        #expect(root["damage"]?.array?.first?["fault"] == "the checksum is wrong")
    }

    @Test func `verify and backup of nothing are refused`() async throws {
        let folder = try FilledFolder()
        var run = await ToolRun(["verify", folder.data, "--config", folder.configuration])
        #expect(run.code == .failed)
        #expect(run.error == "coordd verify: there is no database of coordd in \(folder.data)\n")
        run = await ToolRun(
            ["backup", folder.folder.file("b"), "--config", folder.configuration])
        #expect(run.code == .failed)
        #expect(run.error == "coordd backup: there is no database of coordd in \(folder.data)\n")
        #expect(folder.folder.names == ["coordd.json"])
    }
}
