/// The bytes that wait for a reader, bounded; what is queued together leaves in one write.
package struct OutboundQueue: Sendable {
    private let limit: Int
    private var queued: [UInt8] = []
    /// An empty buffer of an earlier write, for the bytes that come next.
    private var spare: [UInt8] = []
    private var inFlight = 0

    /// The largest buffer that is kept when it is empty: most connections are idle.
    private static let keptBytes = 1024

    /// A queue for at most `limit` bytes, those of a write under way included.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether nothing is queued and no write is under way.
    package var isEmpty: Bool { queued.isEmpty && inFlight == 0 }

    /// Bytes queued and in flight.
    package var count: Int { queued.count + inFlight }

    /// Lets `encode` add bytes at the end; false when that is too much, and everything is freed.
    ///
    /// With `isAlone` it is never too much when nothing else waits.
    package mutating func append(
        isAlone: Bool = false, _ encode: (inout [UInt8]) -> Void
    ) -> Bool {
        let fits = isAlone && isEmpty
        encode(&queued)
        guard fits || count <= limit else {
            clear()
            return false
        }
        return true
    }

    /// Takes what is queued for one write; empty while an earlier write is under way.
    package mutating func take() -> [UInt8] {
        guard inFlight == 0 else { return [] }
        inFlight = queued.count
        var bytes: [UInt8] = []
        swap(&bytes, &spare)
        swap(&bytes, &queued)
        return bytes
    }

    /// Ends a write; its buffer is used again when it is small, and freed when it is not.
    package mutating func completed(_ recycled: consuming [UInt8]) {
        inFlight = 0
        guard recycled.capacity <= Self.keptBytes else { return }
        recycled.removeAll(keepingCapacity: true)
        spare = recycled
    }

    /// Throws everything away and frees the memory.
    package mutating func clear() {
        queued = []
        spare = []
        inFlight = 0
    }
}
