internal import Glibc

/// A file that only this user may read, and that appears whole or not at all.
package final class OutputFile {
    private let path: String
    private let draft: String
    private let descriptor: CInt
    private var isDone = false

    /// Begins a file beside `path`, where nothing or a regular file may be.
    ///
    /// It must not be in `folder`, whose files have names of their own, nor one of `kept`.
    ///
    /// - Throws: ``SystemFault`` naming the file.
    package init(
        _ path: String, outside folder: String? = nil, sparing kept: [String] = []
    ) throws(SystemFault) {
        if let folder { try FolderPlace.check(path, isOutside: folder) }
        for file in kept where FolderPlace.isSame(path, file) {
            throw SystemFault(action: "replace \(path)", reason: "it is needed as it is")
        }
        try Self.checkIsReplaceable(path)
        self.path = path
        draft = "\(path).\(getpid()).tmp"
        descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFault("make \(draft)") }
    }

    /// What is no regular file is somebody's device, pipe or link, and gets nothing.
    private static func checkIsReplaceable(_ path: String) throws(SystemFault) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SystemFault("look at \(path)") }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemFault(action: "replace \(path)", reason: "it is no regular file")
        }
    }

    /// Adds bytes.
    package func write(_ bytes: [UInt8]) throws(SystemFault) {
        try Files.write(bytes, to: descriptor, draft)
    }

    /// Makes it durable and moves it to its place.
    package func publish() throws(SystemFault) {
        guard fsync(descriptor) == 0 else { throw SystemFault("write \(draft)") }
        // It may have come meanwhile.
        try Self.checkIsReplaceable(path)
        guard unsafe rename(draft, path) == 0 else { throw SystemFault("move \(draft) to \(path)") }
        isDone = true
        try? Files.syncFolder(of: path)
    }

    deinit {
        close(descriptor)
        if !isDone { unsafe unlink(draft) }
    }
}
