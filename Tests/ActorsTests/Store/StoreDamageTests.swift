import Actors
import Coordinator
import Security
import TestSupport
import Testing

/// Damage that a start finds, and what becomes of damaged sessions.
@Suite(.timeLimit(.minutes(5)))
struct StoreDamageTests {
    /// Two sessions, the first with a snapshot in parts and commits after it, and a placed bet.
    private func filled(
        _ change: (inout StoreRig.Options) -> Void = { _ in }
    ) throws -> StoreRig {
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: 4, seconds: 60)
        change(&options)
        let rig = try StoreRig(options: options)
        let peer = rig.peer()
        for name in ["a", "b"] {
            let session = try StoreRig.id(name)
            try rig.subscribe(peer, to: session)
            for value in 0..<6 {
                try rig.apply(
                    ["type": "betslip.update", "stake": .string("\(value + 1).00")], to: session,
                    by: peer, device: "tablet", id: "id-\(value)")
            }
        }
        rig.rest()
        return rig
    }

    private func execute(_ sql: String, on rig: StoreRig) throws {
        try rig.database().execute(sql)
    }

    @Test func `a transaction that is missing is found, and who may have had it gets a new epoch`()
        throws
    {
        let rig = try filled()
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        let before = try [a, b].map { try rig.state(of: $0) }
        // The newest commit of the first session: nothing after it tells of it.
        let seq = try #require(
            try rig.database().number(
                """
                SELECT max(seq) FROM journal WHERE session =
                (SELECT key FROM session WHERE id = 'a')
                """))
        let after = try rig.crashed { _ in }
        after.close()
        try execute("DELETE FROM journal WHERE seq = \(seq)", on: after)
        let found = try StoreRig(after.folder, key: rig.key, options: rig.options)
        #expect(found.store.findings.map(\.isDamage) == [true])
        #expect(
            found.store.findings.first?.text
                == "transactions \(seq) are missing in table journal; 1 sessions that may have "
                + "lost revisions have new epochs: a")
        // An earlier acknowledged revision, and no recovery over the gap.
        let state = try found.state(of: a)
        #expect(state.unsigned("rev") == 5)
        #expect(state.at("epoch") != before[0].at("epoch"))
        // The second session's commits came later and are all there.
        #expect(try found.state(of: b) == before[1])
        // It is told once.
        let again = try found.restarted()
        #expect(again.store.findings == [])
        #expect(try again.state(of: a) == state)
        again.close()
        rig.close()
    }

    @Test func `rows of the window or of the requests that are missing are damage`() throws {
        for table in ["window", "request"] {
            let rig = try filled()
            rig.close()
            try execute(
                """
                DELETE FROM \(table) WHERE session = (SELECT key FROM session WHERE id = 'a')
                """, on: rig)
            let after = try StoreRig(rig.folder, key: rig.key, options: rig.options)
            let heard = try after.ask(after.peer(), .state, to: try StoreRig.id("a"))
            #expect(
                heard.error?.message.contains("rows of windows or requests are missing") == true)
            #expect(try after.state(of: try StoreRig.id("b")).unsigned("rev") == 6)
            after.close()
        }
    }

    @Test func `a session whose id cannot be found is not made anew`() throws {
        let rig = try filled()
        rig.close()
        try execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
            WHERE name = 'remains_by_age') WHERE name = 'sqlite_autoindex_session_1'
            """, on: rig)
        let after = try StoreRig(rig.folder, key: rig.key, options: rig.options)
        let heard = try after.subscribe(after.peer(), to: try StoreRig.id("a"))
        #expect(heard.error?.message.contains("session: its id cannot be found") == true)
        #expect(try after.subscribe(after.peer(), to: try StoreRig.id("c")).error == nil)
        after.close()
    }

    /// Of the first session's commits 2 to 8, which are revisions 1 to 7, the snapshot holds those
    /// up to 5.
    private static let journalRow = """
        seq = (SELECT seq FROM journal WHERE session = 1 ORDER BY seq DESC LIMIT 1
        """

    @Test(
        arguments: [
            // The good prefix of the chain.
            ("UPDATE journal SET memory = '{}' WHERE \(journalRow))", 6),
            ("DELETE FROM journal WHERE \(journalRow) OFFSET 1)", 5),
            ("UPDATE journal SET memory = '{}' WHERE \(journalRow) OFFSET 2)", 4),
            // All of it but the replay window, or the ids of a device.
            ("UPDATE window SET lines = 'x' WHERE session = 1", 7),
            ("UPDATE request SET answers = '[]' WHERE session = 1", 7),
        ] as [(String, UInt64)])
    func `by configuration a damaged session goes on from its last good state in a new epoch`(
        damage: String, revision: UInt64
    ) throws {
        let rig = try filled { $0.damaged = .newEpoch }
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        try rig.stakes(6..<7, to: a, by: rig.peer())
        rig.rest()
        let (before, other) = (try rig.state(of: a), try rig.state(of: b))
        let crashed = try rig.crashed()
        crashed.close()
        try execute(damage, on: crashed)
        let after = try StoreRig(crashed.folder, key: rig.key, options: rig.options)
        let heard = try after.ask(after.peer(), .state, to: a)
        #expect(heard.error == nil)
        let state = try after.state(of: a)
        #expect(state.at("epoch") != before.at("epoch"))
        #expect(state.unsigned("rev") == revision)
        #expect(state.at("state", "betslip", "stake") == .string("\(revision).00"))
        #expect(after.damage.count == 1)
        #expect(try after.history(of: a) == [])
        #expect(try after.state(of: b) == other)
        // What was damaged is kept apart, for as long as sessions are.
        let kept = try after.database().number("SELECT count(*) FROM quarantine") ?? 0
        #expect(kept > 0)
        // And the session goes on as any other.
        try after.stakes(40..<43, to: a, by: after.peer())
        let later = try after.state(of: a)
        let again = try after.restarted()
        #expect(try again.state(of: a) == later)
        #expect(again.damage == [])
        again.expire(
            passivatedBefore: Instant(milliseconds: 0),
            deletedBefore: Instant(milliseconds: 0))
        again.rest()
        #expect(try again.database().number("SELECT count(*) FROM quarantine") == kept)
        again.expire(
            passivatedBefore: again.loop.now.advanced(bySeconds: 1),
            deletedBefore: Instant(milliseconds: 0))
        again.rest()
        #expect(try again.database().number("SELECT count(*) FROM quarantine") == 0)
        again.close()
        rig.close()
    }

    @Test(arguments: ["hash = x'00'", "parts = 'x'", "epoch = 5", "crc = NULL", "owner = 7"])
    func
        `a row whose column has another type than it was written with keeps no daemon from starting`(
            damage: String
        ) throws
    {
        let rig = try filled()
        let crashed = try rig.crashed()
        crashed.close()
        // Has the table take what a changed bit in a row's head makes of a column.
        func setTable(_ old: String, _ new: String) throws {
            try execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)')
                WHERE name = 'session' AND type = 'table';
                PRAGMA writable_schema = RESET
                """, on: crashed)
        }
        let schema = try crashed.database().prepare(
            "SELECT sql FROM sqlite_schema WHERE name = 'session'")
        #expect(try schema.step())
        let sql = schema.text(0)
        schema.reset()
        try setTable(") STRICT", ")")
        try setTable(" NOT NULL", "")
        try execute("UPDATE session SET \(damage), idle_since = NULL WHERE id = 'a'", on: crashed)
        try execute(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(sql)' "
                + "WHERE name = 'session' AND type = 'table'; PRAGMA writable_schema = RESET",
            on: crashed)
        let after = try StoreRig(crashed.folder, key: rig.key, options: rig.options)
        let heard = try after.ask(after.peer(), .state, to: try StoreRig.id("a"))
        #expect(heard.error?.code == 503, "\(heard)")
        #expect(after.damage.map { $0.prefix(2) } == ["a:"])
        #expect(try after.state(of: try StoreRig.id("b")).unsigned("rev") == 6)
        after.close()
        rig.close()
    }

    @Test(arguments: [
        "UPDATE session SET epoch = 'other' WHERE key = 1",
        // As when a table without its indexes is saved: under this key are the rows of the other one.
        "DELETE FROM session WHERE id = 'b'; UPDATE session SET key = 2 WHERE id = 'a'",
    ])
    func `who cannot be said to own any rows is set aside by any configuration`(damage: String)
        throws
    {
        let rig = try filled { $0.damaged = .newEpoch }
        rig.close()
        try execute(damage, on: rig)
        let after = try StoreRig(rig.folder, key: rig.key, options: rig.options)
        let a = try StoreRig.id("a")
        let heard = try after.ask(after.peer(), .state, to: a)
        #expect(heard.error?.code == 503)
        #expect(heard.error?.message.contains("session: the checksum is wrong") == true)
        #expect(after.damage.count == 1)
        after.close()
        // Given up, it takes nothing with it that may be another one's.
        let editor = try StoreEditor(
            path: DataFolder.database(in: rig.folder.path), key: rig.key,
            settings: rig.options.settings, durability: .commit, note: nil, now: rig.loop.now)
        _ = try editor.delete([a], damaged: true)
        try editor.close()
        let rows = { (table: String) in
            try rig.database().number("SELECT count(*) FROM \(table)")
        }
        #expect(try rows("session") == (damage.contains("DELETE") ? 0 : 1))
        #expect(try rows("snapshot") == 2)
        let empty = try StoreRig(rig.folder, key: rig.key, options: rig.options)
        #expect(try empty.ask(empty.peer(), .state, to: a).error?.code == 102)
        empty.close()
    }

    @Test func `without a good snapshot only the placements go on`() throws {
        let rig = try filled { $0.damaged = .newEpoch }
        let a = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.attach(peer, to: a)
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: a, by: peer, device: "phone")
        let placed = try rig.apply(
            ["type": "betslip.place", "placementId": "p1"], to: a, by: peer, device: "phone")
        rig.rest()
        let crashed = try rig.crashed()
        crashed.close()
        try execute("UPDATE snapshot SET number = number + 1 WHERE session = 1", on: crashed)
        let after = try StoreRig(crashed.folder, key: rig.key, options: rig.options)
        let heard = try after.ask(after.peer(), .state, to: a)
        // As if the session had been deleted: it may be made anew.
        #expect(heard.error?.code == 102, "\(heard)")
        #expect(after.damage.count == 1)
        let isPlaced = placed.error == nil
        #expect(
            try after.database().number("SELECT count(*) FROM remains") == (isPlaced ? 1 : 0))
        #expect(isPlaced, "\(placed)")
        #expect(try after.subscribe(after.peer(), to: a).answer?.unsigned("offset") == 0)
        after.close()
        rig.close()
    }
}
