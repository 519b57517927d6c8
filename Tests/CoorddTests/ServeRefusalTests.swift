import Actors
import Coordinator
import Glibc
import Security
import TestSupport
import Testing

/// Data folders that the daemon does not start with: it says why and exits with 1.
@Suite(.timeLimit(.minutes(5)))
struct ServeRefusalTests {
    private func filled() throws -> FilledFolder {
        let folder = try FilledFolder()
        try folder.add(["a": .new()], idleSince: nil)
        return folder
    }

    /// Starts the daemon, which ends by itself, and checks what it says.
    private func expectRefusal(_ folder: FilledFolder, data: String? = nil, _ words: String) throws
    {
        let process = try ToolProcess([
            "serve", "--config", folder.configuration, "--data", data ?? folder.data, "--listen",
            "127.0.0.1:0",
        ])
        let end = try process.end()
        #expect(end.code == 1)
        #expect(end.error.contains("cannot use the data folder"), "\(end)")
        #expect(end.error.contains(words), "\(end.error)")
    }

    @Test func `a newer schema`() throws {
        let folder = try filled()
        try folder.execute("PRAGMA user_version = 3")
        try folder.note("schema", "3")
        try expectRefusal(
            folder, "the database has schema version 3, this coordd reads up to 2")
        #expect(try folder.contents().contains { $0.hasPrefix("session: 1|a|") })
    }

    @Test func `another key file`() throws {
        let folder = try filled()
        folder.folder.unlinkFile("coordd.key")
        _ = try KeyFile.key(at: folder.folder.file("coordd.key"), isNeeded: false)
        try expectRefusal(folder, "its secrets are sealed with the key ")
    }

    @Test func `a key file that is missing`() throws {
        let folder = try filled()
        folder.folder.unlinkFile("coordd.key")
        try expectRefusal(folder, "is missing, and stored secrets need the key")
    }

    @Test func `a second daemon`() throws {
        let folder = try filled()
        let held = try DataFolder(folder.data)
        try withExtendedLifetime(held) {
            try expectRefusal(
                folder, "the data folder \(folder.data) is in use by process \(getpid())")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a folder of another user`() throws {
        let folder = try filled()
        #expect(unsafe chown(folder.data, 65_534, 65_534) == 0)
        try expectRefusal(
            folder, "the data folder \(folder.data) belongs to user 65534, and this is user 0")
    }

    @Test func `a folder that cannot be written`() throws {
        let folder = try filled()
        // Root writes everywhere but where the kernel takes nothing.
        let isRoot = geteuid() == 0
        let data = isRoot ? "/sys" : folder.data
        if !isRoot { #expect(unsafe chmod(folder.data, 0o500) == 0) }
        defer { if !isRoot { unsafe chmod(folder.data, 0o700) } }
        folder.folder.unlinkFile("data/coordd.lock")
        try expectRefusal(folder, data: data, "the data folder \(data) cannot be written: ")
    }

    @Test func `another program's database`() throws {
        let folder = try FilledFolder()
        do { _ = try DataFolder(folder.data) }
        let database = try SQLiteDatabase(path: folder.database, access: .create)
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes(text)")
        _ = try KeyFile.key(at: folder.folder.file("coordd.key"), isNeeded: false)
        try expectRefusal(folder, "the database is not one of coordd's")
    }
}
