/// Empty buffers of earlier writes, for the next ones.
///
/// A loop turn's output needs memory for a moment only, and most connections are idle: so the
/// buffers belong to all connections together. What was used last is lent first, since it is likely
/// still in the processor's cache.
package struct BufferPool: Sendable {
    /// The largest buffer that is kept, in bytes.
    package static let largestBuffer = 65_536

    private let limit: Int
    private var buffers: [[UInt8]] = []
    /// Bytes of all buffers in the pool.
    package private(set) var capacity = 0

    /// A pool that keeps at most `limit` bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// A buffer to fill; without memory when the pool has none.
    package mutating func lend() -> [UInt8] {
        guard let buffer = buffers.popLast() else { return [] }
        capacity -= buffer.capacity
        return buffer
    }

    /// Frees all that is kept, which is what the busiest turn so far needed.
    package mutating func release() {
        buffers = []
        capacity = 0
    }

    /// Takes a buffer that is used up, and leaves one without memory; frees what is too much.
    package mutating func takeBack(_ used: inout [UInt8]) {
        // Moved, not copied: memory that two arrays share is not kept by emptying one.
        var buffer: [UInt8] = []
        swap(&buffer, &used)
        let size = buffer.capacity
        guard size > 0, size <= Self.largestBuffer, capacity + size <= limit else { return }
        buffer.removeAll(keepingCapacity: true)
        capacity += size
        buffers.append(buffer)
    }
}
