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

    /// Bytes of a line whose end has not come yet.
    package var pendingCount: Int { tail.count }

    /// Calls `line` for each line that ends in `bytes`, until it gives false, which drops the rest.
    ///
    /// The result is false when a line is longer than allowed, which is known as soon as so many
    /// bytes are there, and before they are stored; what was stored is freed.
    package mutating func consume(
        _ bytes: Span<UInt8>, _ line: (Span<UInt8>) -> Bool
    ) -> Bool {
        take(bytes, line) != nil
    }

    /// The same; gives how many bytes were taken, which are not all when `line` gave false, and nil instead
    /// of false.
    package mutating func take(_ bytes: Span<UInt8>, _ line: (Span<UInt8>) -> Bool) -> Int? {
        var start = 0
        while let index = Self.lineEnd(in: bytes, from: start) {
            let part = bytes.extracting(start..<index)
            start = index + 1
            guard fits(part, isEnded: true) else {
                tail = []
                return nil
            }
            guard pass(part, to: line) else { return start }
        }
        let rest = bytes.extracting(start..<bytes.count)
        guard fits(rest, isEnded: false) else {
            tail = []
            return nil
        }
        append(rest)
        return bytes.count
    }

    /// Where the next line end is; eight bytes at a time, since most of all input is looked through here.
    private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            var index = start
            while index + 8 <= bytes.count {
                let word = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let differences = word ^ 0x0a0a_0a0a_0a0a_0a0a
                // The lowest bit that is set belongs to the first byte without a difference.
                let ends =
                    (differences &- 0x0101_0101_0101_0101) & ~differences & 0x8080_8080_8080_8080
                if ends != 0 { return index + ends.trailingZeroBitCount >> 3 }
                index += 8
            }
            while index < bytes.count {
                if unsafe bytes[index] == UInt8(ascii: "\n") { return index }
                index += 1
            }
            return nil
        }
    }

    /// Whether the tail and `part` are not too long; a CR that is last may belong to the line's end.
    private func fits(_ part: Span<UInt8>, isEnded: Bool) -> Bool {
        let count = tail.count + part.count
        guard count > maximumBytes else { return true }
        guard count == maximumBytes + 1 else { return false }
        let last = part.isEmpty ? tail[tail.count - 1] : part[part.count - 1]
        return last == UInt8(ascii: "\r")
    }

    private mutating func pass(_ part: Span<UInt8>, to line: (Span<UInt8>) -> Bool) -> Bool {
        if tail.isEmpty { return line(part.extracting(first: Self.contentCount(part))) }
        append(part)
        var whole: [UInt8] = []
        swap(&whole, &tail)
        let goesOn = line(whole.span.extracting(first: Self.contentCount(whole.span)))
        if whole.capacity <= Self.keptBytes {
            whole.removeAll(keepingCapacity: true)
            swap(&whole, &tail)
        }
        return goesOn
    }

    private mutating func append(_ part: Span<UInt8>) {
        unsafe part.withUnsafeBufferPointer { unsafe tail.append(contentsOf: $0) }
    }

    /// The length of the line without the CR at its end.
    private static func contentCount(_ line: Span<UInt8>) -> Int {
        let count = line.count
        return count > 0 && line[count - 1] == UInt8(ascii: "\r") ? count - 1 : count
    }
}
