import Glibc
import TestSupport
import Testing
import coordd

/// The program with several loops, as a process.
@Suite(.timeLimit(.minutes(5)))
struct LoopsDaemonTests {
    private static let names = (0..<12).map { "match-\($0)" }

    private func serve(
        _ folder: TestFolder, loops: Int, durability: String
    ) throws -> (process: ToolProcess, port: UInt16) {
        let text = #"""
            {"data": "data", "listen": "127.0.0.1:0", "drain": {"seconds": 0},
             "loops": \#(loops), "durability": "\#(durability)"}
            """#
        try folder.write(Array(text.utf8), to: "coordd.json")
        let process = try ToolProcess([
            "serve", "--config", folder.file("coordd.json"), "--ready-file", folder.file("ready"),
        ])
        var log = ""
        while !log.contains("\"listening\"") {
            let more = process.firstComplaint()
            guard !more.isEmpty else { throw RawClient.Failure.unexpected(log) }
            log += more
        }
        #expect(log.contains("\"loops\":\(loops)"))
        let ready = String(decoding: folder.bytes(of: "ready"), as: UTF8.self)
        let port = UInt16(ready.dropLast().split(separator: ":").last ?? "") ?? 0
        return (process, port)
    }

    /// Has each session get two more revisions; gives what each is then, with its epoch.
    private func play(_ port: UInt16) throws -> [String] {
        let client = try RawClient(port: port, device: "tv")
        return try Self.names.map { name in
            try client.subscribe(name)
            for _ in 0..<2 { try client.apply(#"{"type":"fullscreen.toggle"}"#, to: name) }
            return "\(try client.rpc("session.state", name).result)"
        }
    }

    private func states(_ port: UInt16) throws -> [String] {
        let client = try RawClient(port: port, device: "tv")
        return try Self.names.map { "\(try client.rpc("session.state", $0).result)" }
    }

    @Test func `what is on disk is the same for any number of loops, also after a kill`() throws {
        let folder = try TestFolder()
        var expected: [String]?
        for (loops, signal) in [(2, SIGKILL), (1, SIGKILL), (3, SIGTERM), (2, SIGTERM)] {
            let (process, port) = try serve(folder, loops: loops, durability: "commit")
            if let expected { #expect(try states(port) == expected) }
            expected = try play(port)
            process.send(signal)
            #expect(try process.end().code == (signal == SIGTERM ? 0 : nil))
        }
    }

    @Test func `sessions in memory are written when the daemon ends, whatever loop they are on`()
        throws
    {
        let folder = try TestFolder()
        var expected: [String]?
        for loops in [2, 3, 1] {
            let (process, port) = try serve(folder, loops: loops, durability: "memory")
            if let expected { #expect(try states(port) == expected) }
            expected = try play(port)
            process.send(SIGTERM)
            #expect(try process.end().code == 0)
        }
    }
}
