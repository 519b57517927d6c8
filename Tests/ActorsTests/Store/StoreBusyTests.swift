import Actors
import Coordinator
import TestSupport
import Testing

/// Who hears at once that the disk is behind, and who waits for it.
@Suite(.timeLimit(.minutes(5)))
struct StoreBusyTests {
    private static func application(_ value: Int, id: String? = nil) -> SessionCall {
        .apply(
            SessionCall.Application(
                event: JSONDocument(
                    root: ["type": "betslip.update", "stake": .string("\(value)")]), id: id))
    }

    private static let reads: [SessionCall] = [
        .state, .history(Command.History(channel: "session:a", limit: 1)),
        .subscribe(SessionCall.Subscription()), .presence(.session(id("a"))),
        .presenceStats(.session(id("a"))),
    ]

    private static func id(_ name: String) -> SessionID {
        guard let id = try? StoreRig.id(name) else { preconditionFailure("\(name) is no id") }
        return id
    }

    /// Everything that a peer heard since it was asked last.
    private func heard(_ peer: RecordingPeer) throws -> [Heard] {
        try peer.heard().map { line in
            var heard = Heard()
            try heard.add(line)
            return heard
        }
    }

    @Test func `while the disk hangs a full queue refuses at once, and holds no more`() throws {
        var options = StoreRig.Options()
        options.limits.queueCommits = 16
        let rig = try StoreRig(options: options)
        let (a, b) = (Self.id("a"), Self.id("b"))
        let (phone, peer, reader) = (rig.peer(), rig.peer(), rig.peer())
        for session in [a, b] { try rig.subscribe(peer, to: session) }
        #expect(try rig.ask(phone, .attachStage(facts: nil), to: a, role: .player).error == nil)
        let before = try #require(try rig.state(of: a).unsigned("rev"))
        rig.rest()
        _ = peer.heard()

        // As long as another connection writes, the writer waits as it would for a disk.
        let holder = try rig.database()
        try holder.execute("BEGIN IMMEDIATE")
        for value in 1...1000 {
            rig.post(peer, UInt32(value), Self.application(value, id: "\(value)"), to: a)
        }
        let refused = try heard(peer)
        #expect(refused.count == 984)
        for refusal in refused {
            #expect(refusal.error?.code == 503)
            #expect(refusal.error?.temporary == true)
            #expect(
                refusal.error?.message == "storage.unavailable: store.busy: 16 changes wait for "
                    + "the disk (store.queueCommits)")
        }
        #expect(rig.store.queueDepth == 16)
        rig.loop.run()

