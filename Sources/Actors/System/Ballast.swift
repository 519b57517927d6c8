internal import Glibc

/// A file that only takes room, to be given up when nothing else is left.
///
/// On a full disk SQLite cannot even open a database; whoever has ballast can.
package struct Ballast: Sendable {
    /// The file.
    package let path: String
    /// Its size; 0 is no ballast.
    package let size: Int64

    /// The ballast of a folder.
    package init(in folder: String, size: Int64) {
        path = folder + "/ballast"
        self.size = size
    }

    /// Whether all of it is there, on disk and not only as a number.
    package var isWhole: Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_size == size
            && Int64(status.st_blocks) * 512 >= size
    }

    /// Makes the file whole, or removes it when its size is 0.
    ///
    /// - Throws: ``SystemFault`` naming the file, when there is no room; then there is no file.
    package func make() throws(SystemFault) {
        guard size > 0 else {
            release()
            return
        }
        guard !isWhole else { return }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFault("make \(path)") }
        defer { close(descriptor) }
        var code = posix_fallocate(descriptor, 0, off_t(size))
        if code == 0, ftruncate(descriptor, off_t(size)) != 0 { code = errno }
        guard code == 0 else {
            // A part of it would be of no use.
            unsafe unlink(path)
            throw SystemFault("make \(path)", code: code)
        }
    }

    /// Gives the room back; false when there was nothing to give.
    @discardableResult
    package func release() -> Bool {
        unsafe unlink(path) == 0
    }
}
