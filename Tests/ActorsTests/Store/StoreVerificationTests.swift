import Actors
import Coordinator
import Security
import TestSupport
import Testing

/// Each kind of damage is found, in its place.
@Suite(.timeLimit(.minutes(5)))
struct StoreVerificationTests {
    private func filled() throws -> (rig: StoreRig, notes: TestFolder) {
        let notes = try TestFolder()
        var options = StoreRig.Options()
        options.note = notes.file("note")
        options.settings.snapshots = SnapshotSettings(revisions: 3, seconds: 60)
        let rig = try StoreRig(options: options)
        let peer = rig.peer()
        for (name, count) in [("a", 5), ("b", 2)] {
            let session = try StoreRig.id(name)
            try rig.subscribe(peer, to: session)
            for value in 0..<count {
                try rig.apply(
                    ["type": "betslip.update", "stake": .string("\(value + 1).00")], to: session,
                    by: peer, device: "phone", id: "\(value)")
            }
        }
        try rig.subscribe(peer, to: try StoreRig.id("c"))
        rig.rest()
        return (rig, notes)
    }

    private func verify(
        _ rig: StoreRig, _ world: StoreVerification.World = StoreVerification.World()
    ) throws -> StoreVerification.Report {
        try StoreVerification.run(
            StoreVerification.Request(
                path: DataFolder.database(in: rig.folder.path), key: rig.key,
                settings: rig.options.settings, note: rig.options.note), world)
    }

    @Test(arguments: [false, true])
    func `a whole folder is whole, and no file comes, goes or changes`(isClosed: Bool) throws {
        let (rig, notes) = try filled()
        let copy = try TestFolder()
        if isClosed { rig.close() }
        for name in rig.folder.names where !name.hasSuffix("-shm") {
            try copy.write(rig.folder.bytes(of: name), to: name)
        }
        let before = Dictionary(
            uniqueKeysWithValues: copy.names.map { ($0, copy.bytes(of: $0)) })
        let report = try StoreVerification.run(
            .init(
                path: DataFolder.database(in: copy.path), key: rig.key,
                settings: rig.options.settings, note: notes.file("note")))
        #expect(report.damage == [])
        #expect(report.isWhole)
        #expect(report.remarks == [])
        let counts = Dictionary(
            uniqueKeysWithValues: report.counts.map { ($0.name, $0.count) })
        #expect(counts["sessions"] == 3)
        #expect(counts["snapshots"] == 3)
        #expect(counts["sequence note"] == 1)
        // Three creations, seven events, one start; nothing is trimmed before a clean stop.
        if !isClosed { #expect(counts["commits in the journal"] == 11) }
        #expect(report.sequence == 11)
        #expect(Set(copy.names) == Set(before.keys))
        for (name, bytes) in before {
            let isUnchanged = copy.bytes(of: name) == bytes
            #expect(isUnchanged, "\(name)")
        }
        rig.close()
    }

    private static let key = "(SELECT key FROM session WHERE id = 'a')"

    @Test(arguments: [
        ("UPDATE meta SET crc = crc + 1 WHERE name = 'folder'", "meta", "folder"),
        ("DELETE FROM meta WHERE name = 'stopped'", "meta", "stopped"),
        ("UPDATE session SET epoch = 'x' WHERE id = 'a'", "session", "a"),
        ("UPDATE session SET hash = hash + 1 WHERE id = 'a'", "session", "a"),
        ("UPDATE session SET idle_since = 1, idle_crc = 1 WHERE id = 'a'", "session", "a"),
        ("UPDATE snapshot SET crc = crc + 1 WHERE session = \(key)", "snapshot", "a"),
        ("DELETE FROM snapshot WHERE session = \(key)", "snapshot", "a"),
        ("UPDATE window SET crc = crc + 1 WHERE session = \(key)", "window", "3"),
        ("DELETE FROM window WHERE session = \(key)", "session", "a"),
        ("UPDATE request SET crc = crc + 1 WHERE session = \(key)", "request", "3"),
        ("DELETE FROM request WHERE session = \(key)", "session", "a"),
        ("DELETE FROM session WHERE id = 'a'", "snapshot", "session 1"),
        ("INSERT INTO remains VALUES('z', 1, 1, '[]')", "remains", "z"),
    ])
    func `a row that is not as it was written is named`(
        sql: String, table: String, row: String
    ) throws {
        let (rig, _) = try filled()
        rig.close()
        do { try rig.database().execute(sql) }
        let report = try verify(rig)
        #expect(
            report.damage.contains { $0.table == table && $0.row == row },
            "\(report.damage)")
    }