        // Changes of all other sessions are refused as well, and they are read as before.
        #expect(
            try rig.ask(peer, Self.application(1), to: b).error?.message.contains("store.busy")
                == true)
        #expect(
            try rig.ask(reader, .takeStage, to: b).error?.message.contains("store.busy") == true)
        #expect(try rig.state(of: b).unsigned("rev") == 0)
        // One that was taken and comes again is no change; a lost stage cannot be refused.
        rig.post(peer, 2000, Self.application(1, id: "1"), to: a)
        rig.system.connectionLost(phone.number, following: [a])
        #expect(rig.store.queueDepth == 17)
        rig.post(reader, 1, .state, to: a)
        #expect(reader.heard().isEmpty)

        try holder.execute("ROLLBACK")
        rig.rest()
        let answers = try heard(peer).filter { $0.answer != nil }
        #expect(answers.count == 17)
        #expect(answers.allSatisfy { $0.error == nil })
        let state = try #require(try heard(reader).first)
        #expect(state.error == nil)
        #expect(state.answer?.at("data", "rev") == .integer(before + 17))
        #expect(state.answer?.at("data", "state", "stage", "connected") == false)
        #expect(rig.store.condition.backlog == nil)
        #expect(try rig.ask(reader, Self.application(7), to: b).error == nil)
        let states = try [a, b].map { try rig.state(of: $0) }
        let after = try rig.crashed()
        #expect(try [a, b].map { try after.state(of: $0) } == states)
        after.close()
        rig.close()
    }

    @Test func `of a session's own changes a full queue takes four, and refuses one`() throws {
        var options = StoreRig.Options()
        options.limits.queueCommits = 16
        let rig = try StoreRig(options: options)
        let id = Self.id("a")
        var settlements: [Settlement] = []
        rig.store.observe { settlements.append($0) }
        var session = Session(id: id, newEpoch: "epoch", settings: options.settings)
        guard case .commit(let creation)? = session.start(at: rig.loop.now).first else {
            Issue.record("a new session asks for no commit")
            return
        }
        /// Has the session change once more, and gives the number of its commit.
        func change(_ value: Int) -> UInt64? {
            let caller = Caller(connection: 1, client: "c", device: "phone", role: .mirror)
            let actions = session.receive(
                .call(Self.application(value), from: caller, command: 1), at: rig.loop.now)
            guard case .commit(let commit)? = actions.first else { return nil }
            rig.store.append(commit, for: id)
            return commit.sequence
        }
        rig.store.append(creation, for: id)
        for value in 2...40 { #expect(change(value) == UInt64(value)) }
        #expect(rig.store.queueDepth == 21)
        rig.settle()
        let reason = "store.busy: 16 changes wait for the disk (store.queueCommits)"
        #expect(
            settlements == [
                .committed(id, through: 20), .failed(id, from: 21, reason: reason),
            ])
        _ = session.receive(.committed(through: 20), at: rig.loop.now)
        _ = session.receive(.commitFailed(from: 21, reason: reason), at: rig.loop.now)
        // What follows is taken again, as the next one after those that are durable.
        settlements = []
        #expect(change(41) == 41)
        rig.settle()
        #expect(settlements == [.committed(id, through: 41)])
        let after = try rig.crashed()
        #expect(try after.state(of: id).unsigned("rev") == 20)
        #expect(after.damage.isEmpty)
        after.close()
        rig.close()
    }

    @Test func `whoever reads behind a change under way hears of the stall at once`() throws {
        var options = StoreRig.Options()
        options.limits.stallSeconds = 5
        let rig = try StoreRig(options: options)
        let a = Self.id("a")
        let (peer, writer, reader) = (rig.peer(), rig.peer(), rig.peer())
        try rig.subscribe(peer, to: a)
        rig.rest()
        _ = peer.heard()

        let holder = try rig.database()
        try holder.execute("BEGIN IMMEDIATE")
        rig.post(writer, 1, Self.application(1), to: a)
        for (index, call) in Self.reads.enumerated() {
            rig.post(reader, UInt32(index + 1), call, to: a)
        }
        rig.loop.advance(byMilliseconds: 4999)
        #expect(reader.heard().isEmpty)
        rig.loop.advance(byMilliseconds: 2)
        let refused = try heard(reader)
        #expect(refused.count == Self.reads.count)
        for refusal in refused {
            #expect(refusal.error?.code == 503)
            #expect(
                refusal.error?.message
                    == "storage.unavailable: store.stalled: the disk has not answered for 5 s")
        }
        // Nobody knows what becomes of the change.
        #expect(writer.heard().isEmpty)
        #expect(peer.heard().isEmpty)

        try holder.execute("ROLLBACK")
        rig.rest()
        #expect(try heard(writer).map { $0.error == nil } == [true])
        #expect(try heard(peer).map(\.revisions) == [[1]])
        // The subscribe was refused: nothing is pushed, until another one is taken.
        #expect(reader.heard().isEmpty)
        #expect(try rig.subscribe(reader, to: a).error == nil)
        #expect(try rig.state(of: a).unsigned("rev") == 1)
        rig.close()
    }

    @Test func `whoever waits for the number of their sessions hears of the stall at once`() throws
    {
        var options = StoreRig.Options()
        options.limits.stallSeconds = 5
        options.sessionsPerUser = 2
        let rig = try StoreRig(options: options)
        let (peer, late) = (rig.peer(), rig.peer())
        try rig.subscribe(peer, to: Self.id("a"))
        rig.rest()
        let holder = try rig.database()
        try holder.execute("BEGIN IMMEDIATE")
        rig.post(peer, 1, Self.application(1), to: Self.id("a"))
        rig.post(
            late, 1, .subscribe(SessionCall.Subscription()), to: Self.id("new"), creates: true,
            user: "ann")
        rig.loop.run()
        rig.loop.advance(byMilliseconds: 5001)
        // The load may have been done before the write, and then the question is asked after it.
        rig.loop.advance(byMilliseconds: 5001)
        let refused = try heard(late)
        #expect(refused.count == 1)
        #expect(refused.first?.error?.message.contains("store.stalled: ") == true)
        try holder.execute("ROLLBACK")
        rig.rest()
        #expect(late.heard().isEmpty)
        rig.close()
    }
}
