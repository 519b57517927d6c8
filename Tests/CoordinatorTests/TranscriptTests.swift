import Coordinator
import Foundation
import TestSupport
import Testing

/// The golden transcripts: what the contract says, event by event.
struct TranscriptTests {
    /// The names of the files beside this one.
    static let files: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    private static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().path + "/Transcripts"

    @Test(arguments: files)
    func `a transcript comes out as it says`(_ file: String) throws {
        let text = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
        let mismatches = try Transcript(text: text).play()
        #expect(mismatches.isEmpty, "\(mismatches.map(\.description).joined(separator: "\n"))")
    }

    @Test func `the transcripts are found`() {
        #expect(Self.files.count > 100)
    }
}
