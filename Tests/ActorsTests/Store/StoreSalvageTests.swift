import Actors
import Coordinator
import Glibc
import Security
import TestSupport
import Testing

/// Databases that cannot be used as they are, and folders that are refused.
@Suite(.timeLimit(.minutes(5)))
struct StoreSalvageTests {
    private static let names = (0..<12).map { "s\($0)" }

    /// Twelve sessions, closed cleanly, and their states.
    private func filled() throws -> (rig: StoreRig, states: [String: JSON]) {
        let rig = try StoreRig()
        let peer = rig.peer()
        var states: [String: JSON] = [:]
        for name in Self.names {
            let session = try StoreRig.id(name)
            try rig.subscribe(peer, to: session)
            try rig.stakes(0..<8, to: session, by: peer)
            states[name] = try rig.state(of: session)
        }
        rig.close()
        return (rig, states)
    }

    /// Opens the folder and asks for every session: how many are served, and how many are set aside.
    private func reopen(
        _ rig: StoreRig, _ states: [String: JSON]
    ) throws -> (rig: StoreRig, served: Int, setAside: Int) {
        let after = try StoreRig(rig.folder, key: rig.key)
        var (served, setAside) = (0, 0)
        for name in Self.names {
            let session = try StoreRig.id(name)
            let heard = try after.ask(after.peer(), .state, to: session)
            if let error = heard.error {
                if error.code == 503 { setAside += 1 }
                continue
            }
            served += 1
            #expect(heard.answer?.at("data", "state") == states[name]?.at("state"))
        }
        return (after, served, setAside)
    }

