import Actors
import TestSupport
import Testing

@Suite struct DataFolderReaderTests {
    @Test func `a folder that is missing is made for a daemon and not for a reader`() throws {
        let parent = try TestFolder()
        let path = parent.file("data")
        #expect(throws: DataFolder.Fault.empty(folder: path)) {
            try DataFolder(withDatabase: path)
        }
        #expect(parent.names.isEmpty)
        let folder = try DataFolder(path)
        #expect(!folder.hasDatabase)
        #expect(parent.names == ["data"])
    }

    @Test func `a reader makes nothing in a folder without a database`() throws {
        let folder = try TestFolder()
        #expect(throws: DataFolder.Fault.empty(folder: folder.path)) {
            try DataFolder(withDatabase: folder.path)
        }
        // An empty file is what a daemon leaves that was killed before it made the tables.
        try folder.write([], to: "sessions.sqlite")
        #expect(throws: DataFolder.Fault.empty(folder: folder.path)) {
            try DataFolder(withDatabase: folder.path)
        }
        #expect(folder.names == ["sessions.sqlite"])
    }

    @Test func `who comes second is told who is first`() throws {
        let folder = try TestFolder()
        try folder.write([1], to: "sessions.sqlite")
        let holder = try DataFolder(folder.path)
        let text = String(decoding: folder.bytes(of: "coordd.lock"), as: UTF8.self)
        let processID = text.filter(\.isNumber)
        #expect(text == "\(processID)\n")
        let fault = DataFolder.Fault.held(folder: folder.path, processID: processID)
        #expect(throws: fault) { try DataFolder(withDatabase: folder.path) }
        #expect(throws: fault) { try DataFolder(folder.path) }
        withExtendedLifetime(holder) {}
    }

    @Test func `a reader keeps a daemon out, and lets go in the end`() throws {
        let folder = try TestFolder()
        try folder.write([1], to: "sessions.sqlite")
        do {
            let reader = try DataFolder(withDatabase: folder.path)
            #expect(throws: DataFolder.Fault.self) { try DataFolder(folder.path) }
            withExtendedLifetime(reader) {}
        }
        _ = try DataFolder(folder.path)
    }
}
