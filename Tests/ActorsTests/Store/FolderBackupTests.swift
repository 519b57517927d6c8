import Actors
import Coordinator
import Glibc
import Security
import TestSupport
import Testing

/// Backups of a folder that a daemon writes, and what a daemon makes of them.
@Suite(.timeLimit(.minutes(5)))
struct FolderBackupTests {
    private func rig() throws -> (rig: StoreRig, notes: TestFolder) {
        let notes = try TestFolder()
        var options = StoreRig.Options()
        options.note = notes.file("note")
        return (try StoreRig(options: options), notes)
    }

    private func backUp(
        _ rig: StoreRig, to path: String,
        _ world: StoreVerification.World = StoreVerification.World()
    ) throws -> FolderBackup.Report {
        let target = try BackupTarget(path)
        do {
            return try FolderBackup(
                DataFolder.database(in: rig.folder.path), to: target, key: rig.key,
                settings: SessionSettings(), world
            ).run()
        } catch {
            target.discard()
            throw error
        }
    }

    /// A store on a copy of a backup.
    private func restored(_ place: TestFolder, _ key: SealingKey, note: String?) throws -> StoreRig
    {
        let folder = try TestFolder()
        for name in place.names(in: "backup") {
            try folder.write(place.bytes(of: "backup/\(name)"), to: name)
        }
        var options = StoreRig.Options()
        options.note = note
        return try StoreRig(folder, key: key, options: options)
    }

    @Test func `a backup has what was acknowledged before it, and gives new epochs elsewhere`()
        throws
    {
        let (rig, notes) = try rig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<5, to: session, by: peer)
        let before = try rig.state(of: session)
        let place = try TestFolder()
        let report = try backUp(rig, to: place.file("backup"))
        #expect(report.verification.isWhole)
        #expect(place.names == ["backup"])
        #expect(place.names(in: "backup") == ["sessions.sqlite"])
        #expect(place.mode(of: "backup") == 0o700)
        #expect(place.mode(of: "backup/sessions.sqlite") == 0o600)
        // The daemon goes on.
        try rig.stakes(5..<7, to: session, by: peer)

