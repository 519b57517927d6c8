import Actors
import Coordinator
import TestSupport
import Testing

/// Connections that overflow in the middle of what a session says to them.
@Suite(.timeLimit(.minutes(5)))
struct OverflowTests {
    /// Bytes of the lines that a first subscriber with `join_leave` gets: its answer and its join.
    private func measure() async throws -> (answer: Int, join: Int) {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            client.begin(#""subscribe":{"channel":"session:a","join_leave":true}"#)
            return (try client.lineBytes().count + 1, try client.lineBytes().count + 1)
        }
    }

    /// What is left of a session after its only subscriber overflowed.
    private func expectDropped(outboundBytes: Int) async throws {
        try await withServer {
            $0.server.outboundBytes = outboundBytes
        } _: { server in
            let dropped = try RawClient(port: server.port, device: "tv")
            dropped.begin(#""subscribe":{"channel":"session:a","join_leave":true}"#)
            #expect([.reset, .ended].contains(dropped.rest().end))
            let other = try RawClient(port: server.port, device: "phone")
            #expect(
                try other.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 0, "num_users": 0]))
            #expect(
                try other.apply(#"{"type":"fullscreen.toggle"}"#, to: "a") == .result(["rev": 1]))
            #expect(await server.connectionCount == 1)
        }
    }

    @Test func `a subscriber whose answer does not fit is not left in the presence`() async throws {
        let (answer, _) = try await measure()
        try await expectDropped(outboundBytes: answer - 1)
    }

    @Test func `a subscriber whose own join does not fit is not left in the presence`()
        async throws
    {
        let (answer, join) = try await measure()
        try await expectDropped(outboundBytes: answer + join - 1)
    }

    /// Closes a session behind three events, whose outputs all leave at once; gives whether the
    /// closer heard the end of it.
    private func close(outboundBytes: Int) async throws -> Bool {
        try await withServer {
            $0.server.outboundBytes = outboundBytes
        } _: { server in
            let other = try RawClient(port: server.port, device: "other")
            let phone = try RawClient(port: server.port, device: "phone")
            try phone.subscribe("a")
            try phone.attach("a")
            let event = RawClient.applying(#"{"type":"betslip.cancel"}"#, to: "a")
            let again = RawClient.applying(#"{"type":"betslip.update","stake":1}"#, to: "a")
            let close = #""rpc":{"method":"session.close","data":{"session":"a"}}"#
            phone.send("{\"id\":11,\(event)}\n{\"id\":12,\(again)}\n{\"id\":13,\(close)}")
            phone.endSending()
            let heard = phone.rest().lines.contains { $0.hasPrefix("{\"id\":13,") }
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
            #expect(await server.activeSessions == 0)
            #expect(try other.rpc("session.state", "a").code == 102)
            return heard
        }
    }

    @Test func `wherever a subscriber overflows as its session ends, nobody is harmed`()
        async throws
    {
        let (answer, _) = try await measure()
        var heard: [Bool] = []
        for bytes in stride(from: answer, to: answer + 900, by: 30) {
            heard.append(try await close(outboundBytes: bytes))
        }
        // The bounds lie on both sides of what there is to say.
        #expect(heard.first == false)
        #expect(heard.last == true)
    }
}