    @Test(arguments: [
        ("counts", StoreVerification.Consequence.recount), ("schema", .rewrite),
        ("folder", .newEpochs), ("stopped", .newEpochs), ("trimmed", .newEpochs),
        ("revocations", .unrevoked),
    ])
    func `what a daemon does about a note that is damaged is told as it does it`(
        name: String, consequence: StoreVerification.Consequence
    ) throws {
        let (rig, _) = try filled()
        let session = try StoreRig.id("a")
        let epoch = try rig.position(of: session).epoch
        rig.close()
        do { try rig.database().execute("UPDATE meta SET crc = crc + 1 WHERE name = '\(name)'") }
        let report = try verify(rig)
        #expect(report.damage.map(\.row) == [name])
        #expect(report.damage.map(\.consequence) == [consequence])
        let after = try rig.restarted()
        let isKept = try after.position(of: session).epoch == epoch
        #expect(isKept == (consequence != .newEpochs))
        after.close()
        #expect(try verify(after).damage == [])
    }

    @Test func `sessions whose rows went with all that belongs to them are missed`() throws {
        let (rig, _) = try filled()
        rig.close()
        do {
            let database = try rig.database()
            for table in ["snapshot", "window", "request"] {
                try database.execute("DELETE FROM \(table) WHERE session = \(Self.key)")
            }
            try database.execute("DELETE FROM session WHERE id = 'a'")
        }
        let report = try verify(rig)
        #expect(report.damage.map(\.row) == ["counts"])
        #expect(report.damage.map(\.consequence) == [.miscount])
        #expect(
            report.damage.first?.reason
                == "there are 2 sessions, and there should be 3: rows in table session went, or "
                + "came from elsewhere")
    }

    @Test
    func `a sequence note that says nothing is named, and the daemon warns of nonsense in it`()
        throws
    {
        let (rig, notes) = try filled()
        rig.close()
        let name = try #require(notes.names.first)
        for (bytes, reason) in [
            ([], "it is empty"), (Array("nonsense".utf8), "no number in it is whole"),
        ] {
            try notes.write(bytes, to: name)
            let words = "cannot use the sequence note \(notes.file(name)): \(reason)"
            let report = try verify(rig)
            #expect(report.isWhole)
            #expect(
                report.remarks == ["\(words): whether the folder is an older copy cannot be told"])
            let after = try rig.restarted()
            // A first start that is cut off leaves an empty one.
            #expect(
                after.store.findings.map(\.text)
                    == (bytes.isEmpty
                        ? [] : ["an older copy of the data folder would not be noticed: \(words)"]))
            #expect(after.store.findings.allSatisfy { !$0.isDamage })
            let again = try after.restarted()
            #expect(again.store.findings == [])
            again.close()
            #expect(try verify(again).remarks == [])
        }
    }

    @Test func `a commit that is missing or changed is named`() throws {
        let (rig, _) = try filled()
        rig.close()
        for sql in [
            "UPDATE journal SET publication = '{}' WHERE seq = (SELECT max(seq) FROM journal "
                + "WHERE session = \(Self.key))",
            "DELETE FROM journal WHERE seq = (SELECT min(seq) + 1 FROM journal)",
        ] {
            do { try rig.database().execute(sql) }
            let report = try verify(rig)
            #expect(report.damage.contains { $0.table == "journal" }, "\(report.damage)")
        }
    }

    @Test func `a folder that is behind the note is named`() throws {
        let (rig, notes) = try filled()
        let old = try TestFolder()
        for name in rig.folder.names where !name.hasSuffix("-shm") {
            try old.write(rig.folder.bytes(of: name), to: name)
        }
        try rig.stakes(7..<9, to: try StoreRig.id("a"), by: rig.peer())
        rig.rest()
        let report = try StoreVerification.run(
            .init(
                path: DataFolder.database(in: old.path), key: rig.key,
                settings: rig.options.settings, note: notes.file("note")))
        #expect(report.damage.map(\.row) == ["12 to 13"])
        #expect(report.damage.map(\.consequence) == [.newEpochs])
        rig.close()
    }

    @Test func `a page of SQLite that is damaged is named`() throws {
        let (rig, _) = try filled()
        rig.close()
        var bytes = rig.folder.bytes(of: "sessions.sqlite")
        bytes[2 * 4096] = 0
        try rig.folder.write(bytes, to: "sessions.sqlite")
        var report = try verify(rig)
        #expect(report.damage.first?.consequence == .salvage)
        try rig.folder.write(Array("no database".utf8), to: "sessions.sqlite")
        report = try verify(rig)
        #expect(report.damage.map(\.table) == ["file"])
    }

    @Test func `another key and another version are refused, and it can be stopped`() throws {
        let (rig, _) = try filled()
        rig.close()
        let other = SealingKey.random().key
        #expect(
            throws: StoreFault.otherKey(sealedWith: rig.key.fingerprint, given: other.fingerprint)
        ) {
            try StoreVerification.run(
                .init(
                    path: DataFolder.database(in: rig.folder.path), key: other,
                    settings: SessionSettings(), note: nil))
        }
        #expect(throws: StoreVerification.Stopped.self) {
            try verify(rig, StoreVerification.World(isStopped: { true }))
        }
        do { try rig.pretend(version: 9) }
        #expect(throws: StoreFault.version(9)) { try verify(rig) }
    }
}
