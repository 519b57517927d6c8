import Actors
import Coordinator
import TestSupport
import Testing

/// How many sessions there are, and of whom: counted as it changes, and right after whatever comes.
@Suite(.timeLimit(.minutes(5)))
struct StoreCountsTests {
    private func make(
        _ rig: StoreRig, _ name: String, by user: String = ""
    ) throws -> (error: ReplyError?, peer: RecordingPeer) {
        let peer = rig.peer()
        rig.post(
            peer, 7, .subscribe(SessionCall.Subscription()), to: try StoreRig.id(name),
            creates: true, user: user)
        return (try answer(rig, peer).error, peer)
    }

    private func answer(_ rig: StoreRig, _ peer: RecordingPeer) throws -> Heard {
        var heard = Heard()
        var lines: [String] = []
        rig.loop.run {
            lines += peer.heard()
            return !lines.isEmpty
        }
        for line in lines { try heard.add(line) }
        return heard
    }

    private func noted(_ rig: StoreRig) throws -> String? {
        let row = try rig.database().prepare("SELECT value FROM meta WHERE name = 'counts'")
        return try row.step() ? row.text(0) : nil
    }

    @Test(arguments: [StoreDurability.commit, .memory])
    func `a user may make so many sessions, and others are not concerned`(
        durability: StoreDurability
    ) throws {
        var options = StoreRig.Options()
        options.durability = durability
        options.settings.snapshots = durability == .commit ? SnapshotSettings() : nil
        options.sessionsPerUser = 2
        let rig = try StoreRig(options: options)
        #expect(try make(rig, "a1", by: "anna").error == nil)
        #expect(try make(rig, "a2", by: "anna").error == nil)
        let refused = try make(rig, "a3", by: "anna").error
        #expect(refused == .limitExceeded("limits.sessionsPerUser is 2"))
        #expect(try make(rig, "b1", by: "bert").error == nil)
        // Nobody with a name has no limit of their own.
        for number in 0..<4 { #expect(try make(rig, "n\(number)").error == nil) }
        // A session that is there may be followed by anybody, and goes on.
        #expect(try make(rig, "b1", by: "anna").error == nil)
        #expect(try rig.stakes(0..<1, to: try StoreRig.id("a1"), by: rig.peer()) == 1)

        let after = try rig.restarted()
        #expect(try make(after, "a3", by: "anna").error?.code == 106)
        let phone = after.peer()
        try after.attach(phone, to: try StoreRig.id("a2"))
        try after.ask(phone, .close, to: try StoreRig.id("a2"), device: "phone")
        #expect(try make(after, "a3", by: "anna").error == nil)
        #expect(try make(after, "a4", by: "anna").error?.code == 106)
        after.close()
    }

    @Test func `sessions that are about to be made count too`() throws {
        var options = StoreRig.Options()
        options.sessionsPerUser = 3
        let rig = try StoreRig(options: options)
        let peers = (0..<10).map { _ in rig.peer() }
        for (number, peer) in peers.enumerated() {
            rig.post(
                peer, 7, .subscribe(SessionCall.Subscription()),
                to: try StoreRig.id("a\(number)"), creates: true, user: "anna")
        }
        let errors = try peers.map { try answer(rig, $0).error?.code }
        #expect(errors.count { $0 == nil } == 3)
        #expect(errors.count { $0 == 106 } == 7)
        #expect(rig.store.holdings.sessions == 3)
        rig.close()
    }

    @Test func `two who want the same session: the one over the limit is refused alone`() throws {
        var options = StoreRig.Options()
        options.sessionsPerUser = 1
        let rig = try StoreRig(options: options)
        #expect(try make(rig, "a1", by: "anna").error == nil)
        let (anna, bert) = (rig.peer(), rig.peer())
        for (peer, user) in [(anna, "anna"), (bert, "bert")] {
            rig.post(
                peer, 7, .subscribe(SessionCall.Subscription()), to: try StoreRig.id("shared"),
                creates: true, user: user)
        }
        #expect(try answer(rig, anna).error?.code == 106)
        #expect(try answer(rig, bert).error == nil)
        rig.close()
    }

    @Test func `who made a session is guarded by its checksum`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a1")
        #expect(try make(rig, "a1", by: "anna").error == nil)
        rig.close()
        try rig.database().execute("UPDATE session SET owner = 'bert'")
        let after = try StoreRig(rig.folder, key: rig.key)
        let error = try after.ask(after.peer(), .state, to: session).error
        #expect(error?.message.contains("session: the checksum is wrong") == true)
        #expect(after.store.holdings == StoreHoldings(sessions: 1, setAside: 1))
        #expect(after.system.counts.quarantined == 1)
        after.close()
    }

