import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
    /// A session `a` at revision 6 with a window of four, and its epoch.
    private func prepare(_ server: TestServer) throws -> (client: RawClient, epoch: String) {
        let client = try RawClient(port: server.port, device: "tablet")
        let epoch = try client.subscribe("a").result["epoch"]?.string ?? ""
        for stake in 1...6 {
            try client.apply(#"{"type":"betslip.update","stake":\#(stake)}"#, to: "a")
        }
        return (client, epoch)
    }

    private func recover(
        _ server: TestServer, epoch: String, offset: UInt64, flag: Int = 0
    ) throws -> Answer {
        let client = try RawClient(port: server.port, device: "tv")
        return try client.subscribe(
            "a", #","recover":true,"epoch":"\#(epoch)","offset":\#(offset),"flag":\#(flag)"#)
    }

    @Test(
        arguments: [(2, [3, 4, 5, 6]), (3, [4, 5, 6]), (5, [6]), (6, [])] as [(UInt64, [UInt64])])
    func `a position in the window brings exactly what was missed`(
        offset: UInt64, missed: [UInt64]
    ) async throws {
        try await withServer {
            $0.session.historySize = 4
        } _: { server in
            let (_, epoch) = try prepare(server)
            let result = try recover(server, epoch: epoch, offset: offset).result
            #expect(result["recovered"]?.bool == true)
            #expect(result["was_recovering"]?.bool == true)
            #expect(result["epoch"]?.string == epoch)
            #expect(result.unsigned("offset") == offset)
            #expect(result["data"] == nil)
            let publications = result["publications"]?.array ?? []
            #expect(publications.map { $0.unsigned("offset") } == missed)
            #expect(publications.map { $0.unsigned("data", "rev") } == missed)
        }
    }

    @Test(
        arguments: [(nil, 1), (nil, 0), (nil, 7), (nil, .max), ("other", 6), ("", 6)]
            as [(String?, UInt64)])
    func `a position that cannot be recovered brings the state, or error 112 if asked for`(
        otherEpoch: String?, offset: UInt64
    ) async throws {
        try await withServer {
            $0.session.historySize = 4
        } _: { server in
            let (_, epoch) = try prepare(server)
            let wanted = otherEpoch ?? epoch
            let result = try recover(server, epoch: wanted, offset: offset).result
            #expect(result["recovered"] == nil)
            #expect(result["was_recovering"]?.bool == true)
            #expect(result["epoch"]?.string == epoch)
            #expect(result.unsigned("offset") == 6)
            #expect(result["publications"] == nil)
            #expect(result.unsigned("data", "rev") == 6)
            #expect(result.at("data", "state", "betslip", "stake") == "6")
            #expect(try recover(server, epoch: wanted, offset: offset, flag: 2).code == 112)
        }
    }

    @Test func `error 112 leaves no subscription behind`() async throws {
        try await withServer { server in
            let (client, _) = try prepare(server)
            let refused = try RawClient(port: server.port, device: "tv")
            let wish = #","recover":true,"epoch":"other","offset":1,"flag":2"#
            #expect(try refused.subscribe("a", wish).code == 112)
            try client.apply(#"{"type":"betslip.update","stake":7}"#, to: "a")
            #expect(
                try client.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 1, "num_users": 1]))
            // Without a publication in between, and not "already subscribed".
            #expect(try refused.subscribe("a").result.unsigned("offset") == 7)
        }
    }

    @Test func `a tail that is too large is a snapshot`() async throws {
        try await withServer {
            $0.session.recoveryBytes = 300
        } _: { server in
            let (_, epoch) = try prepare(server)
            let small = try recover(server, epoch: epoch, offset: 5).result
            #expect(small["recovered"]?.bool == true)
            let large = try recover(server, epoch: epoch, offset: 1).result
            #expect(large["recovered"] == nil)
            #expect(large.unsigned("data", "rev") == 6)
        }
    }

    @Test func `a recovered mirror goes on without gap or repeat`() async throws {
        try await withServer { server in
            let sender = try RawClient(port: server.port, device: "tablet")
            let mirror = try RawClient(port: server.port, device: "tv")
            var folded = try FoldedMirror(subscribed: mirror.subscribe("a").result)
            try sender.apply(#"{"type":"betslip.update","stake":1}"#, to: "a")
            try folded.take(publication: try mirror.push().payload)
            mirror.abort()
            try sender.apply(#"{"type":"betslip.update","stake":2}"#, to: "a")
            try sender.apply(#"{"type":"fullscreen.toggle"}"#, to: "a")

            let again = try RawClient(port: server.port, device: "tv")
            let position = #","recover":true,"epoch":"\#(folded.epoch)","offset":1"#
            let result = try again.subscribe("a", position).result
            for publication in result["publications"]?.array ?? [] {
                try folded.take(publication: publication)
            }
            #expect(folded.revision == 3)
            try sender.apply(#"{"type":"betslip.update","stake":3}"#, to: "a")
            try folded.take(publication: try again.push().payload)
            #expect(try sender.rpc("session.state", "a").result["state"] == folded.state)
        }
    }
}
