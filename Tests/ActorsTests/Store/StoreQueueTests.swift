import Actors
import Coordinator
import TestSupport
import Testing

/// What is refused when too much waits for the disk, or for too long.
@Suite(.timeLimit(.minutes(5)))
struct StoreQueueTests {
    private static func application(_ value: Int) -> SessionCall {
        .apply(
            SessionCall.Application(
                event: JSONDocument(
                    root: ["type": "betslip.update", "stake": .string("\(value)")])))
    }

    /// The codes and messages of the answers that a peer heard.
    private func answers(_ peer: RecordingPeer) throws -> (accepted: Int, refused: [String]) {
        var answers = (accepted: 0, refused: [String]())
        for line in peer.heard() {
            var heard = Heard()
            try heard.add(line)
            if let error = heard.error {
                #expect(error.code == 503)
                #expect(error.temporary)
                answers.refused.append(error.message)
            } else if heard.answer != nil {
                answers.accepted += 1
            }
        }
        return answers
    }

    @Test func `beyond the queue's bytes changes are refused at once, and only then`() throws {
        var options = StoreRig.Options()
        // Each change of these weighs more than 512 and less than 1,024 bytes.
        options.limits.queueBytes = 4096
        let rig = try StoreRig(options: options)
        let sessions = try (0..<4).map { try StoreRig.id("s\($0)") }
        let peer = rig.peer()
        for session in sessions { try rig.subscribe(peer, to: session) }
        rig.rest()
        var (accepted, refused) = (0, 0)
        for round in 0..<20 {
            for value in 0..<12 {
                rig.post(
                    peer, UInt32(value + 1), Self.application(100 * round + value + 1),
                    to: sessions[value % 4])
            }
            let door = try answers(peer)
            #expect(door.accepted == 0)
            #expect(
                door.refused.allSatisfy {
                    $0.hasPrefix("storage.unavailable: store.busy: changes of ")
                        && $0.hasSuffix("(store.queueBytes is 4096)")
                })
            #expect((4096..<5120).contains(rig.store.condition.queueBytes))
            rig.settle()
            let answers = try answers(peer)
            // Four weigh less than the bound, and eight more.
            #expect((5...8).contains(answers.accepted))
            #expect(answers.refused.isEmpty)
            #expect(answers.accepted + door.refused.count == 12)
            accepted += answers.accepted
            refused += door.refused.count
        }
        #expect(refused > 0)
        #expect(rig.store.condition.queueBytes == 0)
        #expect(rig.failures.isEmpty)
        let states = try sessions.map { try rig.state(of: $0) }
        #expect(states.reduce(0) { $0 + Int($1.unsigned("rev") ?? 0) } == accepted)
        let after = try rig.crashed()
        for (session, state) in zip(sessions, states) {
            #expect(try after.state(of: session) == state)
        }
        after.close()
        rig.close()
    }

    @Test func `while the disk does not answer nobody new waits for it`() throws {
        var options = StoreRig.Options()
        options.limits.stallSeconds = 5
        let before = try StoreRig(options: options)
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        let (stored, other) = (try StoreRig.id("stored"), try StoreRig.id("other"))
        for session in [a, b, stored, other] { try before.subscribe(before.peer(), to: session) }
        let rig = try before.restarted()
        let (peer, waiting, late) = (rig.peer(), rig.peer(), rig.peer())
        for session in [a, b] { try rig.subscribe(peer, to: session) }
        rig.rest()

        // As long as another connection writes, the writer waits as it would for a disk.
        let holder = try rig.database()
        try holder.execute("BEGIN IMMEDIATE")
        rig.post(waiting, 1, Self.application(1), to: b)
        rig.post(late, 1, .state, to: other)
        // The load may be done before the write, or wait behind it.
        rig.loop.advance(byMilliseconds: 4999)
        #expect(rig.failures.isEmpty)
        #expect(rig.store.condition.stall == nil)
        rig.loop.advance(byMilliseconds: 2)
        #expect(rig.failures == ["store.stalled: the disk has not answered for 5 s"])

        rig.loop.advance(byMilliseconds: 2000)
        let event: JSON = ["type": "betslip.update", "stake": "7"]
        let refused = try rig.apply(event, to: a, by: peer)
        #expect(refused.error?.code == 503)
        #expect(
            refused.error?.message
                == "storage.unavailable: store.stalled: the disk has not answered for 7 s")
        #expect(refused.error?.temporary == true)
        // A session with nothing under way is read, followed and counted as before.
        #expect(try rig.state(of: a).unsigned("rev") == 0)
        #expect(try rig.subscribe(rig.peer(), to: a).error == nil)
        #expect(try rig.ask(peer, .presenceStats(.session(a)), to: a).error == nil)
        // What would have to wait is refused: the outcome of what is under way is unknown.
        for (session, call) in [(b, SessionCall.state), (stored, .state), (b, Self.application(2))]
        {
            let heard = try rig.ask(rig.peer(), call, to: session)
            #expect(heard.error?.message.contains("store.stalled: ") == true, "\(session)")
        }
        let load = try answers(late)
        #expect(load.accepted + load.refused.count == 1)
        #expect(waiting.heard().isEmpty)

        try holder.execute("ROLLBACK")
        rig.rest()
        #expect(try answers(waiting).accepted == 1)
        #expect(rig.failures.count == 2)
        #expect(rig.failures.last == .some(nil))
        #expect(try rig.apply(event, to: a, by: peer).error == nil)
        #expect(try rig.state(of: stored).unsigned("rev") == 0)
        #expect(try rig.state(of: other).unsigned("rev") == 0)
        let states = try [a, b].map { try rig.state(of: $0) }
        #expect(states.map { $0.unsigned("rev") } == [1, 1])
        let after = try rig.crashed()
        #expect(try [a, b].map { try after.state(of: $0) } == states)
        after.close()
        rig.close()
    }

    @Test func `a disk that answers in time is never stalled, however busy`() throws {
        var options = StoreRig.Options()
        options.limits.stallSeconds = 5
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        for value in 1...30 {
            try rig.apply(
                ["type": "betslip.update", "stake": .string("\(value)")], to: session, by: peer)
            rig.rest()
            rig.loop.advance(byMilliseconds: 700)
        }
        #expect(rig.failures.isEmpty)
        rig.close()
    }
}
