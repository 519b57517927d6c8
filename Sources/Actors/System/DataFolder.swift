internal import Glibc

/// The folder with all that the daemon keeps, held by one process at a time.
package final class DataFolder: Sendable {
    /// Why the folder cannot be used.
    package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The system refuses something.
        case system(SystemFault)
        /// Another process holds it.
        case held(folder: String, processID: String)
        /// It belongs to another user, whose files this one would mix with its own.
        case owner(folder: String, owner: UInt32, user: UInt32)
        /// Nothing can be written in it.
        case readOnly(folder: String, reason: String)
        /// There is nothing to read: no folder, or no database in it.
        case empty(folder: String)
        /// A change of the database was cut off before the write-ahead log came to be used.
        case unfinished(journal: String)

        /// The fault in plain words.
        package var description: String {
            switch self {
            case .system(let fault): fault.description
            case .held(let folder, let processID):
                "the data folder \(folder) is in use by process \(processID)"
            case .owner(let folder, let owner, let user):
                "the data folder \(folder) belongs to user \(owner), and this is user \(user)"
            case .readOnly(let folder, let reason):
                "the data folder \(folder) cannot be written: \(reason)"
            case .empty(let folder): "there is no database of coordd in \(folder)"
            case .unfinished(let journal):
                "\(journal) is there: the change that it belongs to was cut off, and only a daemon "
                    + "takes that back; start coordd serve on this folder once, and stop it"
            }
        }
    }

    /// The folder's path.
    package let path: String
    private let lock: CInt

    /// Makes the folder if it is missing and holds it until this value goes.
    ///
    /// The lock is the kernel's: it ends with the process, however that ends.
    ///
    /// - Throws: ``Fault`` naming the folder, and the process that holds it.
    package init(_ path: String) throws(Fault) {
        do throws(SystemFault) {
            try Files.makeFolder(path)
        } catch {
            throw .system(error)
        }
        self.path = path
        lock = try Self.hold(path)
        guard unsafe access(path, W_OK) == 0 else {
            throw .readOnly(folder: path, reason: SystemFault("write in \(path)").reason)
        }
    }

    /// Holds a folder that has a database until this value goes; makes nothing but the lock.
    ///
    /// - Throws: ``Fault`` naming the folder, and the process that holds it.
    package init(withDatabase path: String) throws(Fault) {
        self.path = path
        var status = stat()
        let database = Self.database(in: path)
        if unsafe stat(database, &status) != 0 {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .system(SystemFault("look at \(database)"))
            }
            throw .empty(folder: path)
        }
        guard status.st_size > 0 else { throw .empty(folder: path) }
        lock = try Self.hold(path)
        try Self.checkIsFinished(path)
    }

    /// Checks that there is nothing that SQLite would take back before it reads the database.
    ///
    /// A daemon that runs has no such file: it uses a write-ahead log.
    ///
    /// - Throws: ``Fault`` naming the file.
    package static func checkIsFinished(_ path: String) throws(Fault) {
        let journal = database(in: path) + "-journal"
        // SQLite cuts one that is done with, or writes zeros over its beginning.
        guard let first = StoreFiles.read(journal, count: 1)?.first, first != 0 else { return }
        throw .unfinished(journal: journal)
    }

    private static func hold(_ path: String) throws(Fault) -> CInt {
        try checkOwner(path)
        let file = path + "/coordd.lock"
        let lock = unsafe open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            let fault = SystemFault("open \(file)")
            guard [EACCES, EPERM, EROFS].contains(errno) else { throw .system(fault) }
            throw .readOnly(folder: path, reason: fault.reason)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(lock)
            guard code == EWOULDBLOCK else {
                throw .system(SystemFault("lock \(file)", code: code))
            }
            throw .held(folder: path, processID: holder(in: file))
        }
        do throws(SystemFault) {
            // Over what is there, which takes no room on a full disk.
            let text = Array("\(getpid())\n".utf8)
            try Files.write(text, to: lock, file)
            guard ftruncate(lock, text.count) == 0 else { throw SystemFault("write \(file)") }
        } catch  where error.isFull {
            // It is held all the same; only its holder's number is not told.
        } catch {
            close(lock)
            throw .system(error)
        }
        return lock
    }

    /// The process that a lock file names.
    static func holder(in file: String) -> String {
        let text = (try? FileText.read(file, limit: 64)) ?? []
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
    }

    /// Checks that a folder is this user's.
    ///
    /// - Throws: ``Fault`` naming folder and owner.
    package static func checkOwner(_ path: String) throws(Fault) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw .system(SystemFault("look at \(path)"))
        }
        guard status.st_uid == geteuid() else {
            throw .owner(folder: path, owner: status.st_uid, user: geteuid())
        }
    }

    deinit { close(lock) }

    /// The database with the sessions.
    package var database: String { Self.database(in: path) }

    /// The database of a folder.
    package static func database(in path: String) -> String { path + "/sessions.sqlite" }

    /// Whether there is a database already; empty files are none yet.
    ///
    /// Before its first checkpoint all of it is in the write-ahead log.
    package var hasDatabase: Bool { Self.hasDatabase(in: path) }

    /// Whether there is a database in a folder; empty files are none yet.
    package static func hasDatabase(in path: String) -> Bool {
        let database = database(in: path)
        return [database, database + "-wal"].contains { file in
            var status = stat()
            return unsafe stat(file, &status) == 0 && status.st_size > 0
        }
    }

    /// Whether the database is there and empty, as it is for a moment before its first use.
    package var hasEmptyDatabase: Bool {
        var status = stat()
        return unsafe stat(database, &status) == 0 && status.st_size == 0
    }

    /// Makes an empty file for the database that only this user may read, if there is none.
    ///
    /// SQLite gives the files beside it the same mode.
    ///
    /// - Throws: ``SystemFault`` naming the file.
    package func reserveDatabase() throws(SystemFault) {
        let descriptor = unsafe open(database, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFault("open \(database)") }
        close(descriptor)
        // SQLite does this for its log, and takes the database's own name for safe.
        try Files.syncFolder(of: database)
        // A folder above may be one that this user cannot read.
        try? Files.syncFolder(of: path)
    }
}
