import Actors
import TestSupport

/// A stream that takes as many bytes as a test gives it room for, and reads what a test hands it.
final class ScriptedStream: ByteStream {
    let peerAddress: SocketAddress? = nil
    /// How many more bytes are taken.
    var room = Int.max
    private(set) var taken: [UInt8] = []
    private(set) var isReading = false
    private(set) var isShut = false
    private(set) var isClosed = false
    private(set) var isReset = false
    private var onRead: ((borrowing UVStream.ReadEvent) -> Void)?
    private var queue: [(bytes: [UInt8], start: Int, completion: (UVError?) -> Void)] = []
    private var shutdowns: [(UVError?) -> Void] = []

    func startReading(onRead: @escaping (borrowing UVStream.ReadEvent) -> Void) {
        isReading = true
        self.onRead = onRead
    }

    func stopReading() {
        isReading = false
        onRead = nil
    }

    func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        if isClosed || isShut { throw UVError(code: -32, call: "write") }
        guard queue.isEmpty else { return 0 }
        let count = min(room, bytes.count)
        for index in 0..<count { taken.append(bytes[index]) }
        room -= count
        return count
    }

    func write(
        _ bytes: consuming [UInt8], from start: Int, _ completion: @escaping (UVError?) -> Void
    ) {
        queue.append((bytes, start, completion))
    }

    func shutdown(_ completion: @escaping (UVError?) -> Void) {
        shutdowns.append(completion)
    }

    func close(_ onClosed: (() -> Void)?) {
        isClosed = true
        onRead = nil
        let lost = queue
        queue = []
        for write in lost { write.completion(UVError(code: -125, call: "write")) }
        onClosed?()
    }

    func reset(_ onClosed: (() -> Void)?) {
        isReset = true
        close(onClosed)
    }

    /// Takes what is queued, as far as there is room.
    func give(room more: Int) {
        room += more
        while let first = queue.first, room > 0 {
            let count = min(room, first.bytes.count - first.start)
            taken += first.bytes[first.start..<first.start + count]
            room -= count
            guard first.start + count == first.bytes.count else {
                queue[0].start += count
                return
            }
            queue.removeFirst()
            first.completion(nil)
        }
        guard queue.isEmpty, !shutdowns.isEmpty else { return }
        isShut = true
        let completions = shutdowns
        shutdowns = []
        for completion in completions { completion(nil) }
    }

    /// Hands bytes to whoever reads.
    func arrive(_ bytes: [UInt8]) {
        onRead?(.bytes(bytes.span))
    }

    func arriveEnd() { onRead?(.end) }

    func takeAll() -> [UInt8] {
        defer { taken = [] }
        return taken
    }
}
