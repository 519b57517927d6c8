import Actors
import Glibc
import TestSupport
import Testing

/// Two daemons and one data folder (Docs/Cases.md).
@Suite(.timeLimit(.minutes(5)))
struct SecondDaemonTests {
    @Test func `C54: a second daemon names the first one and touches nothing`() throws {
        let folder = try TestFolder()
        let data = folder.file("data")
        let first = try DataFolder(data)
        let names = folder.names(in: "data")
        let before = names.map { folder.bytes(of: "data/\($0)") }
        let second = try ToolProcess([
            "serve", "--data", data, "--listen", "127.0.0.1:0", "--ready-file",
            folder.file("ready"),
        ])
        let end = try second.end()
        #expect(end.code == 1)
        #expect(end.error.contains("is in use by process \(getpid())"))
        #expect(folder.names(in: "data") == names)
        #expect(names.map { folder.bytes(of: "data/\($0)") } == before)
        #expect(folder.names == ["data"])
        withExtendedLifetime(first) {}
    }
}
