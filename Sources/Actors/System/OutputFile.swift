internal import Glibc

/// A file that only this user may read, and that appears whole or not at all.
package final class OutputFile {
    private let path: String
    private let draft: String
    private let descriptor: CInt
    private var isDone = false

    /// Begins a file beside `path`.
    ///
    /// - Throws: ``SystemFault`` naming the file.
    package init(_ path: String) throws(SystemFault) {
        self.path = path
        draft = "\(path).\(getpid()).tmp"
        descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFault("make \(draft)") }
    }

    /// Adds bytes.
    package func write(_ bytes: [UInt8]) throws(SystemFault) {
        try Files.write(bytes, to: descriptor, draft)
    }

    /// Makes it durable and moves it to its place.
    package func publish() throws(SystemFault) {
        guard fsync(descriptor) == 0 else { throw SystemFault("write \(draft)") }
        guard unsafe rename(draft, path) == 0 else { throw SystemFault("move \(draft) to \(path)") }
        isDone = true
        try? Files.syncFolder(of: path)
    }

    deinit {
        close(descriptor)
        if !isDone { unsafe unlink(draft) }
    }
}
