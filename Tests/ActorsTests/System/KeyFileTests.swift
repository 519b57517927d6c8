import Actors
import Security
import TestSupport
import Testing

struct KeyFileTests {
    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test func `a key is made once and then read`() throws {
        let folder = try TestFolder()
        let path = folder.file("config/coordd.key")
        let made = try KeyFile.key(at: path, isNeeded: false)
        #expect(folder.mode(of: "config/coordd.key") == 0o600)
        #expect(folder.bytes(of: "config/coordd.key").count == 65)
        let read = try KeyFile.key(at: path, isNeeded: true)
        #expect(read.fingerprint == made.fingerprint)
        let sealed = made.seal([1, 2, 3], context: [])
        #expect(try read.open(sealed, context: []) == [1, 2, 3])
    }

    @Test func `two keys are never the same`() throws {
        let folder = try TestFolder()
        let first = try KeyFile.key(at: folder.file("a"), isNeeded: false)
        let second = try KeyFile.key(at: folder.file("b"), isNeeded: false)
        #expect(first.fingerprint != second.fingerprint)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644, 0o601] as [UInt32])
    func `a key that others may use is refused`(mode: UInt32) throws {
        let folder = try TestFolder()
        try folder.write(Array("\(Self.digits)\n".utf8), to: "key", mode: mode)
        let path = folder.file("key")
        #expect(
            throws: KeyFile.Fault.exposed(path: path, mode: "0" + String(mode, radix: 8))
        ) {
            try KeyFile.key(at: path, isNeeded: false)
        }
    }

    @Test(arguments: [
        "", "\n", String(digits.dropLast()), digits + "0", digits.uppercased(),
        String(digits.dropLast()) + "g", digits + "\n\n\n",
    ])
    func `a file that holds no key is refused`(text: String) throws {
        let folder = try TestFolder()
        try folder.write(Array(text.utf8), to: "key")
        let path = folder.file("key")
        #expect(throws: KeyFile.Fault.malformed(path: path)) {
            try KeyFile.key(at: path, isNeeded: false)
        }
    }

    @Test func `without the key that secrets were sealed with no other one is made`() throws {
        let folder = try TestFolder()
        let path = folder.file("key")
        #expect(throws: KeyFile.Fault.missing(path: path)) {
            try KeyFile.key(at: path, isNeeded: true)
        }
        #expect(folder.names == [])
    }

    @Test func `a folder in its place is refused`() throws {
        let folder = try TestFolder()
        #expect(throws: KeyFile.Fault.self) {
            try KeyFile.key(at: folder.path, isNeeded: false)
        }
    }
}