        let elsewhere = try TestFolder()
        for note in [elsewhere.file("note"), notes.file("note"), nil] {
            let after = try restored(place, rig.key, note: note)
            let state = try after.state(of: session)
            #expect(state.unsigned("rev") == 5)
            #expect(state.at("state") == before.at("state"))
            #expect(state.at("epoch") != before.at("epoch"))
            #expect(after.store.findings.filter(\.isDamage) == [])
            // From then on it is a folder as any other.
            let epoch = state.at("epoch")
            let again = try after.restarted()
            #expect(try again.state(of: session).at("epoch") == epoch)
            again.close()
            if note == notes.file("note") { break }
        }
        rig.close()
    }

    @Test func `when nothing was committed since, the epochs stay`() throws {
        let (rig, notes) = try rig()
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        try rig.stakes(0..<2, to: session, by: peer)
        let epoch = try rig.position(of: session).epoch
        rig.close()
        let place = try TestFolder()
        _ = try backUp(rig, to: place.file("backup"))
        let after = try restored(place, rig.key, note: notes.file("note"))
        #expect(try after.position(of: session).epoch == epoch)
        #expect(after.store.findings == [])
        after.close()
    }

    @Test func `a mark that is damaged counts`() throws {
        let (rig, notes) = try rig()
        let session = try StoreRig.id("a")
        try rig.subscribe(rig.peer(), to: session)
        let epoch = try rig.position(of: session).epoch
        rig.close()
        let place = try TestFolder()
        _ = try backUp(rig, to: place.file("backup"))
        do {
            let database = try SQLiteDatabase(
                path: place.file("backup/sessions.sqlite"), access: .read)
            try database.execute("UPDATE meta SET value = '99' WHERE name = 'backup'")
        }
        let after = try restored(place, rig.key, note: notes.file("note"))
        #expect(try after.position(of: session).epoch != epoch)
        after.close()
    }

    @Test func `what is in the way stays as it is`() throws {
        let (rig, _) = try rig()
        rig.close()
        let place = try TestFolder()
        try place.write([1], to: "file")
        #expect(throws: DataFolder.Fault.self) { try backUp(rig, to: place.file("file")) }
        _ = try DataFolder(place.file("full"))
        #expect(throws: DataFolder.Fault.self) { try backUp(rig, to: place.file("full")) }
        _ = try DataFolder(place.file("other.draft"))
        try place.write([1], to: "other.draft/mine")
        #expect(throws: DataFolder.Fault.self) { try backUp(rig, to: place.file("other")) }
        #expect(place.names == ["file", "full", "other.draft"])
        #expect(place.names(in: "other.draft") == ["coordd.lock", "mine"])
        // A draft of a backup that was killed is used again, an empty folder is taken.
        _ = try DataFolder(place.file("new.draft"))
        try place.write([1, 2], to: "new.draft/sessions.sqlite")
        _ = try backUp(rig, to: place.file("new"))
        #expect(place.names == ["file", "full", "new", "other.draft"])
    }

    @Test func `no backup comes into the folder that it is of, by no way`() throws {
        let (rig, _) = try rig()
        rig.close()
        let place = try TestFolder()
        let data = rig.folder.path
        #expect(unsafe symlink(data, place.file("link")) == 0)
        #expect(unsafe mkdir(rig.folder.file("empty"), 0o700) == 0)
        for path in [
            "\(data)/b", "\(data)//b/", "\(data)/new/b", "\(data)/empty", "\(data)/empty/.",
            "\(data)/empty/b", "\(data)/empty/../b", place.file("link/b"),
            place.file("link/empty/"), place.file("missing/../link/b"),
        ] {
            #expect(throws: DataFolder.Fault.self, "\(path)") {
                try BackupTarget(path, outside: data)
            }
        }
        // The store's thread may still be closing its files.
        let names = rig.folder.names.filter { !$0.hasPrefix("sessions.sqlite") }
        #expect(names == ["empty"])
        #expect(rig.folder.names(in: "empty") == [])
        // Beside it, and where its name begins alike.
        let target = try BackupTarget(data + "2/b", outside: data)
        target.discard()
        #expect(unsafe rmdir(data + "2") == 0)
    }

    @Test func `two backups to one place do not mix`() throws {
        let place = try TestFolder()
        let first = try BackupTarget(place.file("backup"))
        #expect(throws: DataFolder.Fault.self) { try BackupTarget(place.file("backup/")) }
        first.discard()
        #expect(place.names == [])
    }

    @Test func `one that is stopped leaves nothing`() throws {
        let (rig, _) = try rig()
        let session = try StoreRig.id("a")
        try rig.subscribe(rig.peer(), to: session)
        let place = try TestFolder()
        let world = StoreVerification.World(isStopped: { true })
        #expect(throws: StoreVerification.Stopped.self) {
            try backUp(rig, to: place.file("backup"), world)
        }
        #expect(place.names == [])
        rig.close()
    }

    @Test func `a damaged session is copied and named, a damaged tree is refused`() throws {
        let (rig, _) = try rig()
        let peer = rig.peer()
        for name in ["a", "b"] { try rig.subscribe(peer, to: try StoreRig.id(name)) }
        rig.close()
        do {
            try rig.database().execute(
                "UPDATE snapshot SET crc = crc + 1 WHERE session = (SELECT min(key) FROM session)")
        }
        let place = try TestFolder()
        let report = try backUp(rig, to: place.file("backup"))
        #expect(report.verification.damage.map(\.session) == ["a"])
        #expect(place.names == ["backup"])
        var bytes = rig.folder.bytes(of: "sessions.sqlite")
        // The type of the page where the table session begins.
        bytes[2 * 4096] = 0
        try rig.folder.write(bytes, to: "sessions.sqlite")
        #expect(throws: (any Error).self) { try backUp(rig, to: place.file("second")) }
        #expect(place.names == ["backup"])
    }
}
