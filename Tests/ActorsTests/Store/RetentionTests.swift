import Actors
import Coordinator
import TestSupport
import Testing

/// What is deleted by age, what is not, and what comes back of memory and disk.
@Suite(.timeLimit(.minutes(5)))
struct RetentionTests {
    /// Makes a session with a slip, or one that holds nothing, and leaves it.
    private func visit(_ rig: StoreRig, _ session: SessionID, slip: Bool) throws {
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        if slip { try rig.stakes(0..<1, to: session, by: peer) }
        rig.system.connectionLost(peer.number, following: [session])
    }

    private func exists(_ rig: StoreRig, _ session: SessionID) throws -> Bool {
        try rig.ask(rig.peer(), .state, to: session).error?.code != 102
    }

    private static let never = Instant(milliseconds: 0)

    private func open(_ rig: StoreRig, _ session: SessionID, _ peer: RecordingPeer) throws {
        try rig.subscribe(peer, to: session)
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: peer)
    }

    @Test func `looks come often enough for the shortest time, and at most every minute`() {
        for (retain, empty, placements, look) in [
            (86_400, 3600, 86_400, 60), (2, 3600, 86_400, 1), (20, 3600, 86_400, 5),
            (86_400, 8, 86_400, 2), (86_400, 3600, 12, 3), (1, 1, 1, 1),
        ] as [(Int64, Int64, Int64, Int64)] {
            let plan = RetentionPlan(
                retainSeconds: retain, retainEmptySeconds: empty, placementSeconds: placements)
            #expect(plan.lookSeconds == look, "\(retain) \(empty) \(placements)")
        }
        let plan = RetentionPlan(retainSeconds: 5, retainEmptySeconds: 9, placementSeconds: 7)
        let limits = plan.limits(at: Instant(milliseconds: 10_000))
        #expect(limits.idleBefore == Instant(milliseconds: 5000))
        // Never longer than the others.
        #expect(limits.vacantBefore == Instant(milliseconds: 5000))
        #expect(limits.deletedBefore == Instant(milliseconds: 3000))
    }

    @Test func `a session that never held anything goes sooner`() throws {
        let rig = try StoreRig()
        let (empty, full) = try (StoreRig.id("empty"), StoreRig.id("full"))
        try visit(rig, empty, slip: false)
        try visit(rig, full, slip: true)
        rig.passivate(empty)
        rig.rest()
        let later = rig.loop.now.advanced(bySeconds: 1)
        rig.expire(
            passivatedBefore: Self.never, vacantBefore: later, deletedBefore: Self.never)
        rig.rest()
        #expect(rig.burials == [1])
        #expect(try exists(rig, empty) == false)
        #expect(try exists(rig, full))
        rig.close()
    }

    @Test func `what came after a session's row was written counts, after a crash too`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<1, to: session, by: peer)
        let after = try rig.crashed()
        // As if the start had not looked into the journal.
        let database = try after.database()
        try database.execute(
            """
            UPDATE session SET vacant = 1, idle_since = 1,
            idle_crc = \(RowChecksum.idleness(1, isVacant: true))
            """)
        let later = after.loop.now.advanced(bySeconds: 1)
        for _ in 0..<2 {
            after.expire(
                passivatedBefore: Self.never, vacantBefore: later, deletedBefore: Self.never)
            after.rest()
        }
        #expect(after.burials == [])
        #expect(try database.number("SELECT vacant FROM session") == 0)
        #expect(try exists(after, session))
        after.close()
        rig.close()
    }

    @Test func `a bet under way keeps its session until the deadline is over`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try open(rig, session, peer)
        try rig.apply(["type": "betslip.place", "placementId": "p1"], to: session, by: peer)
        // Nobody settles it, and nobody is there after the crash.
        let after = try rig.crashed()
        after.loop.advance(byMilliseconds: 29_000)
        after.expire(
            passivatedBefore: after.loop.now.advanced(bySeconds: 1), deletedBefore: Self.never)
        after.rest()
        #expect(after.store.holdings == StoreHoldings(sessions: 1))
        after.loop.advance(byMilliseconds: 1001)
        after.expire(
            passivatedBefore: after.loop.now.advanced(bySeconds: 1), deletedBefore: Self.never)
        after.rest()
        #expect(after.store.holdings == StoreHoldings(remembered: 1))
        // It is remembered, without an outcome that anybody could know.
        try after.subscribe(after.peer(), to: session)
        let again = try after.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: after.peer())
        #expect(again.answer?.at("data", "placement", "outcome") == "unknown")
        after.close()
        rig.close()
    }

    @Test func `placements outlive deletion, restart and a new session, for their time only`()
        throws
    {
        var options = StoreRig.Options()
        // Accepted at once.
        options.settings.policy.betslipConfirm = .auto
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try open(rig, session, peer)
        try rig.apply(["type": "betslip.place", "placementId": "p1"], to: session, by: peer)
        rig.system.connectionLost(peer.number, following: [session])
        rig.loop.advance(byMilliseconds: 40_000)
        rig.passivate(session)
        var life = rig
        // Deleted and asked for again and again: what is kept is not kept for ever.
        for round in 0..<3 {
            life.loop.advance(byMilliseconds: 40_000_000)
            life.expire(
                passivatedBefore: life.loop.now,
                deletedBefore: life.loop.now.advanced(bySeconds: -86_400))
            life.rest()
            let isRemembered = round < 2
            #expect(life.store.holdings == StoreHoldings(remembered: isRemembered ? 1 : 0))
            life = try life.restarted()
            #expect(life.store.holdings == StoreHoldings(remembered: isRemembered ? 1 : 0))
            let phone = life.peer()
            try open(life, session, phone)
            let again = try life.apply(
                ["type": "betslip.place", "placementId": "p1"], to: session, by: phone)
            #expect(
                (again.answer?.at("data", "duplicate") == true) == isRemembered, "round \(round)")
            life.system.connectionLost(phone.number, following: [session])
            life.loop.advance(byMilliseconds: 40_000)
            life.passivate(session)
        }
        life.close()
    }

    @Test func `remembered placements are forgotten in steps`() throws {
        let rig = try StoreRig()
        for number in 0..<250 {
            let session = try StoreRig.id("s\(number)")
            let peer = rig.peer()
            try open(rig, session, peer)
            try rig.apply(["type": "betslip.place", "placementId": "p"], to: session, by: peer)
            try rig.attach(peer, to: session)
            try rig.ask(peer, .close, to: session, device: "phone")
        }
        #expect(rig.store.holdings == StoreHoldings(remembered: 250))
        rig.expire(
            passivatedBefore: Self.never, deletedBefore: rig.loop.now.advanced(bySeconds: 1))
        rig.rest()
        #expect(rig.store.holdings == StoreHoldings())
        #expect(try rig.database().number("SELECT count(*) FROM remains") == 0)
        rig.close()
    }

    @Test func `damaged sessions stay, however many, and hold up nobody`() throws {
        let rig = try StoreRig()
        let peers = (0..<310).map { _ in rig.peer() }
        for (number, peer) in peers.enumerated() {
            let session = try StoreRig.id("s\(number)")
            rig.post(peer, 1, .subscribe(SessionCall.Subscription()), to: session, creates: true)
        }
        rig.hear(310, by: peers)
        for (number, peer) in peers.enumerated() {
            rig.system.connectionLost(peer.number, following: [try StoreRig.id("s\(number)")])
        }
        rig.passivate(try StoreRig.id("s0"))
        rig.rest()
        try rig.database().execute(
            "UPDATE snapshot SET crc = crc + 1 WHERE session <= 205")
        let later = rig.loop.now.advanced(bySeconds: 1)
        rig.expire(passivatedBefore: later, deletedBefore: later)
        rig.rest()
        #expect(rig.burials == [105])
        #expect(rig.store.holdings.sessions == 205)
        // Once more: it ends, and deletes nothing.
        rig.expire(passivatedBefore: later, deletedBefore: later)
        rig.rest()
        #expect(rig.burials == [105])
        rig.close()
    }

    @Test func `whatever a session was in the middle of, it leaves memory without its clients`()
        throws
    {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let phone = rig.peer()
        try rig.subscribe(phone, to: session)
        try rig.attach(phone, to: session, facts: ["orientation": "portrait"])
        for event: JSON in [
            ["type": "fullscreen.toggle"],
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            ["type": "betslip.place", "placementId": "p1"],
        ] {
            #expect(try rig.apply(event, to: session, by: phone, device: "phone").error == nil)
        }
        rig.system.connectionLost(phone.number, following: [session])
        for _ in 0..<4 {
            rig.loop.advance(byMilliseconds: 60_000)
            rig.rest()
        }
        #expect(rig.system.activeCount == 0)
        rig.close()
    }

    @Test func `the file gets smaller when sessions are gone`() throws {
        let rig = try StoreRig()
        let peers = (0..<2000).map { _ in rig.peer() }
        for (number, peer) in peers.enumerated() {
            let session = try StoreRig.id("visit-\(number)")
            rig.post(peer, 1, .subscribe(SessionCall.Subscription()), to: session, creates: true)
        }
        rig.hear(2000, by: peers)
        for (number, peer) in peers.enumerated() {
            let session = try StoreRig.id("visit-\(number)")
            rig.system.connectionLost(peer.number, following: [session])
        }
        rig.passivate(try StoreRig.id("visit-0"))
        rig.rest()
        let database = try rig.database()
        #expect(try database.number("PRAGMA auto_vacuum") == 2)
        let full = try database.number("PRAGMA page_count") ?? 0
        let later = rig.loop.now.advanced(bySeconds: 1)
        rig.expire(passivatedBefore: later, deletedBefore: later)
        rig.rest()
        #expect(rig.burials == [2000])
        // The next looks find nothing to delete, and so the time to tidy up.
        var left = full
        for _ in 0..<1000 where left >= full / 4 {
            rig.expire(passivatedBefore: later, deletedBefore: later)
            rig.rest()
            left = try database.number("PRAGMA page_count") ?? 0
        }
        #expect(left < full / 4, "\(full) pages, then \(left)")
        #expect(try database.number("SELECT count(*) FROM journal") ?? 0 < 10)
        rig.close()
    }
}
