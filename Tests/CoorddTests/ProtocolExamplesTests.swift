import Actors
import Coordinator
import TestSupport
import Testing
import coordd

@Suite(.timeLimit(.minutes(5))) struct ProtocolExamplesTests {
    private static func mismatch(_ document: String) async throws -> String? {
        try await withServer { options in
            options.server.client.version = "coordd \(Version.text)"
        } _: { server in
            try DocumentedExamples(document).mismatch(port: server.port)
        }
    }

    @Test(arguments: [
        ("README.md", 10), ("Docs/Protocol.md", 60), ("Docs/Genius.md", 20), ("Docs/Errors.md", 15),
        ("Docs/Sauceflex.md", 30), ("Docs/Lisa.md", 20),
        ("Docs/Sportradar.md", 23), ("Docs/Bambuser.md", 27),
    ])
    func `the server says what a document shows`(name: String, lines: Int) async throws {
        let text = try ProjectFile(name).text()
        #expect(DocumentedExamples(text).lines.count >= lines)
        // Bound first, so that a failure shows it.
        let mismatch = try await Self.mismatch(text)
        #expect(mismatch == nil)
    }

    private static let connect = """
        ```json-lines
        tv → {"id":1,"connect":{"data":{"device":"tv-1"}}}
        tv ← {"id":1,"connect":{"client":"c-1",…}}
        tv → {"id":2,"publish":{"channel":"session:none","data":{}}}
        tv ← {"id":2,"error":{"code":102,"message":"unknown channel: …"}}
        """

    @Test func `an example that holds has no mismatch`() async throws {
        #expect(try await Self.mismatch(Self.connect + "\n```") == nil)
    }

    @Test(arguments: [
        (#"tv ← {"id":2,"#, #"tv ← {"id":3,"#, ".id differs"),
        ("102", "103", ".error.code differs"),
        ("unknown channel: …", "no such channel: …", ".error.message differs"),
        (#"c-1",…}"#, #"c-1"}"#, #".connect has ["ping", "pong", "version"] too"#),
        ("c-1\"", "c-1\",\"extra\":1", ".connect.extra is missing"),
    ])
    func `a wrong example is found`(right: String, wrong: String, difference: String) async throws {
        let parts = Self.connect.split(separator: right, omittingEmptySubsequences: false)
        #expect(parts.count == 2)
        let found = try await Self.mismatch(parts.joined(separator: wrong))
        #expect(found?.contains(difference) == true, "\(found ?? "nothing")")
    }
}
