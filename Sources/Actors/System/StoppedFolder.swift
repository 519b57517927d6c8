internal import Glibc

/// A data folder that no daemon uses, looked at and never written.
///
/// While this value lives no daemon starts on it, as far as the folder has had one before.
package final class StoppedFolder: Sendable {
    /// The folder's path.
    package let path: String
    /// The daemon's lock file; nil when there is none, as in a copy.
    private let lock: CInt?

    /// Looks at the folder at `path`; makes nothing.
    ///
    /// - Throws: ``DataFolder/Fault`` naming the folder, and the process that holds it.
    package init(_ path: String) throws(DataFolder.Fault) {
        self.path = path
        let database = DataFolder.database(in: path)
        guard StoreFiles.exists(database) else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .system(SystemFault("look at \(database)"))
            }
            throw .empty(folder: path)
        }
        let file = path + "/coordd.lock"
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .system(SystemFault("open \(file)")) }
            lock = nil
            try DataFolder.checkIsFinished(path)
            return
        }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else {
                throw .system(SystemFault("lock \(file)", code: code))
            }
            throw .held(folder: path, processID: DataFolder.holder(in: file))
        }
        lock = descriptor
        try DataFolder.checkIsFinished(path)
    }

    deinit { if let lock { close(lock) } }

    /// The database with the sessions.
    package var database: String { DataFolder.database(in: path) }
}
