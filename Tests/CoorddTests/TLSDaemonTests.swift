import Glibc
import TestSupport
import Testing
import coordd

/// The program with TLS, as a process.
@Suite(.timeLimit(.minutes(5)))
struct TLSDaemonTests {
    private func folder(
        _ chain: String = TestCertificates.chain, _ key: String = TestCertificates.key
    ) throws -> TestFolder {
        let folder = try TestFolder()
        try folder.write(Array(chain.utf8), to: "chain.pem")
        try folder.write(Array(key.utf8), to: "key.pem")
        try folder.write(Array(TestCertificates.root.utf8), to: "root.pem")
        let text = #"""
            {"data": "data", "listen": "127.0.0.1:0", "drain": {"seconds": 0},
             "tls": {"listen": "127.0.0.1:0", "certificate": "chain.pem", "key": "key.pem"}}
            """#
        try folder.write(Array(text.utf8), to: "coordd.json")
        return folder
    }

    private func serve(_ folder: TestFolder) throws -> ToolProcess {
        try ToolProcess([
            "serve", "--config", folder.file("coordd.json"), "--ready-file", folder.file("ready"),
        ])
    }

    /// Reads the log until a line has the words; what was read before is lost.
    private func log(_ process: ToolProcess, until words: String) -> String {
        var text = ""
        while !text.contains(words) {
            let more = process.firstComplaint()
            guard !more.isEmpty else { break }
            text += more
        }
        return text
    }

    private func port(_ folder: TestFolder, _ name: String) -> UInt16 {
        let text = String(decoding: folder.bytes(of: name), as: UTF8.self)
        return UInt16(text.dropLast().split(separator: ":").last ?? "") ?? 0
    }

    @Test func `both ports are announced, and a signal reloads the certificate`() throws {
        let folder = try folder()
        let process = try serve(folder)
        #expect(log(process, until: "listening with TLS").contains("\"certificates\":2"))
        let (plain, secured) = (port(folder, "ready"), port(folder, "ready.tls"))
        #expect(plain != secured)
        #expect(try RawClient(port: plain).get("/healthz").status == 200)
        let client = try RawClient(port: secured)
        try client.secure()
        #expect(try client.get("/healthz").status == 200)

        try folder.write(Array(TestCertificates.nextChain.utf8), to: "chain.pem")
        process.send(SIGHUP)
        let refusal = log(process, until: "stays in use")
        #expect(refusal.contains("the key does not match the first certificate"))
        #expect(refusal.contains("\"level\":\"error\""))
        try folder.write(Array(TestCertificates.nextKey.utf8), to: "key.pem")
        process.send(SIGHUP)
        #expect(log(process, until: "TLS certificate").contains("coordd test next"))
        let next = try RawClient(port: secured)
        try next.secure()
        #expect(next.certificateSubject == "/CN=coordd test next")
        #expect(try client.get("/healthz").status == 200)

        client.close()
        next.close()
        process.send(SIGTERM)
        #expect(try process.end().code == 0)
    }

    @Test func `a certificate that has expired is served with a warning that names its date`()
        throws
    {
        let folder = try folder(TestCertificates.expired, TestCertificates.expiredKey)
        let process = try serve(folder)
        let text = log(process, until: "listening with TLS")
        #expect(text.contains("the TLS certificate has expired"))
        #expect(text.contains("\"until\":\"2020-02-01T00:00:00.000Z\""))
        process.send(SIGTERM)
        #expect(try process.end().code == 0)
    }

    @Test func `files that do not belong together are wrong usage`() throws {
        let folder = try folder(TestCertificates.chain, TestCertificates.nextKey)
        let end = try serve(folder).end()
        #expect(end.code == 2)
        #expect(end.error.contains("tls.key: \(folder.file("key.pem")): the key does not match"))
        #expect(!folder.names.contains("data"))
    }

    @Test func `the tools connect under TLS and check whom they talk to`() async throws {
        let folder = try folder()
        let process = try serve(folder)
        _ = log(process, until: "listening with TLS")
        let address = "127.0.0.1:\(port(folder, "ready.tls"))"
        let event = #"{"type":"fullscreen.toggle"}"#
        let common = ["send", "a", event, "--connect", address, "--role", "player", "--json"]
        let trusting = ["--tls", "--ca", folder.file("root.pem")]
        let sent = await ToolRun(common + trusting)
        #expect(sent.code == .done, "\(sent)")
        let other = await ToolRun(common + trusting + ["--server-name", "example.org"])
        #expect(other.code == .failed)
        #expect(other.error.contains("mismatch"), "\(other)")
        let stranger = await ToolRun(common + ["--tls"])
        #expect(stranger.code == .failed)
        #expect(stranger.error.contains("the certificate is not trusted"), "\(stranger)")
        let missing = await ToolRun(common + ["--ca", folder.file("root.pem")])
        #expect(missing.code == .usage)
        let unreadable = await ToolRun(common + ["--tls", "--ca", folder.file("none.pem")])
        #expect(unreadable.code == .usage)
        #expect(unreadable.error.contains("No such file or directory"))
        process.send(SIGTERM)
        #expect(try process.end().code == 0)
    }
}
