import Actors
import Coordinator
import TestSupport
import Testing

/// Trouble with what is stored, by the numbers of Docs/Cases.md.
@Suite(.timeLimit(.minutes(5)))
struct StoreCaseTests {
    /// Changes that are not harmless a second time.
    private func change(_ number: Int) -> JSON {
        switch number % 3 {
        case 0: ["type": "fullscreen.toggle"]
        case 1:
            [
                "type": "betslip.add", "sportsbookSelectionId": .string("s\(number)"),
                "decimalPrice": "1.5",
            ]
        default: ["type": "betslip.update", "stake": .string("\(5 * number)")]
        }
    }

    @Test func `C50: wherever a crash comes, between snapshots too, each change counts once`()
        throws
    {
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: 7, seconds: 3600)
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        for number in 0..<100 {
            try rig.apply(change(number), to: session, by: peer, device: "tablet", id: "\(number)")
            let state = try rig.state(of: session)
            #expect(state.unsigned("rev") == UInt64(number + 1))
            let after = try rig.crashed()
            if number % 10 == 6 {
                // Once more, while nothing has been written since.
                let twice = try after.crashed()
                #expect(try twice.state(of: session) == state)
                twice.close()
            }
            #expect(try after.state(of: session) == state)
            let again = try after.apply(
                change(number), to: session, by: after.peer(), device: "tablet", id: "\(number)")
            #expect(again.answer?.at("data", "duplicate") == true)
            #expect(try after.state(of: session) == state)
            after.close()
        }
        #expect(try rig.history(of: session).count == 100)
        rig.close()
    }

    @Test func `C52: devices that come once leave nothing behind, nor does one that stays away`()
        throws
    {
        let rig = try StoreRig()
        let busy = try StoreRig.id("busy")
        let writer = rig.peer()
        try rig.subscribe(writer, to: busy)
        let absent = rig.peer()
        try rig.subscribe(absent, to: busy)
        try rig.stakes(0..<300, to: busy, by: writer)
        rig.system.connectionLost(absent.number, following: [busy])
        let files = rig.folder.names
        var sizes: [Int64] = []
        for wave in 0..<3 {
            let visitors = try (0..<2000).map { number in
                (peer: rig.peer(), session: try StoreRig.id("visit-\(wave)-\(number)"))
            }
            for (peer, session) in visitors {
                rig.post(
                    peer, 1, .subscribe(SessionCall.Subscription()), to: session, creates: true)
            }
            rig.hear(2000, by: visitors.map(\.peer))
            #expect(rig.store.count == 2001)
            for (peer, session) in visitors {
                rig.system.connectionLost(peer.number, following: [session])
            }
            try rig.stakes(wave..<wave + 1, to: busy, by: writer)
            // Passivated after a minute without anybody, deleted after another one.
            rig.loop.advance(byMilliseconds: 120_001)
            rig.rest()
            #expect(rig.system.activeCount == 1)
            rig.loop.advance(byMilliseconds: 60_001)
            let limit = rig.loop.now.advanced(byMilliseconds: -60_000)
            rig.expire(passivatedBefore: limit, deletedBefore: limit)
            rig.loop.run { rig.store.count == 1 }
            rig.rest()
            sizes.append(try pages(rig))
        }
        #expect(rig.folder.names == files)
        // Freed pages are used again: the second wave needs no more than the first one.
        #expect(sizes[2] <= sizes[0] + sizes[0] / 10, "\(sizes)")
        #expect(try rig.history(of: busy).count <= 256)
        rig.close()
    }

    private func pages(_ rig: StoreRig) throws -> Int64 {
        try rig.database().number("PRAGMA page_count") ?? 0
    }

    @Test func `C54: however many come at once, a stored session is read once and has one actor`()
        throws
    {
        let first = try StoreRig()
        let session = try StoreRig.id("a")
        let peer = first.peer()
        try first.subscribe(peer, to: session)
        try first.stakes(0..<3, to: session, by: peer)
        let state = try first.state(of: session)
        let rig = try first.restarted()
        let peers = (0..<1000).map { _ in rig.peer() }
        for peer in peers {
            rig.post(peer, 1, .subscribe(SessionCall.Subscription()), to: session, creates: true)
        }
        let answers = rig.hear(1000, by: peers)
        #expect(answers.count == 1000)
        #expect(Set(answers).count == 1)
        #expect(rig.system.activeCount == 1)
        #expect(try rig.state(of: session) == state)
        // No two commits of one number: the next revision is the next one for everybody.
        #expect(try rig.stakes(7..<8, to: session, by: peers[0]) == 4)
        rig.rest()
        #expect(try rig.database().number("SELECT COUNT(*) FROM session") == 1)
        rig.close()
    }
}

extension StoreRig {
    /// Runs until these connections have heard so many lines together, and gives them.
    @discardableResult
    func hear(_ count: Int, by peers: [RecordingPeer]) -> [String] {
        var lines: [String] = []
        loop.run {
            for peer in peers { lines += peer.heard() }
            return lines.count >= count
        }
        return lines
    }
}
