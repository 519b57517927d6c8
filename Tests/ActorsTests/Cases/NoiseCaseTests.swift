import Actors
import Coordinator
import TestSupport
import Testing

/// C60 of Docs/Cases.md: one noisy client, its neighbours, the metrics and the log.
@Suite(.timeLimit(.minutes(5)))
struct NoiseCaseTests {
    private static let neighbours = 50
    private static let rounds = 100
    private static let toggles = 100

    /// The names of all series, without their values.
    private func series(_ server: TestServer) throws -> [String] {
        try PrometheusText(RawClient(port: server.port).get("/metrics").body).series
    }

    @Test func `C60: a noisy client is refused, hurts nobody and leaves no series behind`()
        async throws
    {
        let sink = MemoryLogSink()
        let seconds = try await withServer {
            $0.server.client.eventsPerSecond = 20
            $0.sink = sink
        } _: { server in
            let noisy = try RawClient(port: server.port, device: "noisy")
            try noisy.subscribe("noisy")
            #expect(try noisy.attach("noisy").code == nil)
            let others = try (0..<Self.neighbours).map { index in
                let other = try RawClient(port: server.port, device: "other-\(index)")
                try other.subscribe("s\(index)")
                return other
            }
            // One event and one refusal of each kind were seen before.
            try others[0].apply(#"{"type":"fullscreen.toggle"}"#, to: "s0")
            let before = try series(server)
            let start = ContinuousClock.now
            var accepted = 0
            var last: (revision: UInt64, isFullscreen: Bool)?
            for round in 0..<Self.rounds {
                var ids: Set<UInt32> = []
                for index in 0..<Self.toggles {
                    let number = round * Self.toggles + index
                    ids.insert(
                        noisy.begin(
                            RawClient.applying(#"{"type":"fullscreen.toggle"}"#, to: "noisy")))
                    ids.insert(
                        noisy.begin(
                            RawClient.applying(
                                #"{"type":"bridge","handler":"page-\#(number)","#
                                    + #""body":{"event":"e\#(number)"}}"#, to: "noisy")))
                }
                // A neighbour now and then, whose events are all taken.
                let other = round % Self.neighbours
                let result = try others[other].apply(
                    #"{"type":"fullscreen.toggle"}"#, to: "s\(other)")
                #expect(result.code == nil)
                while !ids.isEmpty {
                    switch try noisy.message() {
                    case .reply(let id, _, _):
                        #expect(ids.remove(id) != nil)
                        accepted += 1
                    case .failure(let id, let error):
                        #expect(ids.remove(id) != nil)
                        #expect(error.code == 111)
                    case .push(_, "pub", let publication):
                        // Signals have no offset, and a stage's effects are of another shape.
                        if let revision = publication.unsigned("data", "rev"),
                            let mode = publication.at("data", "patch", "presentation", "mode")
                        {
                            last = (revision, mode.string == "fullscreen")
                        }
                    case .ping: noisy.send("{}")
                    case .push: break
                    }
                }
            }
            let seconds = (ContinuousClock.now - start).components.seconds
            #expect(accepted >= 40, "the burst alone is twice the rate")
            #expect(accepted <= 40 + 20 * (Int(seconds) + 1))
            let state = try others[0].rpc("session.state", "noisy").result
            let mode = try #require(state.at("state", "presentation", "mode")?.string)
            #expect((mode == "fullscreen") == last?.isFullscreen)
            #expect(try series(server) == before)
            return seconds
        }
        // A line a second at most for whatever a client can cause, at the levels of a shipped daemon.
        let lines = await sink.finish().filter { $0.level >= .info }
        #expect(lines.count <= Int(seconds) + 2, "\(lines)")
    }
}
