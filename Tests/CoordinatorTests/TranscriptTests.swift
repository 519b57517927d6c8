import Coordinator
import Foundation
import TestSupport
import Testing

@Suite struct TranscriptTests {
    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "Transcripts")

    static let files: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path())
        return (names ?? []).filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    @Test(arguments: files) func `a golden transcript holds`(_ file: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let mismatches = try Transcript(text).mismatches()
        for mismatch in mismatches { Issue.record("\(file) \(mismatch)") }
    }

    @Test func `there are transcripts`() {
        #expect(Self.files.count > 100)
    }

    @Test func `a wrong expectation is found`() throws {
        let steps = """
            {"at":1,"by":{"device":"m","role":"mirror"},"event":{"type":"betslip.open"},"expect":{"rev":1,"patch":{"betslip":{"visible":false}}}}
            {"at":2,"by":{"device":"m","role":"mirror"},"event":{"type":"betslip.open"},"expect":{"rev":2,"patch":{}}}
            {"at":3,"by":{"device":"m","role":"mirror"},"event":{"type":"nonsense"},"expect":{"rev":1,"unchanged":true}}
            """
        let lines = try Transcript(steps).mismatches().map { $0.prefix(6) }
        #expect(Set(lines) == ["line 1", "line 2", "line 3"])
    }
}
