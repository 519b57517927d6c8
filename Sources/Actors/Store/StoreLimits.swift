/// What a store may keep waiting, and how much room it leaves on the disk.
package struct StoreLimits: Sendable {
    /// Commits that may wait for the disk; beyond, no change is taken that a client asks for.
    package var queueCommits = 8192
    /// What they may weigh together, in bytes, before the one that goes beyond.
    package var queueBytes = 67_108_864
    /// Seconds without an answer of the disk after which nothing new waits for it.
    package var stallSeconds: Int64 = 5
    /// With fewer free bytes nobody should ask for changes; 0: the disk may become full.
    package var minimumFreeBytes: Int64 = 0
    /// The size of the ballast, which 0 removes; nil: what is there stays.
    package var ballastBytes: Int64?
    /// Pages in the write-ahead log from which they are copied into the database.
    package var logPages: Int64 = 4000
    /// Pages that the database may have; nil: as many as SQLite can handle.
    package var pageLimit: Int?
    /// How many bytes are free in the file system of a folder; nil when nobody can say.
    package var freeBytes: @Sendable (String) -> Int64? = { FreeSpace.bytes(in: $0) }

    /// The standard bounds, and no care for the disk.
    package init() {}

    /// Mark and ballast take no more than one part in so many of a file system.
    package static let share: Int64 = 16

    /// Makes mark, ballast and log smaller for a file system of `totalBytes`: on a small one they
    /// would leave nothing to use.
    ///
    /// What the log holds must find room in the database below the mark, so it has half of that.
    package mutating func fit(totalBytes: Int64) {
        let part = totalBytes / Self.share
        minimumFreeBytes = min(minimumFreeBytes, part)
        ballastBytes = ballastBytes.map { min($0, part) }
        logPages = max(64, min(logPages, part / 2 / Int64(StoreFiles.pageBytes)))
    }
}

/// What an operator may watch of a store.
package struct StoreCondition: Sendable, Equatable {
    /// Free bytes in the file system of the data folder; nil when unknown.
    package var freeBytes: Int64?
    /// Whether there is too little room.
    package var isFull = false
    /// Why nobody should ask for changes that need room; nil while they are taken.
    package var shortage: String?
    /// Why whoever would have to wait for the disk is refused at once; nil while it answers.
    package var stall: String?
    /// Why no change is taken before the disk has taken others; nil while they are.
    package var backlog: String?
    /// Bytes of the commits that are not durable yet, about.
    package var queueBytes = 0

    /// A store that is well.
    package init() {}
}
