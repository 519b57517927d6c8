internal import Coordinator
internal import Glibc

/// The files of a data folder's database, apart from what is in them.
struct StoreFiles {
    /// The database.
    let path: String

    /// Damaged databases that are kept; older ones go.
    private static let keptLimit = 3
    static let pageBytes = 4096
    /// The trees of all tables begin in these first pages, which SQLite wants to be there.
    static let rootPages = 32

    init(_ path: String) {
        self.path = path
    }

    /// The folder that they are in.
    var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
    /// The log that belongs to the database.
    var log: String { path + "-wal" }
    /// A database that is being made, and worth nothing yet.
    var draft: String { path + ".salvage" }
    /// A database that is complete and takes the place of the other one.
    var replacement: String { path + ".ready" }
    /// A copy of a damaged database, to try things on.
    var trial: String { path + ".trial" }

    /// Checks what stands in every file of coordd's at the beginning, whatever it holds.
    ///
    /// - Throws: ``StoreFault`` of a file that SQLite would refuse, or take for read-only.
    func checkHeader() throws(StoreFault) {
        guard let header = Self.read(path, count: 100) else { return }
        // SQLite would delete the log of an empty file.
        guard !header.isEmpty || Self.size(of: log) == 0 else {
            throw .damaged("the file is empty, and its log is not")
        }
        guard !header.isEmpty, !isUnfinished else { return }
        guard header.count == 100 else { throw .damaged("the file ends in its header") }
        guard header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw .damaged("the file is no SQLite database")
        }
        // Page size 4096, write-ahead log, nothing reserved, the fractions of a page.
        guard Array(header[16..<24]) == [0x10, 0, 2, 2, 0, 64, 32, 32] else {
            throw .damaged("the file's header is not as it was written")
        }
    }

    /// Whether the file was just being made when the process or the machine died: SQLite wrote its
    /// first page, or was about to, before the write-ahead log came to be used and any table was.
    private var isUnfinished: Bool {
        guard Self.size(of: path) <= Self.pageBytes, Self.size(of: log) == 0 else { return false }
        // It takes back what it had begun.
        if Self.size(of: path + "-journal") > 0 { return true }
        guard let page = Self.read(path, count: 108), page.count == 108 else { return false }
        // A page size of 4096, no log yet, and a tree of tables that is a leaf without a row.
        return page.starts(with: Array("SQLite format 3\0".utf8))
            && Array(page[16..<20]) == [0x10, 0, 1, 1]
            && Array(page[100..<105]) == [0x0D, 0, 0, 0, 0]
    }

    /// Puts the complete database in the place of the damaged one, which is kept under another name.
    ///
    /// A process that dies meanwhile does it again at its next start. The old log goes before the
    /// new database comes: SQLite would take it for the log of that one.
    ///
    /// - Returns: where the damaged database is kept; nil when there was nothing to do.
    @discardableResult
    func finishReplacement(at now: Instant) throws(StoreFault) -> String? {
        do throws(SystemFault) {
            for file in [draft, trial] { try Self.remove(file) }
            guard Self.exists(replacement) else { return nil }
            let kept = name(at: now)
            for suffix in ["", "-wal"] where Self.exists(path + suffix) {
                try Self.keep(path + suffix, as: kept + suffix)
            }
            try Files.syncFolder(of: path)
            for suffix in ["-wal", "-shm"] { try Self.removeFile(path + suffix) }
            try Files.syncFolder(of: path)
            guard unsafe rename(replacement, path) == 0 else {
                throw SystemFault("replace \(path)")
            }
            try Files.syncFolder(of: path)
            forgetOldest()
            return kept
        } catch {
            throw .system(error)
        }
    }

    /// Makes an empty file that only this user may read.
    func reserveDraft() throws(SystemFault) {
        let descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFault("make \(draft)") }
        close(descriptor)
    }

    /// Declares the draft complete: from now on it takes the place of the database.
    func promoteDraft() throws(SystemFault) {
        let descriptor = unsafe open(draft, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFault("open \(draft)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFault("write \(draft)") }
        guard unsafe rename(draft, replacement) == 0 else {
            throw SystemFault("move \(draft)")
        }
        try Files.syncFolder(of: path)
    }

    /// Under one name more, or under that name alone where a file can have only one.
    private static func keep(_ file: String, as name: String) throws(SystemFault) {
        if unsafe link(file, name) == 0 { return }
        guard unsafe rename(file, name) == 0 else { throw SystemFault("move \(file)") }
    }

    private func name(at now: Instant) -> String {
        let time = CivilTime(now).text.prefix(19).map { $0 == ":" ? "-" : $0 }
        let first = "\(path).damaged-\(String(time))Z"
        var (name, number) = (first, 1)
        while Self.exists(name) || Self.exists(name + "-wal") {
            number += 1
            name = "\(first).\(number)"
        }
        return name
    }

    private func forgetOldest() {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let prefix = path[slash...].dropFirst() + ".damaged-"
        let kept = Self.names(in: folder).filter { name in
            name.hasPrefix(prefix) && !name.hasSuffix("-wal")
        }.sorted()
        for name in kept.dropLast(Self.keptLimit) {
            for suffix in ["", "-wal"] { unsafe unlink("\(folder)/\(name)\(suffix)") }
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let handle = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(handle) }
        var names: [String] = []
        while let entry = unsafe readdir(handle) {
            names.append(
                unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}

extension StoreFiles {
    static func exists(_ file: String) -> Bool { unsafe access(file, F_OK) == 0 }

    static func size(of file: String) -> Int {
        var status = stat()
        return unsafe stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes a database and what SQLite puts beside it.
    ///
    /// - Throws: ``SystemFault`` naming what stays: another database of that name would take it for
    ///   its own.
    static func remove(_ file: String) throws(SystemFault) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try removeFile(file + suffix) }
    }

    private static func removeFile(_ file: String) throws(SystemFault) {
        guard unsafe unlink(file) == 0 || errno == ENOENT else {
            throw SystemFault("remove \(file)")
        }
    }

    /// The first bytes of a file; nil when it cannot be read.
    static func read(_ file: String, count: Int) -> [UInt8]? {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        return read < 0 ? nil : Array(bytes.prefix(read))
    }

    /// Copies a file, with `first` in place of its first bytes, and zeros at its end up to `size`.
    ///
    /// - Throws: ``SystemFault`` naming the file.
    static func copy(
        _ source: String, to target: String, first: [UInt8] = [], size: Int = 0
    ) throws(SystemFault) {
        let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw SystemFault("open \(source)") }
        defer { close(input) }
        let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw SystemFault("make \(target)") }
        defer { close(output) }
        try Files.write(first, to: output, target)
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var place = first.count
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe pread(input, buffer.baseAddress, buffer.count, place)
            }
            guard count >= 0 else { throw SystemFault("read \(source)") }
            guard count > 0 else { break }
            try Files.write(Array(chunk[..<count]), to: output, target)
            place += count
        }
        guard place >= size || ftruncate(output, size) == 0 else {
            throw SystemFault("write \(target)")
        }
    }
}
