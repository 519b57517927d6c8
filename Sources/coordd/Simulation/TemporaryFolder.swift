import Glibc

/// A folder of our own under the system's temporary folder, removed with all it holds.
package struct TemporaryFolder: ~Copyable {
    /// The folder could not be made.
    package struct Failure: Error, CustomStringConvertible {
        /// Where it should have been.
        package var parent: String
        /// The system's number.
        package var code: Int32

        /// The place and the system's words.
        package var description: String {
            "cannot make a folder in \(parent): \(unsafe String(cString: strerror(code)))"
        }
    }

    /// The folder's path.
    package let path: String

    /// Makes a folder that only we may enter.
    ///
    /// - Throws: ``Failure`` when it cannot be made.
    package init(prefix: String) throws(Failure) {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Failure(parent: parent, code: errno)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// Removes a file, or a folder with all it holds; never follows a link.
    private static func remove(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unsafe unlink(path)
            return
        }
        for name in names(in: path) { remove("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
