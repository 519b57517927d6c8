import Actors
import Coordinator
import Security
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoredSessionsTests {
    private func reader(_ rig: StoreRig, key: SealingKey? = nil) throws -> StoredSessions {
        try StoredSessions(
            path: DataFolder.database(in: rig.folder.path), key: key ?? rig.key,
            settings: rig.options.settings)
    }

    /// Every file with something in it but the index of the log, which SQLite makes anew as it likes.
    private func files(_ folder: TestFolder) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in folder.names where !name.hasSuffix("-shm") {
            let bytes = folder.bytes(of: name)
            if !bytes.isEmpty { files[name] = bytes }
        }
        return files
    }

    private func stored(_ found: FoundSession?) throws -> StoredSession {
        guard case .stored(let stored) = try #require(found).content else {
            Issue.record("damaged: \(String(describing: found))")
            throw RawClient.Failure.unexpected("damaged")
        }
        return stored
    }

    private func filled() throws -> StoreRig {
        let rig = try StoreRig()
        #expect(rig.store.findings == [])
        let peer = rig.peer()
        for (name, stakes) in [("b", 0..<3), ("a", 0..<5), ("C", 0..<0)] {
            let session = try StoreRig.id(name)
            try rig.subscribe(peer, to: session)
            try rig.stakes(stakes, to: session, by: peer)
        }
        return rig
    }

    @Test func `sessions come in order of their ids, with what a daemon would say of them`() throws
    {
        let rig = try filled()
        let state = try rig.state(of: try StoreRig.id("a"))
        rig.close()
        let page = try reader(rig).page(after: "", limit: 10)
        #expect(page.map(\.id) == ["C", "a", "b"])
        let stored = try page.map { try self.stored($0) }
        #expect(stored.map(\.revision) == [0, 5, 3])
        // Nothing was passivated: everything is in the journal after the creation's snapshot.
        #expect(stored.map(\.mark.commits) == [0, 5, 3])
        #expect(stored[1].epoch == state.at("epoch")?.string)
        #expect(stored[1].viewing.state.json == state.at("state"))
        #expect(stored[1].history.publications.map(\.offset) == [1, 2, 3, 4, 5])
        #expect(page.allSatisfy { $0.bytes > 0 && $0.idleSince == nil })
    }

    @Test func `pages follow one another without a gap`() throws {
        let rig = try filled()
        rig.close()
        let reader = try reader(rig)
        #expect(try reader.page(after: "", limit: 2).map(\.id) == ["C", "a"])
        #expect(try reader.page(after: "a", limit: 2).map(\.id) == ["b"])
        #expect(try reader.page(after: "b", limit: 2).isEmpty)
        #expect(try reader.extent(after: "", limit: 10) == (3, 1))
        #expect(try reader.extent(after: "C", limit: 1) == (1, 1))
        #expect(try reader.extent(after: "b", limit: 10) == (0, 0))
    }

    @Test func `one session is found by its id`() throws {
        let rig = try filled()
        rig.close()
        let reader = try reader(rig)
        #expect(try stored(try reader.session(try StoreRig.id("b"))).revision == 3)
        #expect(try reader.session(try StoreRig.id("c")) == nil)
    }

    @Test func `an idle session tells since when`() throws {
        let rig = try filled()
        let now = rig.loop.now
        rig.close()
        let again = try rig.restarted { $0.now = now.advanced(bySeconds: 7) }
        again.close()
        let page = try reader(again).page(after: "", limit: 10)
        // The daemon that starts marks what was in use before.
        #expect(page.map(\.idleSince) == Array(repeating: now.advanced(bySeconds: 7), count: 3))
    }

    @Test(arguments: [StoreDurability.commit, .memory])
    func `reading after a crash changes no byte`(durability: StoreDurability) throws {
        var options = StoreRig.Options()
        options.durability = durability
        let rig = try StoreRig(options: options)
        let peer = rig.peer()
        let session = try StoreRig.id("a")
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<5, to: session, by: peer)
        if durability == .memory { rig.system.passivateAll() }
        let epoch = try rig.position(of: session).epoch
        rig.rest()
        let copy = try TestFolder()
        for (name, bytes) in files(rig.folder) { try copy.write(bytes, to: name) }
        let before = files(copy)
        #expect(before["sessions.sqlite-wal"]?.isEmpty == false)

        do {
            let reader = try StoredSessions(
                path: DataFolder.database(in: copy.path), key: rig.key,
                settings: rig.options.settings)
            #expect(reader.awaitsNewEpochs == (durability == .memory))
            if durability == .commit {
                #expect(try stored(try reader.session(session)).epoch == epoch)
            }
            _ = try reader.page(after: "", limit: 10)
        }
        let isUnchanged = files(copy) == before
        #expect(isUnchanged)
        rig.close()
    }

    @Test func `reading after a clean stop changes no byte`() throws {
        let rig = try filled()
        rig.close()
        let before = files(rig.folder)
        #expect(Array(before.keys) == ["sessions.sqlite"])
        do {
            let reader = try reader(rig)
            #expect(try reader.page(after: "", limit: 10).count == 3)
            #expect(!reader.awaitsNewEpochs)
        }
        let isUnchanged = files(rig.folder) == before
        #expect(isUnchanged)
    }

    @Test func `a damaged session is told and the others are read`() throws {
        let rig = try filled()
        rig.close()
        do {
            let database = try rig.database()
            try database.execute(
                """
                UPDATE snapshot SET body = '{"state":{},' WHERE session =
                (SELECT key FROM session WHERE id = 'a')
                """)
            try database.execute(
                "DELETE FROM snapshot WHERE session = (SELECT key FROM session WHERE id = 'C')")
            try database.execute(
                "INSERT INTO session VALUES(99, 'no/id', 'e', NULL, NULL, 0, 0, 0, 0, NULL)")
        }
        let page = try reader(rig).page(after: "", limit: 10)
        let faults = page.map { found in
            switch found.content {
            case .stored: nil as String?
            case .damaged(let reason): reason
            }
        }
        #expect(page.map(\.id) == ["C", "a", "b", "no/id"])
        #expect(
            faults == [
                "there is no snapshot", "snapshot: the checksum is wrong", nil,
                "the id is not one of a session",
            ])
    }

    @Test func `a commit that is missing is damage`() throws {
        let rig = try filled()
        rig.close()
        do {
            try rig.database().execute(
                """
                DELETE FROM journal WHERE number = 2 AND session =
                (SELECT key FROM session WHERE id = 'a')
                """)
        }
        guard case .damaged(let reason)? = try reader(rig).session(try StoreRig.id("a"))?.content
        else {
            Issue.record("no damage was found")
            return
        }
        #expect(reason.hasPrefix("journal: "))
    }

    @Test func `another key, another program and another version are refused`() throws {
        let rig = try filled()
        rig.close()
        let other = SealingKey.random().key
        #expect(
            throws: StoreFault.otherKey(sealedWith: rig.key.fingerprint, given: other.fingerprint)
        ) { try reader(rig, key: other) }
        do { try rig.pretend(version: 9) }
        #expect(throws: StoreFault.version(9)) { try reader(rig) }
        do { try rig.database().execute("PRAGMA application_id = 1") }
        #expect(throws: StoreFault.foreign) { try reader(rig) }
    }

    @Test func `what is opened to be read cannot be written`() throws {
        let rig = try filled()
        rig.close()
        let database = try SQLiteDatabase(
            path: DataFolder.database(in: rig.folder.path), access: .inspect)
        #expect(throws: SQLiteError.self) { try database.execute("DELETE FROM session") }
    }
}
