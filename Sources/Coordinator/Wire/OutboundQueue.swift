/// The bytes that wait for a reader, bounded; what is queued together leaves in one write.
package struct OutboundQueue: Sendable {
    private let limit: Int
    private var queued: [UInt8] = []
    private var inFlight = 0
    /// Whether a write is under way, also of bytes that were thrown away since.
    package private(set) var isWriting = false

    /// A queue for at most `limit` bytes, those of a write under way included.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether nothing is queued and no write is under way.
    package var isEmpty: Bool { queued.isEmpty && inFlight == 0 }

    /// Bytes queued and in flight.
    package var count: Int { queued.count + inFlight }

    /// Whether the bytes that come next need memory.
    package var needsBuffer: Bool { queued.capacity == 0 }

    /// Gives memory to a queue that needs some.
    package mutating func use(_ buffer: consuming [UInt8]) {
        queued = buffer
    }

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
        guard !isWriting, !queued.isEmpty else { return [] }
        inFlight = queued.count
        isWriting = true
        var bytes: [UInt8] = []
        swap(&bytes, &queued)
        return bytes
    }

    /// Ends a write.
    package mutating func completed() {
        inFlight = 0
        isWriting = false
    }

    /// Throws everything away and frees the memory.
    package mutating func clear() {
        queued = []
        inFlight = 0
    }
}
