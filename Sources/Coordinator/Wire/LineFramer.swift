/// Cuts a stream of bytes into lines that end with LF; a CR before it is cut too.
///
/// A line that lies whole in the lent bytes is passed on without a copy; only a line that was begun
/// in an earlier read is put together in a buffer.
package struct LineFramer: Sendable {
    private let maximumBytes: Int
    private var tail: [UInt8] = []

    /// Bytes of a tail whose memory is kept for the next one.
    private static let keptBytes = 1024

    /// Lines of at most `maximumBytes`, without their end.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Calls `line` for each line that ends in `bytes`, until it gives false.
    ///
    /// The result is false when a line is longer than allowed, which is known before more of it is
    /// stored than that.
    package mutating func consume(
        _ bytes: Span<UInt8>, _ line: (Span<UInt8>) -> Bool
    ) -> Bool {
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            let part = bytes.extracting(start..<index)
            start = index + 1
            let goesOn: Bool
            if tail.isEmpty {
                guard let count = fittingCount(part) else { return false }
                goesOn = line(part.extracting(0..<count))
            } else {
                // One byte more for the CR that may stand at the end.
                guard tail.count + part.count <= maximumBytes + 1 else { return false }
                append(part)
                let whole = takeTail()
                guard let count = fittingCount(whole.span) else { return false }
                goesOn = line(whole.span.extracting(0..<count))
            }
            guard goesOn else { return true }
        }
        let rest = bytes.extracting(start..<bytes.count)
        guard tail.count + rest.count <= maximumBytes + 1 else {
            tail = []
            return false
        }
        append(rest)
        return true
    }

    private mutating func append(_ part: Span<UInt8>) {
        unsafe part.withUnsafeBufferPointer { unsafe tail.append(contentsOf: $0) }
    }

    private mutating func takeTail() -> [UInt8] {
        let whole = tail
        if tail.capacity > Self.keptBytes {
            tail = []
        } else {
            tail.removeAll(keepingCapacity: true)
        }
        return whole
    }

    /// The length of the line without its CR; nil when it is too long.
    private func fittingCount(_ line: Span<UInt8>) -> Int? {
        var count = line.count
        if count > 0, line[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        return count <= maximumBytes ? count : nil
    }
}