    private func kept(_ folder: TestFolder) -> [String] {
        folder.names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }
    }

    @Test func `a file that is no database is kept under another name and a new one is made`()
        throws
    {
        let folder = try TestFolder()
        let text = Array("these are somebody's notes, more than a page header long".utf8)
        let bytes = Array(repeating: text, count: 20).flatMap(\.self)
        try folder.write(bytes, to: "sessions.sqlite")
        let rig = try StoreRig(folder)
        #expect(rig.store.findings.count >= 1)
        #expect(rig.store.findings.first?.text.contains("places that cannot be read") == true)
        #expect(kept(folder).map { folder.bytes(of: $0) } == [bytes])
        #expect(folder.mode(of: "sessions.sqlite") == 0o600)
        let session = try StoreRig.id("a")
        try rig.subscribe(rig.peer(), to: session)
        try rig.stakes(0..<3, to: session, by: rig.peer())
        let state = try rig.state(of: session)
        let again = try rig.restarted()
        #expect(again.store.findings == [])
        #expect(try again.state(of: session) == state)
        again.close()
    }

    @Test func `a file that was cut off while it was made is no damaged one`() throws {
        // The first page as SQLite leaves it between its making and the first table: a header, and a
        // leaf without cells whose content begins at the page's end.
        var page = Array("SQLite format 3\0".utf8)
        page += [0x10, 0, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 1]
        page += [
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,
        ]
        page += [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 24)
        page += [0, 0, 0, 1, 0, 0x2E, 0x63, 0x01]
        #expect(page.count == 100)
        page += [0x0D, 0, 0, 0, 0, 0x10, 0, 0] + [UInt8](repeating: 0, count: 3988)
        let folder = try TestFolder()
        try folder.write(page, to: "sessions.sqlite")
        let rig = try StoreRig(folder, key: StoreRig().key)
        #expect(rig.store.findings.allSatisfy { !$0.isDamage })
        #expect(!folder.names.contains { $0.contains(".damaged-") })
        let session = try StoreRig.id("a")
        try rig.subscribe(rig.peer(), to: session)
        rig.close()
        let after = try StoreRig(folder, key: rig.key)
        #expect(try after.state(of: session).unsigned("rev") == 0)
        after.close()
    }

    @Test func `a header that is damaged costs nothing`() throws {
        let (rig, states) = try filled()
        var bytes = rig.folder.bytes(of: "sessions.sqlite")
        for place in 0..<100 { bytes[place] = 0xa5 }
        try rig.folder.write(bytes, to: "sessions.sqlite")
        let (after, served, setAside) = try reopen(rig, states)
        #expect((served, setAside) == (12, 0))
        #expect(after.store.findings.first?.isDamage == true)
        #expect(kept(rig.folder).map { rig.folder.bytes(of: $0) } == [bytes])
        after.close()
    }

    @Test func `the whole first page is damaged`() throws {
        let (rig, states) = try filled()
        var bytes = rig.folder.bytes(of: "sessions.sqlite")
        for place in 0..<4096 { bytes[place] = 0x5a }
        try rig.folder.write(bytes, to: "sessions.sqlite")
        let (after, served, setAside) = try reopen(rig, states)
        #expect((served, setAside) == (12, 0))
        after.close()
    }

    @Test func `a file that lost its end keeps what is before it`() throws {
        let (rig, states) = try filled()
        let bytes = rig.folder.bytes(of: "sessions.sqlite")
        try rig.folder.write(Array(bytes.prefix(bytes.count * 3 / 4)), to: "sessions.sqlite")
        let (after, served, setAside) = try reopen(rig, states)
        // None is silently missing or older: those that are served have new epochs.
        #expect(after.store.findings.contains { $0.isDamage })
        for name in Self.names where served > 0 {
            let heard = try after.ask(after.peer(), .state, to: try StoreRig.id(name))
            if heard.error == nil {
                #expect(heard.answer?.at("data", "epoch") != states[name]?.at("epoch"))
            }
        }
        #expect(served + setAside > 0)
        after.close()
    }

    @Test func `a file that lost its end is seen after a crash, too, whatever the log has`() throws
    {
        let (rig, _) = try filled()
        let live = try StoreRig(rig.folder, key: rig.key)
        try live.stakes(8..<9, to: StoreRig.id(Self.names[0]), by: live.peer())
        live.rest()
        let copy = try TestFolder()
        for name in live.folder.names where !name.hasSuffix("-shm") {
            let bytes = live.folder.bytes(of: name)
            // The log has the few pages of one change, and not those at the file's end.
            let count = name == "sessions.sqlite" ? bytes.count / 2 : bytes.count
            try copy.write(Array(bytes.prefix(count)), to: name)
        }
        live.close()
        let after = try StoreRig(copy, key: rig.key)
        #expect(after.store.findings.contains { $0.text.contains("the file ends before page") })
        #expect(copy.names.contains { $0.contains(".damaged-") })
        after.close()
    }

    @Test func `of the damaged databases the newest three are kept`() throws {
        let folder = try TestFolder()
        let key = SealingKey.random().key
        var options = StoreRig.Options()
        for number in 0..<5 {
            try folder.write([UInt8](repeating: UInt8(number), count: 5000), to: "sessions.sqlite")
            // Two of them in the same second.
            if number != 1 { options.now = options.now.advanced(bySeconds: 10) }
            try StoreRig(folder, key: key, options: options).close()
        }
        let firsts = kept(folder).map { folder.bytes(of: $0).first }
        #expect(firsts == [2, 3, 4])
    }

    @Test func `a replacement that was interrupted is finished by the next start`() throws {
        let (rig, states) = try filled()
        let whole = rig.folder.bytes(of: "sessions.sqlite")
        // Complete, and not yet in its place; a log of the damaged one is still there.
        try rig.folder.write(whole, to: "sessions.sqlite.ready")
        try rig.folder.write([1, 2, 3], to: "sessions.sqlite")
        try rig.folder.write([4, 5, 6], to: "sessions.sqlite-wal")
        try rig.folder.write([7], to: "sessions.sqlite.salvage")
        let (after, served, _) = try reopen(rig, states)
        #expect(served == 12)
        let names = kept(rig.folder)
        #expect(names.map { rig.folder.bytes(of: $0) } == [[1, 2, 3]])
        #expect(rig.folder.bytes(of: (names.first ?? "") + "-wal") == [4, 5, 6])
        #expect(!rig.folder.names.contains("sessions.sqlite.salvage"))
        #expect(!rig.folder.names.contains("sessions.sqlite.ready"))
        after.close()
    }

    @Test(arguments: [
        "sessions.sqlite-shm", "sessions.sqlite.salvage-wal", "sessions.sqlite.trial-journal",
    ])
    func `nothing is replaced while something that the new file would take for its own stays`(
        name: String
    ) throws {
        let (rig, states) = try filled()
        let whole = rig.folder.bytes(of: "sessions.sqlite")
        try rig.folder.write(whole, to: "sessions.sqlite.ready")
        try rig.folder.write([1, 2, 3], to: "sessions.sqlite")
        // A folder is not removed as a file is.
        unsafe unlink(rig.folder.file(name))
        #expect(unsafe mkdir(rig.folder.file(name), 0o700) == 0)
        #expect(throws: StoreFault.self) { try StoreRig(rig.folder, key: rig.key) }
        #expect(rig.folder.bytes(of: "sessions.sqlite") == [1, 2, 3])
        #expect(rig.folder.bytes(of: "sessions.sqlite.ready") == whole)
        #expect(unsafe rmdir(rig.folder.file(name)) == 0)
        let (after, served, _) = try reopen(rig, states)
        #expect(served == 12)
        after.close()
    }

    @Test func `a log that lost its end is noticed by the note outside the folder`() throws {
        let notes = try TestFolder()
        var options = StoreRig.Options()
        options.note = notes.file("coordd.key")
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<9, to: session, by: peer)
        rig.rest()
        let before = try rig.state(of: session)
        #expect(notes.names.count == 1)
        let copy = try TestFolder()
        try copy.write(rig.folder.bytes(of: "sessions.sqlite"), to: "sessions.sqlite")
        let log = rig.folder.bytes(of: "sessions.sqlite-wal")
        // The newest frames are those of the newest commits.
        try copy.write(Array(log.dropLast(log.count / 8)), to: "sessions.sqlite-wal")
        let after = try StoreRig(copy, key: rig.key, options: options)
        let finding = try #require(after.store.findings.first)
        #expect(finding.isDamage)
        #expect(finding.text.contains("the store is behind what was noted"))
        let state = try after.state(of: session)
        #expect(state.at("epoch") != before.at("epoch"))
        let revision = try #require(state.unsigned("rev"))
        #expect(revision < 9)
        // It is told once, and a copy from before is noticed again.
        let again = try after.restarted()
        #expect(again.store.findings == [])
        #expect(try again.state(of: session) == state)
        again.close()
        rig.close()
    }

    @Test func `an older copy that is put back is noticed`() throws {
        let notes = try TestFolder()
        var options = StoreRig.Options()
        options.note = notes.file("coordd.key")
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        try rig.subscribe(rig.peer(), to: session)
        try rig.stakes(0..<2, to: session, by: rig.peer())
        let epoch = try rig.position(of: session).epoch
        rig.close()
        let backup = rig.folder.bytes(of: "sessions.sqlite")
        let later = try rig.restarted()
        #expect(later.store.findings == [])
        try later.stakes(5..<7, to: session, by: later.peer())
        later.close()
        try rig.folder.write(backup, to: "sessions.sqlite")
        let restored = try StoreRig(rig.folder, key: rig.key, options: options)
        #expect(restored.store.findings.first?.text.contains("put back") == true)
        #expect(try restored.position(of: session).epoch != epoch)
        #expect(try restored.state(of: session).unsigned("rev") == 2)
        restored.close()
    }

    @Test func `without a place for the note the store works and says what it cannot notice`()
        throws
    {
        var options = StoreRig.Options()
        options.note = "/proc/coordd.key"
        let rig = try StoreRig(options: options)
        #expect(rig.store.findings.map(\.isDamage) == [false])
        #expect(
            rig.store.findings.first?.text.contains("an older copy of the data folder") == true)
        rig.close()
    }

    /// Has the root of a table's tree say that it has more cells than fit.
    private func damageRoot(of table: String, in rig: StoreRig) throws {
        let root = try #require(
            try rig.database().number(
                "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"))
        var bytes = rig.folder.bytes(of: "sessions.sqlite")
        for place in 0..<8 { bytes[4096 * (Int(root) - 1) + place] = 0xff }
        try rig.folder.write(bytes, to: "sessions.sqlite")
    }

    @Test
    func `a table that is lost leaves its sessions named, and the next start has no more to do`()
        throws
    {
        let (rig, states) = try filled()
        try damageRoot(of: "snapshot", in: rig)
        let (after, served, setAside) = try reopen(rig, states)
        #expect((served, setAside) == (0, 12))
        #expect(kept(rig.folder).count == 1)
        after.close()
        let (again, _, _) = try reopen(rig, states)
        #expect(kept(rig.folder).count == 1)
        #expect(again.damage.count == 12)
        again.close()
    }

    @Test func `damaged pages that a load finds have the next start look through the file`() throws
    {
        let (rig, states) = try filled()
        try damageRoot(of: "window", in: rig)
        let (after, served, setAside) = try reopen(rig, states)
        #expect((served, setAside) == (0, 12))
        #expect(after.store.findings == [])
        #expect(rig.folder.names.contains("sessions.sqlite.suspect"))
        #expect(
            after.pages == [
                "pages of the database are damaged; the next start copies what can be read of them "
                    + "into a new one"
            ])
        after.close()
        // These sessions had no windows yet.
        let (again, found, _) = try reopen(rig, states)
        #expect(found == 12)
        #expect(kept(rig.folder).count == 1)
        #expect(!rig.folder.names.contains("sessions.sqlite.suspect"))
        again.close()
    }
}
