internal import Glibc

/// The folder that a backup becomes: made under another name, and moved when it is whole.
package final class BackupTarget {
    /// Where it will be.
    package let path: String
    /// Where it is made.
    package let draft: String
    private var held: DataFolder?

    /// Makes the draft beside `path`, which must not be there or be an empty folder.
    ///
    /// A draft that a backup left behind when it was killed is used again. The place must not be in
    /// `folder`, which is copied.
    ///
    /// - Throws: ``DataFolder/Fault`` naming what is in the way.
    package init(_ path: String, outside folder: String? = nil) throws(DataFolder.Fault) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        draft = path + ".draft"
        do throws(SystemFault) {
            if let folder { try FolderPlace.check(path, isOutside: folder) }
            try Self.checkIsFree(path)
            try Self.checkIsOurs(draft)
        } catch {
            throw .system(error)
        }
        held = try DataFolder(draft)
        do throws(SystemFault) {
            // Folders that were just made may lead elsewhere than their names did.
            if let folder { try FolderPlace.check(draft, isOutside: folder) }
        } catch {
            discard()
            throw .system(error)
        }
        do throws(SystemFault) {
            try StoreFiles.remove(DataFolder.database(in: draft))
        } catch {
            throw .system(error)
        }
        unsafe chmod(draft, 0o700)
    }

    private static func checkIsFree(_ path: String) throws(SystemFault) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SystemFault("look at \(path)") }
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemFault(action: "back up to \(path)", reason: "it is no folder")
        }
        guard try names(in: path).isEmpty else {
            throw SystemFault(action: "back up to \(path)", reason: "the folder is not empty")
        }
    }

    /// Nothing is in it but what a backup that was killed leaves.
    private static func checkIsOurs(_ draft: String) throws(SystemFault) {
        var status = stat()
        guard unsafe lstat(draft, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemFault(action: "make \(draft)", reason: "it is there, and no folder")
        }
        let others = try names(in: draft).filter { name in
            name != "coordd.lock" && !name.hasPrefix("sessions.sqlite")
        }
        guard others.isEmpty else {
            throw SystemFault(
                action: "make \(draft)", reason: "it is there, with other files in it")
        }
    }

    private static func names(in path: String) throws(SystemFault) -> [String] {
        guard let folder = unsafe opendir(path) else { throw SystemFault("read \(path)") }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The database in the draft.
    package var database: String { DataFolder.database(in: draft) }

    /// Makes the database's file, which only this user may read.
    package func reserve() throws(SystemFault) {
        try held?.reserveDatabase()
    }

    /// Bytes that this user can still write there.
    package var freeBytes: Int? {
        var status = statvfs()
        guard unsafe statvfs(draft, &status) == 0 else { return nil }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(
                by: UInt64(status.f_frsize)
            ).partialValue)
    }

    /// Makes all of it durable.
    package func sync() throws(SystemFault) {
        let file = unsafe open(database, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemFault("open \(database)") }
        defer { close(file) }
        guard fsync(file) == 0 else { throw SystemFault("write \(database)") }
    }

    /// Moves the draft, which is whole, to its place.
    package func publish() throws(SystemFault) {
        unsafe unlink(draft + "/coordd.lock")
        try Files.syncFolder(of: database)
        guard unsafe rename(draft, path) == 0 else { throw SystemFault("move \(draft) to \(path)") }
        held = nil
        try? Files.syncFolder(of: path)
    }

    /// Removes the draft.
    package func discard() {
        // What cannot be removed now the next backup to this place tries to remove again.
        try? StoreFiles.remove(database)
        unsafe unlink(draft + "/coordd.lock")
        unsafe rmdir(draft)
        held = nil
    }
}
