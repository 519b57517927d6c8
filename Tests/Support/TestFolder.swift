import Actors
import Glibc

/// A folder of its own for one test; it goes with this value.
package final class TestFolder: Sendable {
    /// The folder's path.
    package let path: String

    /// Makes the folder.
    package init() throws {
        var template = Array("/tmp/coordd-test-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe mkdtemp(base) != nil
        }
        guard made else { throw RawClient.Failure.unexpected("no folder") }
        path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// A path in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The names in the folder.
    package var names: [String] { Self.names(in: path) }

    /// The names in a folder below it.
    package func names(in folder: String) -> [String] { Self.names(in: file(folder)) }

    /// The bytes of a file; empty when there is none.
    package func bytes(of name: String) -> [UInt8] {
        (try? FileText.read(file(name), limit: 1 << 30)) ?? []
    }

    /// Writes a file with a mode, in place of what was there.
    package func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o600) throws {
        unlinkFile(name)
        let descriptor = unsafe open(file(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw RawClient.Failure.unexpected("no file \(name)") }
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count == bytes.count else { throw RawClient.Failure.unexpected("short write") }
    }

    /// The permissions of a file.
    package func mode(of name: String) -> UInt32 {
        var status = stat()
        guard unsafe stat(file(name), &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }

    /// Removes a file.
    package func unlinkFile(_ name: String) {
        unsafe unlink(file(name))
    }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        for name in names(in: path) {
            let child = path + "/" + name
            if unsafe unlink(child) != 0 { remove(child) }
        }
        unsafe rmdir(path)
    }
}
