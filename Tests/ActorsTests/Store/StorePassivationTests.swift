import Actors
import Coordinator
import TestSupport
import Testing

/// Sessions on their way to the tables and back, and out of them by age.
@Suite(.timeLimit(.minutes(5)))
struct StorePassivationTests {
    private func opened(_ rig: StoreRig, _ session: SessionID) throws -> (JSON, [String]) {
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<4, to: session, by: peer)
        rig.system.connectionLost(peer.number, following: [session])
        return (try rig.state(of: session), try rig.history(of: session))
    }

    @Test func `an idle session comes back from the tables`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let (state, history) = try opened(rig, session)
        rig.passivate(session)
        rig.rest()
        #expect(rig.store.count == 1)
        let database = try rig.database()
        #expect(try database.number("SELECT revision FROM snapshot") == 4)
        #expect(try database.number("SELECT idle_since FROM session") ?? 0 > 0)

        #expect(try rig.state(of: session) == state)
        #expect(try rig.history(of: session) == history)
        #expect(try rig.stakes(7..<9, to: session, by: rig.peer()) == 6)
        let after = try rig.crashed()
        #expect(try after.state(of: session).unsigned("rev") == 6)
        after.close()
        rig.close()
    }

    @Test(arguments: [StoreDurability.commit, .memory])
    func `a session that is asked for while it is being written is had back at once`(
        durability: StoreDurability
    ) throws {
        var options = StoreRig.Options()
        options.durability = durability
        options.settings.snapshots = durability == .commit ? SnapshotSettings() : nil
        options.settings.historySeconds = 3600
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        var (state, history) = try opened(rig, session)
        for round in 0..<5 {
            rig.loop.advance(byMilliseconds: 120_001)
            #expect(rig.system.activeCount == 0)
            // Nothing of the writer's was looked at since.
            #expect(try rig.state(of: session) == state, "round \(round)")
            #expect(try rig.history(of: session) == history)
            #expect(rig.store.count == 1)
            try rig.stakes(10 * round + 10..<10 * round + 12, to: session, by: rig.peer())
            (state, history) = (try rig.state(of: session), try rig.history(of: session))
        }
        let after = try rig.restarted()
        #expect(try after.state(of: session) == state)
        #expect(try after.history(of: session) == history)
        after.close()
    }

    @Test func `a failed passivation loses nothing`() throws {
        for durability in StoreDurability.allCases {
            var options = StoreRig.Options()
            options.durability = durability
            options.settings.snapshots = durability == .commit ? SnapshotSettings() : nil
            let rig = try StoreRig(options: options)
            let session = try StoreRig.id("a")
            let (state, history) = try opened(rig, session)
            let database = try rig.database()
            try database.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON window BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
            rig.passivate(session)
            rig.rest()
            // Tries to write again may have been told as well.
            #expect(rig.failures.first.flatMap(\.self) != nil)
            try database.execute("DROP TRIGGER refuse")
            rig.expire(
                passivatedBefore: Instant(milliseconds: 0), deletedBefore: Instant(milliseconds: 0))
            #expect(try rig.state(of: session) == state)
            #expect(try rig.history(of: session) == history)
            let after = try rig.restarted()
            #expect(try after.state(of: session) == state)
            #expect(try after.history(of: session) == history)
            #expect(after.store.count == 1)
            after.close()
        }
    }

    @Test func `old sessions are deleted, active and younger ones are not`() throws {
        let rig = try StoreRig()
        let (old, young, active) = try (
            StoreRig.id("old"), StoreRig.id("young"), StoreRig.id("active")
        )
        _ = try opened(rig, old)
        rig.passivate(old)
        try rig.subscribe(rig.peer(), to: active)
        _ = try opened(rig, young)
        rig.loop.advance(byMilliseconds: 120_001)
        rig.rest()
        #expect(rig.system.activeCount == 1)
        #expect(rig.store.count == 3)
        let limit = rig.loop.now.advanced(byMilliseconds: -60_001)
        rig.expire(passivatedBefore: limit, deletedBefore: limit)
        rig.loop.run { !rig.burials.isEmpty }
        #expect(rig.burials == [1])
        #expect(rig.store.count == 2)
        #expect(try rig.ask(rig.peer(), .state, to: old).error?.code == 102)
        #expect(try rig.state(of: young).unsigned("rev") == 4)
        #expect(try rig.state(of: active).unsigned("rev") == 0)
        rig.close()
    }

    @Test func `a session that came back and changed is not old after a crash`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        _ = try opened(rig, session)
        rig.passivate(session)
        rig.rest()
        rig.loop.advance(byMilliseconds: 3_600_000)
        try rig.stakes(7..<8, to: session, by: rig.peer())
        let after = try rig.crashed()
        let limit = after.loop.now
        after.expire(passivatedBefore: limit, deletedBefore: limit)
        after.rest()
        after.loop.run()
        #expect(after.burials == [])
        #expect(try after.state(of: session).unsigned("rev") == 5)
        after.close()
        rig.close()
    }

    @Test func `placements of a session deleted by age are remembered, and then forgotten`() throws
    {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: peer)
        try rig.apply(["type": "betslip.place", "placementId": "p1"], to: session, by: peer)
        rig.system.connectionLost(peer.number, following: [session])
        rig.passivate(session)
        rig.rest()
        let later = rig.loop.now.advanced(bySeconds: 1)
        rig.expire(passivatedBefore: later, deletedBefore: Instant(milliseconds: 0))
        rig.loop.run { !rig.burials.isEmpty }
        #expect(rig.store.count == 1)
        #expect(try rig.ask(rig.peer(), .state, to: session).error?.code == 102)

        try rig.subscribe(rig.peer(), to: session)
        let again = try rig.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: rig.peer())
        #expect(again.answer?.at("data", "duplicate") == true)

        // Deleted once more, now for good.
        let phone = rig.peer()
        try rig.attach(phone, to: session)
        try rig.ask(phone, .close, to: session, device: "phone")
        #expect(rig.store.count == 1)
        rig.expire(
            passivatedBefore: Instant(milliseconds: 0), deletedBefore: later.advanced(bySeconds: 9))
        rig.rest()
        #expect(rig.store.count == 0)
        rig.close()
    }

    @Test func `a session asked for while it is deleted by age is gone, not half there`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        for _ in 0..<10 {
            let (state, _) = try opened(rig, session)
            rig.loop.advance(byMilliseconds: 120_001)
            rig.rest()
            let peer = rig.peer()
            let burials = rig.burials.count
            let later = rig.loop.now.advanced(bySeconds: 1)
            rig.expire(passivatedBefore: later, deletedBefore: Instant(milliseconds: 0))
            rig.loop.run { rig.burials.count > burials || rig.store.count == 0 }
            let heard = try rig.subscribe(peer, to: session)
            let rev = heard.answer?.at("data", "rev")
            #expect(rev == 0 || rev == state.at("rev"))
            rig.system.connectionLost(peer.number, following: [session])
        }
        rig.close()
    }

    @Test func `the journal is trimmed when snapshots cover it`() throws {
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: 50, seconds: 60)
        options.limits.queueCommits = 100_000
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        for value in 0..<9000 {
            let event: JSON = ["type": "betslip.update", "stake": .string("\(value)")]
            rig.post(
                peer, 3, .apply(SessionCall.Application(event: JSONDocument(root: event))),
                to: session)
            if value % 100 == 99 {
                rig.settle()
                _ = peer.heard()
            }
        }
        rig.rest()
        let database = try rig.database()
        let kept = try database.number("SELECT count(*) FROM journal") ?? 0
        #expect(kept < 5000)
        #expect(try database.number("SELECT sum(length(lines)) > 0 FROM window") == 1)
        let (state, history) = (try rig.state(of: session), try rig.history(of: session))
        #expect(state.unsigned("rev") == 9000)
        #expect(history.count == 256)
        let after = try rig.restarted()
        #expect(try after.state(of: session) == state)
        #expect(try after.history(of: session) == history)
        after.close()
        // A clean stop leaves what no snapshot covers.
        #expect(try after.database().number("SELECT count(*) FROM journal") ?? 99 < 50)
    }
}
