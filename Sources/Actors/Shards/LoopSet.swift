/// Some of the loops of a process, by their places.
struct LoopSet: Sendable {
    // `Post.maximumCount` are as many as it has bits.
    private var bits: UInt64 = 0

    mutating func insert(_ place: Int) { bits |= 1 << place }

    func contains(_ place: Int) -> Bool { bits & 1 << place != 0 }
}
