import Actors
import Coordinator
import TestSupport
import Testing
import coordd

/// Every golden transcript over every carrier: the same answers, publications and effects.
@Suite(.timeLimit(.minutes(10)))
struct CarrierTranscriptTests {
    /// What cannot be played over the wire, and why.
    private static let unplayable = [
        "events-terminated-spread.jsonl": "minutes between deaths of the web process",
        "place-forgotten.jsonl": "a day until a placement is forgotten",
        "place-offered-to-new-stage.jsonl": "timers whose order is that of the steps' own times",
    ]

    private static func isPlayable(_ file: ReplayFile) -> Bool {
        // The HTTP API's steps are not played by connections.
        unplayable[file.name] == nil && !file.transcript.steps.contains { $0.role == .api }
    }

    /// Transcripts that are under way at a time; most only wait.
    private static let width = 24

    @Test func `the same comes of every transcript over every carrier`() async throws {
        // Those that wait longest for timers go first.
        let files = try GoldenTranscriptTests.files.map { name in
            let bytes = try FileText.read("\(GoldenTranscriptTests.folder)/\(name)", limit: 1 << 20)
            return try ReplayFile(name: name, bytes: bytes)
        }.sorted { $0.timerMilliseconds > $1.timerMilliseconds }
        let playable = files.filter(Self.isPlayable)
        #expect(playable.count > 380 && files.count - playable.count <= 7)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, file) in playable.enumerated() {
                if index >= Self.width { try await group.next() }
                group.addTask { try await check(file) }
            }
            try await group.waitForAll()
        }
    }

    /// Where two lists differ first; nil when they are equal.
    private func difference(_ heard: [String], _ expected: [String]) -> String? {
        guard heard != expected else { return nil }
        let index = zip(heard, expected).prefix { $0 == $1 }.count
        let there = index < heard.count ? heard[index] : "nothing"
        return "\(index): \(there) instead of "
            + (index < expected.count ? expected[index] : "nothing")
    }

    private func check(_ file: ReplayFile) async throws {
        let policy = try file.policy(configuration: nil)
        let plays = try await withServer {
            $0.session.policy = policy
            $0.server.client.eventsPerSecond = 100_000
        } _: { server in
            async let line = server.play(file.transcript, over: .line, name: "play-one")
            async let json = server.play(file.transcript, over: .webSocketJSON, name: "play-two")
            async let binary = server.play(
                file.transcript, over: .webSocketProtobuf, name: "play-three")
            return await [line, json, binary]
        }
        for play in plays {
            #expect(play.failure == nil, "\(file.name)")
            for row in play.rows where !row.unmet.isEmpty {
                Issue.record("\(file.name):\(row.line ?? 0): \(row.unmet)")
            }
            // Followers came before the watcher, so they heard all that it heard, byte for byte.
            #expect(play.rows.count > 0 && play.followers.count == 3)
            for (kind, heard) in play.followers {
                if let difference = difference(heard, play.followers[.line] ?? []) {
                    Issue.record("\(file.name): \(kind) follows: \(difference)")
                }
            }
        }
        for play in plays.dropFirst() {
            #expect(play.rows == plays[0].rows, "\(file.name)")
            #expect(play.state == plays[0].state, "\(file.name)")
            for (heard, expected) in zip(play.heard, plays[0].heard) {
                if let difference = difference(heard, expected) {
                    Issue.record("\(file.name): \(difference)")
                }
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
