import Actors
import Glibc
import TestSupport
import Testing

struct DataFolderTests {
    @Test func `a folder is made with those above it, for its user only`() throws {
        let folder = try TestFolder()
        let data = try DataFolder(folder.file("deep/er/data"))
        #expect(folder.mode(of: "deep/er/data") == 0o700)
        #expect(!data.hasDatabase)
        try data.reserveDatabase()
        #expect(folder.mode(of: "deep/er/data/sessions.sqlite") == 0o600)
        #expect(!data.hasDatabase)
        try folder.write([1], to: "deep/er/data/sessions.sqlite-wal")
        #expect(data.hasDatabase)
    }

    @Test func `a folder has one holder, who is named`() throws {
        let folder = try TestFolder()
        let path = folder.file("data")
        do {
            let first = try DataFolder(path)
            #expect(throws: DataFolder.Fault.held(folder: path, processID: "\(getpid())")) {
                try DataFolder(path)
            }
            #expect(first.path == path)
        }
        #expect(throws: Never.self) { try DataFolder(path) }
    }

    @Test func `a file in its place is refused by name`() throws {
        let folder = try TestFolder()
        try folder.write([1], to: "data")
        let error = #expect(throws: DataFolder.Fault.self) {
            try DataFolder(folder.file("data"))
        }
        #expect(error?.description.contains(folder.file("data")) == true)
        #expect(throws: DataFolder.Fault.self) { try DataFolder(folder.file("data/deeper")) }
    }
}
