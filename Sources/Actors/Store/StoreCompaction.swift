/// Gives back to the file system and to the machine what deleted sessions have left.
///
/// In steps that are short enough to be done whenever the writer has nothing else to do.
struct StoreCompaction {
    private let database: SQLiteDatabase
    /// The write-ahead log.
    private let log: String
    private let file: String
    /// Whether a look of the retention came by since everything was as it should be.
    private var isDue = false
    /// Whether the look deleted nothing: then less is enough to begin with.
    private var isCalm = false
    private var isShrinking = false
    /// Pages that were free after the step before.
    private var freeBefore: Int64 = 0
    /// Sessions deleted since memory was given back.
    private var deleted = 0
    /// Whether the file has got smaller since memory was given back.
    private var hasShrunk = false
    /// Whether memory is given back once more at the next look: what was in use between what was
    /// freed has moved by then.
    private var isRepeated = false

    /// Pages that one step moves to the front of the file: 1 MiB.
    private static let stepPages: Int64 = 256
    /// Free pages from which a file is too large, while sessions come and go and when none do.
    private static let busyFloor: Int64 = 1024
    private static let calmFloor: Int64 = 4
    /// Which part of the file must be free, as a divisor.
    private static let busyPart: Int64 = 10
    private static let calmPart: Int64 = 20
    /// A log that is longer is cut when nothing is deleted any more.
    private static let logBytes = 1 << 17
    /// Deleted sessions whose memory is worth the while.
    private static let memoryFloor = 10_000

    init(_ database: SQLiteDatabase, path: String) {
        self.database = database
        file = path
        log = StoreFiles(path).log
    }

    /// A look for old sessions has ended, which deleted so many.
    mutating func noteLook(deleted count: Int) {
        isDue = true
        isCalm = count == 0
        deleted += count
    }

    /// Does one step; false when there is none left to do.
    mutating func giveBack() -> Bool {
        guard isDue else { return false }
        do throws(SQLiteError) {
            if try shrinkFile() { return true }
            if isCalm, StoreFiles.size(of: log) > Self.logBytes { try cutLog() }
            let wasMuch = deleted > 0 || hasShrunk
            if deleted >= Self.memoryFloor || isCalm && (wasMuch || isRepeated) {
                isRepeated = wasMuch
                try releaseMemory()
            }
        } catch {
            // A disk that refuses is noticed by whoever has something to write.
            isShrinking = false
        }
        isDue = false
        return false
    }

    /// Makes room on a disk that is short of it: the log is copied into the database and cut, and all
    /// that is free leaves the file.
    ///
    /// `canGrow` is asked, with the bytes that are wanted, whether the file can grow where it must.
    mutating func makeRoom(canGrow: (Int) -> Bool) {
        do throws(SQLiteError) {
            if StoreFiles.size(of: log) > 0, try canCutLog(canGrow) { try cutLog() }
            guard try database.number("PRAGMA freelist_count") ?? 0 >= Self.calmFloor else {
                return
            }
            try database.execute("PRAGMA incremental_vacuum(\(Self.stepPages))")
            if try canCutLog(canGrow) { try cutLog() }
        } catch {
            // It is tried again with the next look.
        }
    }

    private func canCutLog(_ canGrow: (Int) -> Bool) throws(SQLiteError) -> Bool {
        let pages = Int(try database.number("PRAGMA page_count") ?? 0)
        let growth = pages * StoreFiles.pageBytes - StoreFiles.size(of: file)
        return growth <= 0 || canGrow(growth)
    }

    /// Takes free pages off the end of the file; false when there are few.
    private mutating func shrinkFile() throws(SQLiteError) -> Bool {
        let free = try database.number("PRAGMA freelist_count") ?? 0
        if isShrinking {
            // A file that was made without the means for it stays as it is.
            guard free > 0, free < freeBefore else {
                isShrinking = false
                hasShrunk = true
                try cutLog()
                return false
            }
        } else {
            let pages = try database.number("PRAGMA page_count") ?? 0
            let (floor, part) =
                isCalm ? (Self.calmFloor, Self.calmPart) : (Self.busyFloor, Self.busyPart)
            guard free >= floor, free > pages / part else { return false }
            isShrinking = true
        }
        freeBefore = free
        try database.execute("PRAGMA incremental_vacuum(\(Self.stepPages))")
        return true
    }

    private func cutLog() throws(SQLiteError) {
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private mutating func releaseMemory() throws(SQLiteError) {
        deleted = 0
        hasShrunk = false
        try database.execute("PRAGMA shrink_memory")
        ProcessMemory.giveBack()
    }
}
