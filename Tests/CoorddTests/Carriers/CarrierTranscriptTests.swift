import Actors
import Coordinator
import TestSupport
import Testing
import coordd

/// Golden transcripts over every carrier, with TLS and without, on one event loop and on two: the same
/// answers, publications and effects.
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

    /// Whether each transcript is played over every carrier, as by `make carriers`; else over lines
    /// and one other, in turn, which takes a third of the time.
    private static let isWhole = ProcessFacts.environment["COORDD_EVERY_CARRIER"] != nil

    /// Transcripts that are under way at a time; those with timers only wait.
    private static let width = 12

    private static func kinds(_ index: Int) -> [CarrierKind] {
        let all = CarrierKind.all
        return isWhole ? all : [all[0], all[1 + index % (all.count - 1)]]
    }

    /// How many event loops the server has: in turn one and two, or both.
    private static func loops(_ index: Int) -> [Int] {
        isWhole ? [1, 2] : [1 + index % 2]
    }

    @Test func `the same comes of every transcript over every carrier`() async throws {
        let certificates = try TestFolder()
        try certificates.write(Array(TestCertificates.chain.utf8), to: "chain")
        try certificates.write(Array(TestCertificates.key.utf8), to: "key")
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
                group.addTask {
                    for loops in Self.loops(index) {
                        try await check(file, Self.kinds(index), certificates, loops: loops)
                    }
                }
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

    private func check(
        _ file: ReplayFile, _ kinds: [CarrierKind], _ certificates: TestFolder, loops: Int
    ) async throws {
        let policy = try file.policy(configuration: nil)
        let plays = try await withServer {
            $0.loops = loops
            $0.session.policy = policy
            $0.server.client.eventsPerSecond = 100_000
            $0.tls = TLSFiles(
                certificate: certificates.file("chain"), key: certificates.file("key"))
        } _: { server in
            await withTaskGroup(of: (Int, CarrierPlay).self) { group in
                for (index, kind) in kinds.enumerated() {
                    group.addTask {
                        let others = kinds.indices.dropFirst().prefix(2).map {
                            kinds[(index + $0) % kinds.count]
                        }
                        let play = await server.play(
                            file.transcript, over: kind, followedOver: others,
                            name: "play-\(index)")
                        return (index, play)
                    }
                }
                var plays: [(Int, CarrierPlay)] = []
                for await play in group { plays.append(play) }
                return plays.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
        for play in plays {
            #expect(play.failure == nil, "\(file.name)")
            for row in play.rows where !row.unmet.isEmpty {
                Issue.record("\(file.name):\(row.line ?? 0): \(row.unmet)")
            }
            // Followers came before the watcher, so they heard all that it heard, byte for byte.
            #expect(play.rows.count > 0 && play.followers.count == min(2, kinds.count - 1))
            for (kind, heard) in play.followers {
                if let difference = difference(heard, play.watched) {
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
