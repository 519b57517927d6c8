import Actors
import Coordinator
import TestSupport
import Testing
import coordd

/// `coordd sessions … --connect` against a running server.
@Suite(.timeLimit(.minutes(5)))
struct RemoteSessionsTests {
    private static let key = "0123456789abcdef"

    private func run(
        _ server: TestServer, _ arguments: String..., environment: [String: String] = [:]
    ) async -> ToolRun {
        await ToolRun(
            ["sessions"] + arguments + ["--connect", "127.0.0.1:\(server.port)"],
            environment: environment)
    }

    /// Two sessions, with a client and with a stake.
    private func filled(_ server: TestServer) throws -> (tv: RawClient, epoch: String) {
        let tv = try RawClient(port: server.port, device: "tv")
        let epoch = try tv.subscribe("match-2").result["epoch"]?.string ?? ""
        try tv.subscribe("match-1")
        try tv.apply(#"{"type":"betslip.update","stake":"1.00"}"#, to: "match-2")
        return (tv, epoch)
    }

    @Test func `the list has a line for each session, as that of a folder`() async throws {
        try await withServer { server in
            let (tv, epoch) = try filled(server)
            var run = await run(server, "list")
            #expect(run.code == .done)
            #expect(run.error == "")
            let lines = run.output.split(separator: "\n").map { line in
                line.split(separator: " ").map(String.init)
            }
            try #require(lines.count == 4)
            #expect(
                lines[0] == ["SESSION", "EPOCH", "REV", "VENDOR", "PHASE", "CLIENTS", "STORED"])
            #expect(lines[1].first == "match-1")
            #expect(lines[2] == ["match-2", epoch, "1", "-", "idle", "1", "yes"])
            #expect(lines[3] == ["2", "sessions"])
            run = await self.run(server, "list", "--json")
            let root = try JSONParser.parse(text: run.output).root
            #expect(root["next"] == .null)
            #expect(root["damaged"] == 0)
            #expect(
                root["sessions"]?.array?.last == [
                    "session": "match-2", "epoch": .string(epoch), "rev": 1, "vendor": .null,
                    "phase": "idle", "clients": 1, "stored": true,
                ])
            run = await self.run(server, "list", "--limit", "1")
            #expect(run.output.hasSuffix("\n1 session; the next ones: --after match-1\n"))
            run = await self.run(server, "list", "--after", "match-1", "--json")
            #expect(
                try JSONParser.parse(text: run.output).root["sessions"]?.array?.count == 1)
            withExtendedLifetime(tv) {}
        }
    }

    @Test func `a daemon is asked under TLS, and only one with the name that is expected`()
        async throws
    {
        let folder = try TestFolder()
        for (name, text) in [
            ("chain", TestCertificates.chain), ("key", TestCertificates.key),
            ("root", TestCertificates.root),
        ] {
            try folder.write(Array(text.utf8), to: name)
        }
        try await withServer {
            $0.tls = TLSFiles(certificate: folder.file("chain"), key: folder.file("key"))
        } _: { server in
            let tv = try filled(server).tv
            func list(_ more: String...) async -> ToolRun {
                await ToolRun(
                    ["sessions", "list", "--connect", "127.0.0.1:\(server.tlsPort)"] + more)
            }
            var run = await list("--tls", "--ca", folder.file("root"))
            #expect(run.code == .done)
            #expect(run.output.contains("match-2"))
            run = await list("--tls", "--ca", folder.file("root"), "--server-name", "other.test")
            #expect(run.code == .failed)
            #expect(run.error.contains("cannot connect"))
            #expect(await list("--ca", folder.file("root")).code == .usage)
            withExtendedLifetime(tv) {}
        }
    }

    @Test func `more sessions than a page are all there`() async throws {
        try await withServer {
            $0.server.client.subscriptions = 1000
        } _: { server in
            let tv = try RawClient(port: server.port, device: "tv")
            let names = (1001...1450).map { "s-\($0)" }
            for name in names { try tv.subscribe(name) }
            let run = await run(server, "list", "--json")
            let found = try JSONParser.parse(text: run.output).root["sessions"]?.array?
                .compactMap { $0["session"]?.string }
            #expect(found == names)
            let some = await self.run(server, "list", "--json", "--limit", "250")
            let root = try JSONParser.parse(text: some.output).root
            #expect(root["sessions"]?.array?.count == 250)
            #expect(root["next"] == "s-1250")
        }
    }

    @Test func `show tells state and replay window`() async throws {
        try await withServer { server in
            let (tv, epoch) = try filled(server)
            var run = await run(server, "show", "match-2", "--json")
            #expect(run.code == .done)
            let root = try JSONParser.parse(text: run.output).root
            #expect(root["session"] == "match-2")
            #expect(root["epoch"]?.string == epoch)
            #expect(root["rev"] == 1)
            #expect(root["state"]?["betslip"]?["stake"] == "1.00")
            let entry = root["history"]?.array?.first
            #expect(entry?["offset"] == 1)
            #expect(entry?["type"] == "betslip.update")
            #expect(entry?["by"] == ["device": "tv", "role": "mirror"])
            run = await self.run(server, "show", "match-2")
            #expect(
                run.output.hasPrefix("session     match-2\nepoch       \(epoch)\nrev         1\n"))
            #expect(run.output.hasSuffix("  betslip.update\n"))
            #expect(!run.output.contains("memory"))
            run = await self.run(server, "show", "nowhere")
            #expect(run.code == .failed)
            #expect(
                run.error == "coordd sessions show: there is no session nowhere in "
                    + "127.0.0.1:\(server.port)\n")
            withExtendedLifetime(tv) {}
        }
    }

    @Test func `delete takes all that are named, or none when one is not there`() async throws {
        try await withServer { server in
            let (tv, _) = try filled(server)
            var run = await run(server, "delete", "match-1", "nowhere")
            #expect(run.code == .failed)
            #expect(run.error.contains("there is no session nowhere"))
            #expect(await server.storedSessions == 2)
            run = await self.run(server, "delete", "match-1", "match-2", "--json")
            #expect(run.code == .done)
            #expect(
                try JSONParser.parse(text: run.output).root == [
                    "deleted": [
                        ["session": "match-1", "rev": 0], ["session": "match-2", "rev": 1],
                    ]
                ])
            #expect(await server.storedSessions == 0)
            try tv.subscribe("match-3")
            run = await self.run(server, "delete", "match-3")
            #expect(run.output == "deleted match-3 at rev 0\n")
        }
    }

    @Test func `the key comes from a flag or from the environment`() async throws {
        try await withServer {
            $0.server.apiKey = APIKey(Self.key)
        } _: { server in
            var run = await run(server, "list")
            #expect(run.code == .failed)
            #expect(run.error.contains(": 401 the API key is missing"))
            run = await self.run(server, "list", "--api-key", Self.key)
            #expect(run.code == .done)
            run = await self.run(server, "list", environment: ["COORDD_API_KEY": Self.key])
            #expect(run.code == .done)
            run = await self.run(server, "list", environment: ["COORDD_API_KEY": "short"])
            #expect(run.code == .usage)
            #expect(!run.error.contains("short"))
            run = await self.run(server, "list", "--api-key", "fedcba9876543210")
            #expect(run.error.contains(": 401 this is not the API key"))
        }
    }

    @Test func `where nobody listens that is said`() async throws {
        let port = try await withServer { server in server.port }
        let run = await ToolRun(["sessions", "list", "--connect", "127.0.0.1:\(port)"])
        #expect(run.code == .failed)
        #expect(run.error.hasPrefix("coordd sessions list: 127.0.0.1:\(port): cannot connect: "))
    }
}
