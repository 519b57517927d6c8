import Actors
import Coordinator
import TestSupport
import Testing
import coordd

/// Every golden transcript over every carrier: the same answers, publications and effects.
@Suite(.timeLimit(.minutes(10)))
struct CarrierTranscriptTests {
    /// What cannot be played over the wire.
    private static func reason(_ transcript: Transcript, _ name: String) -> String? {
        if transcript.steps.contains(where: { $0.role == .api }) {
            return "a step of the HTTP API"
        }
        // Its deaths of the web process lie more than a minute apart.
        return name == "events-terminated-spread.jsonl" ? "it takes minutes" : nil
    }

    /// Transcripts that are under way at a time; most only wait.
    private static let width = 24

    @Test func `the same comes of every transcript over every carrier`() async throws {
        // Those that wait longest for timers go first.
        let files = try GoldenTranscriptTests.files.map { name in
            let bytes = try FileText.read("\(GoldenTranscriptTests.folder)/\(name)", limit: 1 << 20)
            return try ReplayFile(name: name, bytes: bytes)
        }.sorted { $0.timerMilliseconds > $1.timerMilliseconds }
        let playable = files.filter { Self.reason($0.transcript, $0.name) == nil }
        #expect(playable.count > 380 && files.count - playable.count <= 6)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, file) in playable.enumerated() {
                if index >= Self.width { try await group.next() }
                group.addTask { try await check(file) }
            }
            try await group.waitForAll()
        }
    }

    private func check(_ file: ReplayFile) async throws {
        let policy = try file.policy(configuration: nil)
        let plays = try await withServer {
            $0.session.policy = policy
            $0.server.client.eventsPerSecond = 100_000
        } _: { server in
            async let line = server.play(file.transcript, over: .line, name: "one")
            async let json = server.play(file.transcript, over: .webSocketJSON, name: "two")
            async let binary = server.play(
                file.transcript, over: .webSocketProtobuf, name: "three")
            return await [line, json, binary]
        }
        for play in plays {
            #expect(play.end.failure == nil, "\(file.name)")
            for row in play.rows where !row.unmet.isEmpty {
                Issue.record("\(file.name):\(row.line ?? 0): \(row.unmet)")
            }
            // Followers came before the watcher, so they heard all that it heard, byte for byte.
            for (kind, heard) in play.followers where heard != play.followers[.line] {
                Issue.record("\(file.name): \(kind) heard \(heard)")
            }
        }
        for play in plays.dropFirst() {
            #expect(play.rows == plays[0].rows, "\(file.name)")
            #expect(play.end == plays[0].end, "\(file.name)")
            for (heard, expected) in zip(play.heard, plays[0].heard) where heard != expected {
                Issue.record("\(file.name): heard \(heard), expected \(expected)")
            }
            #expect(play.heard.count == plays[0].heard.count, "\(file.name)")
        }
    }
}

extension ReplayFile {
    /// How long its timers are waited for.
    fileprivate var timerMilliseconds: Int64 {
        let steps = transcript.steps
        return zip(steps, steps.dropFirst()).reduce(0) { sum, pair in
            guard case .expire = pair.1.action else { return sum }
            return sum + max(0, pair.1.at.milliseconds - pair.0.at.milliseconds)
        }
    }
}
