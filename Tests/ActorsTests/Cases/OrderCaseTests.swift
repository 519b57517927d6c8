import Actors
import Coordinator
import TestSupport
import Testing

/// C59 of Docs/Cases.md: nothing that a connection or a session does overtakes what came before.
@Suite(.timeLimit(.minutes(5)))
struct OrderCaseTests {
    private static let rounds = 34
    private static let eventsPerRound = 100

    /// What a publication says of its event: the place, the device and the event's number.
    private struct Seen: Equatable {
        var offset: UInt64
        var device: String
        var number: UInt64
    }

    /// Sends a round of events with other questions among them; gives the ids of all.
    private func send(_ round: Int, by device: Int, _ client: RawClient) -> [UInt32] {
        var ids: [UInt32] = []
        for index in 0..<Self.eventsPerRound {
            let number = round * Self.eventsPerRound + index
            // No two stakes are equal, so each is a revision; the last digit is the device.
            let event = #"{"type":"betslip.update","stake":\#(number + 1)\#(device)}"#
            ids.append(client.begin(RawClient.applying(event, to: "a")))
            switch index % 20 {
            case 5: ids.append(client.begin(#""presence_stats":{"channel":"session:a"}"#))
            case 15: ids.append(client.begin(#""history":{"channel":"session:a"}"#))
            default: break
            }
        }
        return ids
    }

    /// Reads until a round of all three is here: the answers' ids in their order, and what was seen.
    private func read(
        _ client: RawClient, answers: Int
    ) throws -> (answers: [UInt32], revisions: [UInt64], seen: [Seen]) {
        var ids: [UInt32] = []
        var revisions: [UInt64] = []
        var seen: [Seen] = []
        while ids.count < answers || seen.count < 3 * Self.eventsPerRound {
            switch try client.message() {
            case .reply(let id, _, let result):
                ids.append(id)
                if let revision = result.unsigned("data", "rev") { revisions.append(revision) }
            case .push(_, "pub", let publication):
                let stake = try #require(publication.at("data", "event", "stake")?.number?.unsigned)
                seen.append(
                    Seen(
                        offset: try #require(publication.unsigned("offset")),
                        device: publication.at("data", "by", "device")?.string ?? "",
                        number: stake))
            case let other: throw RawClient.Failure.unexpected("\(other)")
            }
        }
        return (ids, revisions, seen)
    }

    @Test func `C59: ten thousand events of three connections are handled in their order`()
        async throws
    {
        try await withServer {
            $0.server.client.eventsPerSecond = 1_000_000
            $0.server.client.pingSeconds = 3600
        } _: { server in
            let clients = try (1...3).map { device in
                let client = try RawClient(port: server.port, device: "device-\(device)")
                try client.subscribe("a")
                return client
            }
            var last: UInt64 = 0
            var lastNumbers: [String: UInt64] = [:]
            for round in 0..<Self.rounds {
                let sent = clients.indices.map { send(round, by: $0 + 1, clients[$0]) }
                var order: [Seen] = []
                for (index, client) in clients.enumerated() {
                    let (answers, revisions, seen) = try read(client, answers: sent[index].count)
                    #expect(answers == sent[index])
                    // Each answer names the revision under which everybody sees the event.
                    let own = seen.filter { $0.device == "device-\(index + 1)" }
                    #expect(revisions == own.map(\.offset))
                    if order.isEmpty { order = seen }
                    #expect(order == seen)
                }
                for item in order {
                    #expect(item.offset == last + 1)
                    last = item.offset
                    #expect(item.number > lastNumbers[item.device, default: 0])
                    lastNumbers[item.device] = item.number
                }
            }
            #expect(last == UInt64(3 * Self.rounds * Self.eventsPerRound))
        }
    }

    @Test func `C59: a slow disk lets nothing overtake, and holds no other session up`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("OrderCaseTests seed \(seed)")
        var random = SplitMix(seed: seed)
        let rig = try GateRig()
        let (phone, mirror) = rig.opened()
        var sent: UInt32 = 2
        var answered: [UInt32] = []
        var seen: [UInt64] = []
        func listen() throws {
            for line in try phone.heard().outline() {
                if line.hasSuffix(" rpc") { answered.append(UInt32(line.dropLast(4)) ?? 0) }
            }
            for line in try mirror.heard().outline() where line.hasPrefix("session:a ") {
                seen.append(UInt64(line.dropFirst(10)) ?? 0)
            }
        }
        for _ in 0..<1000 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                sent += 1
                rig.apply(phone, sent, ["type": "betslip.update", "stake": .integer(sent)])
            }
            if Bool.random(using: &random) { rig.settle(Int.random(in: 0...4, using: &random)) }
            try listen()
        }
        rig.settle()
        try listen()
        #expect(answered == Array(3...sent))
        // The stage's attach was revision 1.
        #expect(seen == Array(2...UInt64(sent - 1)))
    }

    @Test func `C59: while one session waits for the disk others are served`() throws {
        let rig = try GateRig()
        let (phone, _) = rig.opened()
        rig.apply(phone, 3, ["type": "betslip.update", "stake": 3])
        let other = rig.peer(7)
        let caller = Caller(connection: 7, client: "c7", device: "device-7", role: .mirror)
        let session = try #require(SessionID("b"))
        rig.system.deliver(
            SessionRequest(
                session: session, caller: caller, command: 1,
                call: .subscribe(SessionCall.Subscription())),
            creates: true)
        rig.loop.run()
        // The second commit is the other session's; the first one's is left where it is.
        #expect(rig.store.pending.map(\.session.description) == ["a", "b"])
        rig.store.release(of: session)
        rig.loop.run()
        #expect(try other.heard().outline() == ["1 subscribe"])
        #expect(phone.heard().isEmpty)
        rig.settle()
        #expect(try phone.heard().outline().contains("3 rpc"))
    }
}
