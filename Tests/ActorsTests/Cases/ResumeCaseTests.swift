import Actors
import Coordinator
import TestSupport
import Testing

/// Trouble with coming back, by the numbers of Docs/Cases.md.
@Suite(.timeLimit(.minutes(5)))
struct ResumeCaseTests {
    private func stake(_ value: Int) -> String {
        #"{"type":"betslip.update","stake":\#(value)}"#
    }

    private func stakes(_ values: ClosedRange<Int>, by client: RawClient) throws {
        for value in values { #expect(try client.apply(stake(value), to: "a").code == nil) }
    }

    /// Follows the session again from a position.
    private func resume(
        _ client: RawClient, epoch: String, offset: UInt64
    ) throws -> JSON {
        try client.subscribe(
            "a", #","recover":true,"epoch":"\#(epoch)","offset":\#(offset)"#
        ).result
    }

    /// The revision that is published next.
    private func sessionPush(_ client: RawClient) throws -> UInt64? {
        while true {
            let push = try client.push()
            if push.channel == "session:a" { return push.payload.unsigned("offset") }
        }
    }

    private func offsets(_ result: JSON) -> [UInt64] {
        (result["publications"]?.array ?? []).compactMap { $0.unsigned("offset") }
    }

    @Test func `C39: after an absence it is plain whether something was missed`() async throws {
        try await withServer {
            $0.session.historySize = 100
            $0.server.client.eventsPerSecond = 10_000
        } _: { server in
            let sender = try RawClient(port: server.port, device: "tablet")
            try sender.subscribe("a")
            try stakes(1...50, by: sender)
            let first = try RawClient(port: server.port, device: "tv")
            let start = try first.subscribe("a").result
            let epoch = start["epoch"]?.string ?? ""
            #expect(start.unsigned("offset") == 50)
            #expect(start["was_recovering"] == nil)
            first.abort()

            try stakes(51...57, by: sender)
            let second = try RawClient(port: server.port, device: "tv")
            let short = try resume(second, epoch: epoch, offset: 50)
            #expect(short["recovered"]?.bool == true)
            #expect(short["was_recovering"]?.bool == true)
            #expect(offsets(short) == Array(51...57))
            #expect(short["data"] == nil)
            second.abort()

            try stakes(58...177, by: sender)
            let third = try RawClient(port: server.port, device: "tv")
            let long = try resume(third, epoch: epoch, offset: 57)
            #expect(long["recovered"] == nil)
            #expect(long["was_recovering"]?.bool == true)
            #expect(long["publications"] == nil)
            #expect(long.unsigned("data", "rev") == 177)
            #expect(long.at("data", "state", "betslip", "stake") == "177")
            third.abort()

            let fourth = try RawClient(port: server.port, device: "tv")
            let none = try resume(fourth, epoch: epoch, offset: 177)
            #expect(none["recovered"]?.bool == true)
            #expect(none["was_recovering"]?.bool == true)
            #expect(none["data"] == nil && none["publications"] == nil)
            try stakes(178...178, by: sender)
            #expect(try fourth.push().payload.unsigned("offset") == 178)
        }
    }

    @Test func `C41: silence costs no recovery, nor do a thousand busy sessions`() throws {
        let rig = try StoreRig()
        let silent = try StoreRig.id("silent")
        let early = rig.peer()
        let start = try rig.subscribe(early, to: silent).answer
        #expect(start?.unsigned("offset") == 0)
        let begin = StreamPosition(epoch: start?.at("epoch")?.string ?? "", offset: 0)
        #expect(!begin.epoch.isEmpty)
        rig.loop.advance(byMilliseconds: 3000)
        rig.system.connectionLost(early.number, following: [silent])
        rig.loop.advance(byMilliseconds: 2000)
        let again = try rig.subscribe(rig.peer(), to: silent, since: begin).answer
        #expect(again?["recovered"]?.bool == true)
        #expect(again?.unsigned("offset") == 0)
        #expect(again?["data"] == nil && again?["publications"] == nil)

        // Three hours without a word, while others talk; the replay window is of ten minutes.
        let follower = rig.peer()
        try rig.subscribe(follower, to: silent)
        try rig.stakes(0..<1, to: silent, by: follower)
        let position = try rig.position(of: silent)
        let writer = rig.peer()
        let others = try (0..<1000).map { try StoreRig.id("busy-\($0)") }
        for hour in 0..<3 {
            for other in others {
                rig.post(
                    writer, 1, .subscribe(SessionCall.Subscription()), to: other, creates: true)
                let event: JSON = ["type": "betslip.update", "stake": .string("\(hour + 1)")]
                rig.post(
                    writer, 2,
                    .apply(SessionCall.Application(event: JSONDocument(root: event))), to: other)
            }
            // Of each session a subscription, a revision and an answer.
            rig.hear(3000, by: [writer])
            rig.settle()
            rig.loop.advance(byMilliseconds: 3_600_000)
        }
        rig.rest()
        rig.system.connectionLost(follower.number, following: [silent])
        rig.loop.advance(byMilliseconds: 10_000)
        let late = try rig.subscribe(rig.peer(), to: silent, since: position).answer
        #expect(late?["recovered"]?.bool == true)
        #expect(late?.unsigned("offset") == 1)
        #expect(late?["data"] == nil && late?["publications"] == nil)
        rig.close()
    }

    @Test func `C42: a device that is back takes the place of its half-open self, every time`()
        async throws
    {
        try await withServer { server in
            let old = try RawClient(port: server.port, device: "phone")
            let epoch = try old.subscribe("a").result["epoch"]?.string ?? ""
            #expect(try old.attach("a").code == nil)
            // It does not read any more. The same device is back, in the background of that.
            let new = try RawClient(port: server.port, device: "phone")
            let back = try resume(new, epoch: epoch, offset: 1)
            #expect(back["recovered"]?.bool == true && offsets(back) == [])
            #expect(try new.attach("a").code == nil)
            // A frame of the old connection comes late, and twice the new one asks for what it has.
            old.send(RawClient.late)
            #expect(try new.subscribe("a").code == 105)
            #expect(try new.attach("a").code == 105)
            let (lines, end) = old.rest()
            #expect(lines.last == #"{"push":{"disconnect":{"code":3503,"reason":"replaced"}}}"#)
            #expect(!lines.contains { $0.contains("\"id\":77") })
            #expect(end == .ended)
            old.close()
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
            #expect(
                try new.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 1, "num_users": 1]))
            // The return asked for a report, which is revision 2. A second subscription would bring
            // each revision twice, and the late frame would have made one more.
            #expect(try new.apply(stake(1), to: "a") == .result(["rev": 3]))
            #expect(try sessionPush(new) == 2)
            #expect(try sessionPush(new) == 3)

            var present = new
            for round in 1...20 {
                let sent =
                    try present.apply(stake(100 + round), to: "a").result.unsigned("rev") ?? 0
                present.abort()
                present = try RawClient(port: server.port, device: "phone")
                let result = try resume(present, epoch: epoch, offset: sent - 1)
                #expect(result["recovered"]?.bool == true, "round \(round)")
                // The loss of the stage may have made one more.
                let missed = offsets(result)
                #expect(missed == [sent] || (round == 1 && missed == [sent, sent + 1]))
                #expect(await server.settled(1) { await $0.connectionCount } == 1)
            }
        }
    }
}

extension RawClient {
    /// What the old connection sends when nobody counts on it any more.
    fileprivate static let late =
        #"{"id":77,"rpc":{"method":"session.apply","data":{"session":"a","event":"#
        + #"{"type":"fullscreen.toggle"}}}}"#
}
