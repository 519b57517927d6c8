/// The batches that the writer has not done with, oldest first.
struct StoreUnderway {
    private struct Entry {
        /// In the loop's monotonic nanoseconds.
        var postedAt: UInt64
        var bytes: Int
    }

    private var entries: [Entry] = []
    /// What their commits weigh together.
    private(set) var bytes = 0

    var count: Int { entries.count }

    /// When the oldest was posted; nil when nothing is under way.
    var oldest: UInt64? { entries.first?.postedAt }

    mutating func add(at nanoseconds: UInt64, bytes: Int) {
        entries.append(Entry(postedAt: nanoseconds, bytes: bytes))
        self.bytes += bytes
    }

    mutating func removeFirst(_ count: Int) {
        for entry in entries.prefix(count) { bytes -= entry.bytes }
        entries.removeFirst(count)
    }
}
