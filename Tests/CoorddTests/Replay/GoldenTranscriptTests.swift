import Actors
import Coordinator
import Foundation
import TestSupport
import Testing
import coordd

@Suite struct GoldenTranscriptTests {
    static let folder = ProjectFile("Tests/CoordinatorTests/Transcripts").path

    static let files: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return (names ?? []).filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    @Test(arguments: files) func `a golden transcript holds`(_ name: String) throws {
        let bytes = try FileText.read("\(Self.folder)/\(name)", limit: 1 << 20)
        let file = try ReplayFile(name: name, bytes: bytes)
        var player = TranscriptPlayer(policy: try file.policy(configuration: nil), isStrict: true)
        for row in file.transcript.steps.flatMap({ player.play($0) }) {
            for unmet in row.unmet { Issue.record("\(name):\(row.line ?? 0): \(unmet)") }
        }
    }

    @Test(arguments: files)
    func `a session comes back from its stored form as it was after every step`(
        _ name: String
    ) throws {
        let bytes = try FileText.read("\(Self.folder)/\(name)", limit: 1 << 20)
        let file = try ReplayFile(name: name, bytes: bytes)
        var player = TranscriptPlayer(policy: try file.policy(configuration: nil), isStrict: true)
        var mirror = try StoredMirror()
        for (index, step) in file.transcript.steps.enumerated() {
            _ = player.play(step)
            try mirror.fold(player.viewing)
            try mirror.check("\(name), step \(index + 1)")
        }
    }

    @Test func `there are transcripts`() {
        #expect(Self.files.count > 100)
    }
}