    @Test func `sessions are counted by what is so of them`() throws {
        let rig = try StoreRig()
        func counts() -> [Int] {
            let counts = rig.system.counts
            return [counts.attached, counts.suspended, counts.closed, counts.quarantined]
        }
        #expect(counts() == [0, 0, 0, 0])
        let a = try make(rig, "a").peer
        let b = try make(rig, "b").peer
        #expect(counts() == [2, 0, 0, 0])
        let second = rig.peer()
        try rig.subscribe(second, to: try StoreRig.id("a"))
        try rig.attach(second, to: try StoreRig.id("a"))
        rig.system.connectionLost(a.number, following: [try StoreRig.id("a")])
        #expect(counts() == [2, 0, 0, 0])
        rig.system.connectionLost(b.number, following: [try StoreRig.id("b")])
        #expect(counts() == [1, 1, 0, 0])
        rig.loop.advance(byMilliseconds: 120_001)
        rig.rest()
        #expect(rig.system.activeCount == 1)
        #expect(counts() == [1, 1, 0, 0])
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s", "decimalPrice": "2"],
            to: try StoreRig.id("a"), by: second)
        try rig.apply(
            ["type": "betslip.place", "placementId": "p"], to: try StoreRig.id("a"), by: second)
        try rig.ask(second, .close, to: try StoreRig.id("a"), device: "phone")
        #expect(counts() == [0, 1, 1, 0])
        rig.close()
    }

    @Test func `what is counted is noted with what changes it, and a start trusts the note`() throws
    {
        let rig = try StoreRig()
        for number in 0..<5 { #expect(try make(rig, "s\(number)").error == nil) }
        rig.rest()
        #expect(try noted(rig) == "5 0")
        let after = try rig.crashed()
        #expect(after.store.holdings == StoreHoldings(sessions: 5))
        // Without counting: what the note says is believed.
        after.close()
        let wrong = RowChecksum.meta("counts", Array("7 2".utf8))
        try after.database().execute(
            "UPDATE meta SET value = '7 2', crc = \(wrong) WHERE name = 'counts'")
        let believing = try StoreRig(after.folder, key: after.key)
        #expect(believing.store.holdings == StoreHoldings(sessions: 7, remembered: 2))
        believing.close()
        // One that is damaged, or not there, is no loss.
        for change in ["UPDATE meta SET value = '9 9'", "DELETE FROM meta"] {
            try after.database().execute("\(change) WHERE name = 'counts'")
            let counting = try StoreRig(after.folder, key: after.key)
            #expect(counting.store.holdings == StoreHoldings(sessions: 5))
            #expect(counting.store.findings == [])
            counting.close()
            #expect(try noted(counting) == "5 0")
        }
        rig.close()
    }

    @Test func `after a salvage and after a migration sessions are counted`() throws {
        let rig = try StoreRig()
        for number in 0..<5 { #expect(try make(rig, "s\(number)").error == nil) }
        rig.close()
        let wrong = RowChecksum.meta("counts", Array("7 2".utf8))
        try rig.database().execute(
            "UPDATE meta SET value = '7 2', crc = \(wrong) WHERE name = 'counts'")
        var bytes = rig.folder.bytes(of: "sessions.sqlite")
        bytes[0] ^= 1
        try rig.folder.write(bytes, to: "sessions.sqlite")
        let after = try StoreRig(rig.folder, key: rig.key)
        #expect(after.store.findings.map(\.isDamage).contains(true))
        #expect(after.store.holdings == StoreHoldings(sessions: 5))
        #expect(try after.database().number("PRAGMA auto_vacuum") == 2)
        after.close()

        let (folder, key) = try StoreMigrationTests.folder()
        let migrated = try StoreRig(folder, key: key)
        #expect(migrated.store.holdings == StoreHoldings(sessions: 5, remembered: 1))
        #expect(try noted(migrated) == "5 1")
        #expect(try migrated.database().number("PRAGMA auto_vacuum") == 2)
        migrated.close()
    }
}
