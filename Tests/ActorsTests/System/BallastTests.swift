import Actors
import Glibc
import TestSupport
import Testing

@Suite struct BallastTests {
    @Test func `it takes its room on the disk, and gives it back`() throws {
        let folder = try TestFolder()
        let ballast = Ballast(in: folder.path, size: 1_000_000)
        #expect(!ballast.isWhole)
        try ballast.make()
        #expect(ballast.isWhole)
        #expect(folder.names == ["ballast"])
        #expect(folder.mode(of: "ballast") == 0o600)
        #expect(ballast.release())
        #expect(folder.names == [])
        #expect(!ballast.release())
    }

    @Test func `a number without room behind it is no ballast`() throws {
        let folder = try TestFolder()
        let ballast = Ballast(in: folder.path, size: 1_000_000)
        try folder.write([], to: "ballast")
        #expect(unsafe truncate(ballast.path, 1_000_000) == 0)
        #expect(!ballast.isWhole)
        try ballast.make()
        #expect(ballast.isWhole)
    }

    @Test func `another size takes its place, and none removes it`() throws {
        let folder = try TestFolder()
        try Ballast(in: folder.path, size: 1_000_000).make()
        let smaller = Ballast(in: folder.path, size: 8192)
        #expect(!smaller.isWhole)
        try smaller.make()
        #expect(smaller.isWhole)
        try Ballast(in: folder.path, size: 0).make()
        #expect(folder.names == [])
    }

    @Test func `where there is no room for it, nothing is left of it`() throws {
        let folder = try TestFolder()
        // More than any file system holds.
        let ballast = Ballast(in: folder.path, size: 1 << 60)
        #expect(throws: SystemFault.self) { try ballast.make() }
        #expect(folder.names == [])
    }

    @Test func `free space is known of a folder that is there`() throws {
        #expect(try #require(FreeSpace.bytes(in: "/tmp")) > 0)
        #expect(FreeSpace.bytes(in: "/tmp/there is no such folder") == nil)
    }
}
