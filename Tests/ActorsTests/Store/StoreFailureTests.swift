import Actors
import Coordinator
import Security
import TestSupport
import Testing

/// What clients hear and what is kept when the store cannot write or read.
@Suite(.timeLimit(.minutes(5)))
struct StoreFailureTests {
    private static func stake(_ value: Int) -> JSON {
        ["type": "betslip.update", "stake": .string("\(value)")]
    }

    private static func application(_ value: Int) -> SessionCall {
        .apply(SessionCall.Application(event: JSONDocument(root: stake(value))))
    }

    @Test func `a commit that fails is answered 503 and leaves nothing behind`() throws {
        let rig = try StoreRig()
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        let peer = rig.peer()
        for session in [a, b] { try rig.subscribe(peer, to: session) }
        try rig.stakes(0..<2, to: a, by: peer)
        let state = try rig.state(of: a)
        let database = try rig.database()
        try database.execute(
            """
            CREATE TRIGGER refuse BEFORE INSERT ON journal
            BEGIN SELECT RAISE(ABORT, 'no room'); END
            """)
        for session in [a, b, a] {
            let heard = try rig.apply(Self.stake(9), to: session, by: peer)
            #expect(heard.error?.code == 503)
            #expect(heard.error?.message.contains("no room") == true)
            #expect(heard.error?.temporary == true)
            #expect(heard.pushes.isEmpty)
        }
        #expect(try rig.state(of: a) == state)
        #expect(rig.failures.count == 1)
        #expect(rig.failures.first??.contains("no room") == true)

        try database.execute("DROP TRIGGER refuse")
        #expect(try rig.stakes(2..<4, to: a, by: peer) == 4)
        #expect(rig.failures.count == 2)
        #expect(rig.failures.last == .some(nil))
        let later = try rig.state(of: a)
        let after = try rig.crashed()
        #expect(try after.state(of: a) == later)
        #expect(try after.state(of: b).unsigned("rev") == 0)
        after.close()
        rig.close()
    }

