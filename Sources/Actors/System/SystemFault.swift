internal import Glibc

/// What the operating system refused, in its own words.
package struct SystemFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was attempted.
    package var action: String
    /// The system's words, such as "Permission denied".
    package var reason: String

    /// A refusal in other words than the system's.
    package init(action: String, reason: String) {
        self.action = action
        self.reason = reason
    }

    /// The refusal of the newest system call of this thread.
    init(_ action: String, code: CInt = errno) {
        self.action = action
        reason = FileText.describe(code)
    }

    /// Whether there was no room.
    var isFull: Bool {
        [ENOSPC, EDQUOT, EFBIG].contains { reason == FileText.describe($0) }
    }

    /// Whether nobody reads any more what is written.
    package var isBrokenPipe: Bool { reason == FileText.describe(EPIPE) }

    /// Action and reason.
    package var description: String { "cannot \(action): \(reason)" }
}

/// Folders and small files of one's own.
enum Files {
    /// Makes a folder that only this user may enter, and those above it that are missing.
    static func makeFolder(_ path: String) throws(SystemFault) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { throw SystemFault("look at \(path)") }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw SystemFault("use \(path)", code: ENOTDIR)
            }
            return
        }
        guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"),
            slash > path.startIndex
        else { throw SystemFault("make the folder \(path)") }
        try makeFolder(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SystemFault("make the folder \(path)")
        }
    }

    /// Makes the names in the folder of `path` survive a power failure.
    static func syncFolder(of path: String) throws(SystemFault) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFault("open \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFault("write \(folder)") }
    }

    /// Writes all of `bytes`.
    static func write(_ bytes: [UInt8], to descriptor: CInt, _ path: String) throws(SystemFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SystemFault("write \(path)") }
            rest = rest.dropFirst(count)
        }
    }
}
