import Coordinator
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConversationTests {
    @Test func `the first subscribe makes a session and brings its state`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let connected = try client.call(#""connect":{"data":{"device":"tv"}}"#).result
            #expect(connected["client"]?.string?.utf8.count == 36)
            #expect(connected.unsigned("ping") == 25)
            #expect(connected["pong"]?.bool == true)

            let result = try client.subscribe("a").result
            #expect(result["epoch"]?.string?.isEmpty == false)
            #expect(result.unsigned("offset") == 0)
            #expect(result["recoverable"]?.bool == true)
            #expect(result["positioned"]?.bool == true)
            #expect(result["recovered"] == nil)
            #expect(result.at("data", "rev") == 0)
            #expect(result.at("data", "state", "player", "phase") == "idle")
            #expect(await server.activeSessions == 1)
        }
    }
}