    @Test func `a session whose creation failed is made by the next try`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let database = try rig.database()
        try database.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'no'); END")
        let peer = rig.peer()
        #expect(try rig.subscribe(peer, to: session).error?.code == 503)
        #expect(rig.store.count == 1)
        try database.execute("DROP TRIGGER refuse")
        #expect(try rig.subscribe(peer, to: session).error == nil)
        try rig.stakes(0..<2, to: session, by: peer)
        #expect(rig.store.count == 1)
        let state = try rig.state(of: session)
        let after = try rig.crashed()
        #expect(try after.state(of: session) == state)
        #expect(after.store.count == 1)
        after.close()
        rig.close()
    }

    @Test func `a session that was never made is forgotten when nobody asks`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let database = try rig.database()
        try database.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(try rig.subscribe(rig.peer(), to: session).error?.code == 503)
        rig.passivate(session)
        #expect(rig.store.count == 0)
        rig.close()
    }

    @Test func `beyond the queue's bound commits are refused, and order and numbers hold`() throws {
        var options = StoreRig.Options()
        options.limits.queueCommits = 16
        let rig = try StoreRig(options: options)
        let sessions = try (0..<5).map { try StoreRig.id("s\($0)") }
        let peer = rig.peer()
        for session in sessions { try rig.subscribe(peer, to: session) }
        var random = SplitMix(seed: 4711)
        var (accepted, refused) = (0, 0)
        var value = 0
        for _ in 0..<300 {
            // Bursts within one turn, now and then with a look at what the writer has done.
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                value += 1
                let session = sessions[Int.random(in: 0..<sessions.count, using: &random)]
                rig.post(peer, 3, Self.application(value), to: session)
            }
            rig.loop.run()
            if Int.random(in: 0..<8, using: &random) == 0 { rig.settle() }
            var heard = Heard()
            for line in peer.heard() {
                heard.error = nil
                heard.answer = nil
                try heard.add(line)
                if heard.error?.code == 503 {
                    #expect(heard.error?.message.contains("store.busy") == true)
                    refused += 1
                } else if heard.answer != nil {
                    accepted += 1
                }
            }
        }
        rig.settle()
        for line in peer.heard() {
            var heard = Heard()
            try heard.add(line)
            if heard.error != nil { refused += 1 } else if heard.answer != nil { accepted += 1 }
        }
        #expect(accepted + refused == value)
        #expect(accepted > 100)
        #expect(refused > 100)
        let states = try sessions.map { try rig.state(of: $0) }
        // Each accepted change was a new stake, so revisions count them.
        #expect(states.reduce(0) { $0 + Int($1.unsigned("rev") ?? 0) } == accepted)
        let after = try rig.crashed()
        for (session, state) in zip(sessions, states) {
            let restored = try after.state(of: session)
            #expect(restored == state, "\(after.damage)")
        }
        after.close()
        rig.close()
    }

    @Test func `commits after a failure, asked for before it was known, fail with it`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        let database = try rig.database()
        for round in 0..<20 {
            try database.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON journal WHEN new.publication LIKE '%"13"%'
                BEGIN SELECT RAISE(ABORT, 'unlucky'); END
                """)
            rig.post(peer, 3, Self.application(13), to: session)
            rig.loop.run()
            // Posted while the failure may or may not be known already.
            rig.post(peer, 3, Self.application(100 + round), to: session)
            rig.loop.run()
            rig.settle()
            try database.execute("DROP TRIGGER refuse")
            try rig.apply(Self.stake(200 + round), to: session, by: peer)
            _ = peer.heard()
        }
        let state = try rig.state(of: session)
        let after = try rig.crashed()
        #expect(try after.state(of: session) == state)
        after.close()
        rig.close()
    }

    @Test func `a snapshot that fails is written whole the next time`() throws {
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: 2, seconds: 60)
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<3, to: session, by: peer)
        let database = try rig.database()
        try database.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON window BEGIN SELECT RAISE(ABORT, 'no'); END")
        for value in 3..<9 { try rig.apply(Self.stake(value + 1), to: session, by: peer) }
        try database.execute("DROP TRIGGER refuse")
        for value in 20..<26 { try rig.apply(Self.stake(value), to: session, by: peer) }
        let (state, history) = (try rig.state(of: session), try rig.history(of: session))
        #expect(history.count == Int(state.unsigned("rev") ?? 0))
        let after = try rig.crashed()
        #expect(try after.state(of: session) == state)
        #expect(try after.history(of: session) == history)
        after.close()
        rig.close()
    }

    // Creation is commit 1 of a session, its first change is commit 2 and revision 1.
    @Test(arguments: [
        ("UPDATE snapshot SET body = '{' || body", "snapshot: the checksum is wrong"),
        ("UPDATE snapshot SET revision = 1", "snapshot: the checksum is wrong"),
        ("UPDATE snapshot SET chain = 1", "snapshot: the checksum is wrong"),
        ("UPDATE session SET epoch = 'x'", "session: the checksum is wrong"),
        ("UPDATE session SET parts = 1", "session: the checksum is wrong"),
        ("DELETE FROM snapshot", "there is no snapshot"),
        ("DELETE FROM journal WHERE number = 2", "journal: commit 2 is missing"),
        ("DELETE FROM journal WHERE number = 3", "journal: commit 3 is missing"),
        (
            "UPDATE journal SET publication = '{}x' WHERE number = 2",
            "the chain is broken at commit 2"
        ),
        ("UPDATE journal SET memory = '{}' WHERE number = 3", "the chain is broken at commit 3"),
        ("UPDATE journal SET chain = 5 WHERE number = 3", "the chain is broken at commit 3"),
        ("UPDATE journal SET revision = 7 WHERE number = 2", "journal: commit 2 is missing"),
        ("UPDATE window SET lines = 'x'", ""),
    ])
    func `a damaged session is refused and named, others are served`(
        damage: String, words: String
    ) throws {
        let rig = try StoreRig()
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        let peer = rig.peer()
        for session in [a, b] { try rig.subscribe(peer, to: session) }
        try rig.stakes(0..<3, to: a, by: peer)
        rig.close()
        let database = try rig.database()
        try database.execute(damage)
        if damage.contains("snapshot") || damage.contains("session") {
            // The other session is made anew.
            try database.execute("DELETE FROM session WHERE id = 'b'")
        }
        let after = try StoreRig(rig.folder, key: rig.key)
        let heard = try after.ask(after.peer(), .state, to: a)
        if words.isEmpty {
            #expect(heard.error == nil)
        } else {
            #expect(heard.error?.code == 503)
            #expect(heard.error?.message.contains("store.damaged: session a: ") == true)
            #expect(heard.error?.message.contains(words) == true, "\(heard)")
            #expect(after.damage.count == 1)
            try after.ask(after.peer(), .state, to: a)
            #expect(after.damage.count == 1)
        }
        #expect(try after.subscribe(after.peer(), to: b).error == nil)
        after.close()
    }

    @Test func `while sessions cannot be read the store is failing, and well again afterwards`()
        throws
    {
        let rig = try StoreRig()
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        let peer = rig.peer()
        for session in [a, b] { try rig.subscribe(peer, to: session) }
        try rig.stakes(0..<3, to: a, by: peer)
        let after = try rig.crashed()
        let database = try after.database()
        try database.execute("ALTER TABLE window RENAME TO away")
        let heard = try after.ask(after.peer(), .state, to: a)
        #expect(heard.error?.code == 503)
        // The statement is for the log.
        #expect(heard.error?.message.contains("SELECT") == false, "\(heard)")
        #expect(after.failures.count == 1)
        #expect(after.failures.first??.contains("SELECT") == true)
        #expect(after.damage == [])
        try database.execute("ALTER TABLE away RENAME TO window")
        #expect(try after.state(of: a).unsigned("rev") == 3)
        #expect(after.failures.last == .some(nil))
        after.close()
        rig.close()
    }

    @Test func `a store that failed tries again by itself`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        let database = try rig.database()
        for table in ["journal", "meta"] {
            try database.execute(
                """
                CREATE TRIGGER no_\(table) BEFORE INSERT ON \(table)
                BEGIN SELECT RAISE(ABORT, 'no'); END
                """)
        }
        #expect(try rig.apply(Self.stake(1), to: session, by: peer).error?.code == 503)
        #expect(rig.failures.count == 1)
        for _ in 0..<3 {
            rig.loop.advance(byMilliseconds: 1000)
            rig.rest()
            #expect(rig.failures.last.flatMap(\.self) != nil)
        }
        try database.execute("DROP TRIGGER no_meta; DROP TRIGGER no_journal")
        rig.loop.advance(byMilliseconds: 1000)
        rig.rest()
        #expect(rig.failures.last == .some(nil))
        // And no more tries.
        rig.loop.advance(byMilliseconds: 5000)
        #expect(rig.store.isAtRest)
        #expect(try rig.stakes(3..<4, to: session, by: peer) == 1)
        rig.close()
    }

    @Test func `with durability memory a stop that could not write says so`() throws {
        var options = StoreRig.Options()
        options.durability = .memory
        options.settings.snapshots = nil
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<3, to: session, by: peer)
        let database = try rig.database()
        try database.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'no'); END")
        rig.close()
        #expect(rig.wasWhole == false)
        let other = try StoreRig()
        other.close()
        #expect(other.wasWhole == true)
    }

    @Test func `a folder of another key, program or version is refused`() throws {
        let rig = try StoreRig()
        try rig.subscribe(rig.peer(), to: try StoreRig.id("a"))
        rig.close()
        let other = SealingKey.random().key
        #expect(
            throws: StoreFault.otherKey(
                sealedWith: rig.key.fingerprint, given: other.fingerprint)
        ) {
            try StoreRig(rig.folder, key: other)
        }
        try rig.pretend(version: 99)
        #expect(throws: StoreFault.version(99)) { try StoreRig(rig.folder, key: rig.key) }
        try rig.database().execute("PRAGMA user_version = 3; PRAGMA application_id = 7")
        #expect(throws: StoreFault.foreign) { try StoreRig(rig.folder, key: rig.key) }
    }
}
