/// The bytes that wait for a reader, bounded; what is queued together leaves in one write.
///
/// Until the turn ends they may begin with a part of the turn's shared output, of which only the place is
/// kept (``TurnOutput``); it counts like bytes of one's own.
package struct OutboundQueue: Sendable {
    /// What one write takes: a part of the turn's shared output, then bytes of the connection's own.
    package struct Batch: Sendable {
        /// Which part of the shared output; empty for none.
        package var shared: Range<Int>
        /// The own bytes.
        package var own: [UInt8]

        /// Bytes of both.
        package var count: Int { shared.count + own.count }
    }

    /// What became of a piece of the turn's shared output.
    package enum Sharing: Sendable {
        /// Its place is noted.
        case shared
        /// It does not go on from what is queued: its bytes must be added.
        case needsCopy
        /// It was too much, and everything is freed.
        case overflow
    }

    private let limit: Int
    private var shared = 0..<0
    private var queued: [UInt8] = []
    private var inFlight = 0
    /// Whether a write is under way, also of bytes that were thrown away since.
    package private(set) var isWriting = false

    /// A queue for at most `limit` bytes, those of a write under way included.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether nothing is queued and no write is under way.
    package var isEmpty: Bool { queued.isEmpty && shared.isEmpty && inFlight == 0 }

    /// Whether it has a part of the present turn's shared output.
    package var isSharing: Bool { !shared.isEmpty }

    /// Bytes queued and in flight.
    package var count: Int { queued.count + shared.count + inFlight }

    /// Whether so much waits that the reader should not be asked for more to say.
    package var isHigh: Bool { count > limit / Self.highPart }

    /// The part of the limit from which a queue is high: one more answer fits, whatever it is.
    private static let highPart = 4

    /// Whether the bytes that come next need memory.
    package var needsBuffer: Bool { queued.capacity == 0 }

    /// Gives memory to a queue that needs some.
    package mutating func use(_ buffer: consuming [UInt8]) {
        queued = buffer
    }

    /// Adds the place of a piece of the turn's shared output, which must be taken before the turn ends.
    ///
    /// Bytes of one's own that came before it in the turn, and a write that is under way, call for a copy.
    package mutating func share(_ piece: Range<Int>) -> Sharing {
        guard queued.isEmpty, !isWriting else { return .needsCopy }
        if shared.isEmpty {
            shared = piece
        } else if shared.upperBound == piece.lowerBound {
            shared = shared.lowerBound..<piece.upperBound
        } else {
            return .needsCopy
        }
        guard shared.count + inFlight <= limit else {
            clear()
            return .overflow
        }
        return .shared
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
    package mutating func take() -> Batch {
        var batch = Batch(shared: 0..<0, own: [])
        guard !isWriting, !(queued.isEmpty && shared.isEmpty) else { return batch }
        inFlight = queued.count + shared.count
        isWriting = true
        swap(&batch.shared, &shared)
        swap(&batch.own, &queued)
        return batch
    }

    /// Ends a write.
    package mutating func completed() {
        inFlight = 0
        isWriting = false
    }

    /// Throws everything away and frees the memory.
    package mutating func clear() {
        shared = 0..<0
        queued = []
        inFlight = 0
    }
}
