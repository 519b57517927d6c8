import Actors
import Coordinator
import Security
import TestSupport
import Testing

/// A data folder of schema version 1, written by the version of coordd that had it.
@Suite(.timeLimit(.minutes(5)))
struct StoreMigrationTests {
    private static let names = [
        "sim-7-qntgj2-0", "sim-7-qntgj2-1", "sim-7-qntgj2-2", "watch-1", "watch-2",
    ]

    private static func fixture(_ name: String) throws -> [UInt8] {
        let path = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return try FileText.read("/\(path)/Fixtures/\(name)", limit: 1 << 20)
    }

    /// A copy of the stored folder.
    static func folder() throws -> (TestFolder, SealingKey) {
        let folder = try TestFolder()
        try folder.write(try fixture("version-1.sqlite"), to: "sessions.sqlite")
        try folder.write(try fixture("version-1.key"), to: "coordd.key")
        return (folder, try KeyFile.key(at: folder.file("coordd.key"), isNeeded: true))
    }

    /// What the older version told of each session.
    private static func expected() throws -> [JSON] {
        try String(decoding: fixture("version-1.jsonl"), as: UTF8.self).split(separator: "\n")
            .map { try JSONParser.parse(text: String($0)).root }
    }

    @Test func `every session of an older folder goes on as it was`() throws {
        let (folder, key) = try Self.folder()
        let rig = try StoreRig(folder, key: key)
        #expect(rig.store.findings == [])
        #expect(rig.store.count == 6)
        for session in try Self.expected() {
            let id = try StoreRig.id(try #require(session["session"]?.string))
            let state = try rig.state(of: id)
            #expect(state.at("epoch") == session["epoch"])
            #expect(state.at("rev") == session["rev"])
            #expect(state.at("state") == session["state"])
            let history = try rig.history(of: id)
            #expect(history.count == session["history"]?.array?.count)
        }
        #expect(rig.damage == [])
        // An idempotency id of the older version is answered as before.
        let again = try rig.apply(
            ["type": "betslip.update", "stake": "20.00"], to: try StoreRig.id("watch-1"),
            by: rig.peer(), device: "tablet", id: "id-19")
        #expect(again.answer?["data"] == ["rev": 20, "duplicate": true])
        let peer = rig.peer()
        for name in Self.names {
            try rig.apply(
                ["type": "betslip.update", "stake": "77.00"], to: try StoreRig.id(name), by: peer)
        }
        let states = try Self.names.map { try rig.state(of: try StoreRig.id($0)) }
        let after = try rig.crashed()
        #expect(try Self.names.map { try after.state(of: try StoreRig.id($0)) } == states)
        #expect(after.store.findings == [])
        after.close()
        rig.close()
    }

    @Test func `a folder is brought to this version once, whole, and then checked`() throws {
        let (folder, key) = try Self.folder()
        let rig = try StoreRig(folder, key: key)
        rig.close()
        do {
            let database = try rig.database()
            #expect(try database.number("PRAGMA user_version") == 2)
            #expect(
                try database.number(
                    "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'old_%'") == 0)
            #expect(try database.number("SELECT count(*) FROM remains WHERE id = 'gone'") == 1)
            let check = try database.prepare("PRAGMA integrity_check")
            #expect(try check.step())
            #expect(check.text(0) == "ok")
        }
        do {
            try rig.database().execute("UPDATE snapshot SET revision = revision + 1")
        }
        let after = try StoreRig(folder, key: key)
        let heard = try after.ask(after.peer(), .state, to: try StoreRig.id("watch-2"))
        #expect(heard.error?.message.contains("snapshot: the checksum is wrong") == true)
        after.close()
    }

    @Test func `an older folder is not read without the daemon that brings it up to date`() throws {
        let (folder, key) = try Self.folder()
        #expect(throws: StoreFault.version(1)) {
            try StoredSessions(
                path: DataFolder.database(in: folder.path), key: key, settings: SessionSettings())
        }
    }

    @Test func `a migration that fails leaves the older folder as it was`() throws {
        let (folder, key) = try Self.folder()
        do {
            let database = try SQLiteDatabase(
                path: folder.file("sessions.sqlite"), access: .read)
            // Its name is in the way.
            try database.execute("CREATE TABLE old_journal(x)")
        }
        #expect(throws: StoreFault.self) { try StoreRig(folder, key: key) }
        do {
            let database = try SQLiteDatabase(
                path: folder.file("sessions.sqlite"), access: .read)
            try database.execute("DROP TABLE old_journal")
            #expect(try database.number("PRAGMA user_version") == 1)
        }
        let rig = try StoreRig(folder, key: key)
        #expect(try rig.state(of: try StoreRig.id("watch-1")).unsigned("rev") == 20)
        rig.close()
    }

    @Test func `an older folder that is damaged is saved first and then brought up to date`() throws
    {
        let (folder, key) = try Self.folder()
        let root = try #require(
            try SQLiteDatabase(path: folder.file("sessions.sqlite"), access: .inspect).number(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'window'"))
        var bytes = folder.bytes(of: "sessions.sqlite")
        for place in 0..<8 { bytes[4096 * (Int(root) - 1) + place] = 0xff }
        try folder.write(bytes, to: "sessions.sqlite")
        let rig = try StoreRig(folder, key: key)
        #expect(rig.store.findings.map(\.isDamage).contains(true))
        for session in try Self.expected() {
            let id = try StoreRig.id(try #require(session["session"]?.string))
            let state = try rig.state(of: id)
            #expect(state.at("epoch") != session["epoch"])
            #expect(state.at("rev") == session["rev"])
            #expect(state.at("state") == session["state"])
        }
        rig.close()
    }
}
