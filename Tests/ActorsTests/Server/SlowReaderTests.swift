import Actors
import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SlowReaderTests {
    private static let outboundBytes = 65_536
    /// More signals than the kernel's buffers of one connection can hold.
    private static let signalLimit = 2000

    /// Clogs the connections that read nothing until the mirror has seen `count` devices leave.
    private func clog(
        until count: Int, _ phone: RawClient, _ mirror: RawClient, signalBytes: Int
    ) throws -> (signals: Int, left: Set<String>) {
        let padding = String(repeating: "x", count: signalBytes)
        let event = #"{"type":"bridge","handler":"page","body":"\#(padding)"}"#
        var left: Set<String> = []
        var signals = 0
        while left.count < count, signals < Self.signalLimit {
            let id = phone.begin(RawClient.applying(event, to: "a"))
            signals += 1
            var seen = false
            while !seen {
                let push = try mirror.push()
                switch push.kind {
                case "leave":
                    left.insert(push.payload.at("info", "chan_info", "device")?.string ?? "")
                case "pub" where push.payload["offset"] == nil: seen = true
                default: break
                }
            }
            #expect(try phone.rpcAnswer(id).code == nil)
        }
        // The last signal's own answer may have come before the leave that it caused.
        while left.count < count {
            guard case .leave(let device) = try mirrorEvent(mirror) else { continue }
            left.insert(device)
        }
        return (signals, left)
    }

    private enum MirrorEvent { case leave(String), other }

    private func mirrorEvent(_ mirror: RawClient) throws -> MirrorEvent {
        let push = try mirror.push()
        guard push.kind == "leave" else { return .other }
        return .leave(push.payload.at("info", "chan_info", "device")?.string ?? "")
    }

    @Test func `a mirror that reads nothing is reset, the others get everything`() async throws {
        try await withServer {
            $0.server.outboundBytes = Self.outboundBytes
        } _: { server in
            let phone = try RawClient(port: server.port, device: "phone")
            let mirror = try RawClient(port: server.port, device: "tv")
            let slow = try RawClient(port: server.port, device: "slow", receiveBytes: 4096)
            let halfOpen = try RawClient(port: server.port, device: "half", receiveBytes: 4096)
            let hostile = try RawClient(port: server.port, device: "hostile")
            let epoch = try slow.subscribe("a").result["epoch"]?.string ?? ""
            try halfOpen.subscribe("a")
            try phone.attach("a")
            try mirror.subscribe("a", #","join_leave":true"#)
            #expect(try mirror.push().kind == "join")
            hostile.send("{\"id\":2,")

            let (signals, left) = try clog(until: 2, phone, mirror, signalBytes: 60_000)
            #expect(signals < Self.signalLimit)
            #expect(left == ["slow", "half"])
            #expect(hostile.rest().end == .ended)
            hostile.close()
            #expect(await server.settled(2) { await $0.connectionCount } == 2)

            // Whole lines only, and then the reset: no push can follow half a line.
            let (lines, end) = slow.rest()
            #expect(end == .reset)
            #expect(lines.allSatisfy { $0.hasPrefix("{\"push\":{") && $0.hasSuffix("}}") })
            slow.close()

            try mirror.apply(#"{"type":"fullscreen.toggle"}"#, to: "a")
            let again = try RawClient(port: server.port, device: "slow")
            let position = #","recover":true,"epoch":"\#(epoch)","offset":0"#
            let result = try again.subscribe("a", position).result
            #expect(result["recovered"]?.bool == true)
            let tail = result["publications"]?.array?.map { $0.unsigned("offset") }
            // The stage was attached, then full screen.
            #expect(tail == [1, 2])
            try mirror.apply(#"{"type":"fullscreen.toggle"}"#, to: "a")
            #expect(try again.push().payload.unsigned("offset") == 3)
        }
    }

    @Test func `a slow reader whose revisions are gone gets the state`() async throws {
        try await withServer {
            $0.server.outboundBytes = 2000
            $0.session.historySize = 2
        } _: { server in
            let slow = try RawClient(port: server.port, device: "slow", receiveBytes: 4096)
            let epoch = try slow.subscribe("a").result["epoch"]?.string ?? ""
            // What waits for a commit is answered in one turn, before anything is written.
            let event = RawClient.applying(#"{"type":"betslip.update","stake":9}"#, to: "a")
            let state = #""rpc":{"method":"session.state","data":{"session":"a"}}"#
            let questions = (10..<20).map { "{\"id\":\($0),\(state)}" }
            slow.send((["{\"id\":9,\(event)}"] + questions).joined(separator: "\n"))
            #expect(slow.rest().end == .reset)
            slow.close()
            let other = try RawClient(port: server.port, device: "tv")
            for stake in 1...3 {
                try other.apply(#"{"type":"betslip.update","stake":\#(stake)}"#, to: "a")
            }
            let again = try RawClient(port: server.port, device: "slow")
            let position = #","recover":true,"epoch":"\#(epoch)","offset":0"#
            let result = try again.subscribe("a", position).result
            #expect(result["recovered"] == nil)
            #expect(result.unsigned("data", "rev") == 4)
            #expect(result.at("data", "state", "betslip", "stake") == "3")
        }
    }
}
