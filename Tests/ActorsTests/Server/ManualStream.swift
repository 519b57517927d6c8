import Actors
import TestSupport

/// A client without a socket, on a loop that the test moves: what it sends is there at once, and
/// what it gets is kept as lines.
final class ManualStream: ByteStream {
    let peerAddress: SocketAddress? = SocketAddress(host: "127.0.0.1", port: 9)
    private let loop: ManualEventLoop
    private var onRead: ((borrowing UVStream.ReadEvent) -> Void)?
    private var output: [UInt8] = []
    /// Whether the server has ended it.
    private(set) var isEnded = false

    init(_ loop: ManualEventLoop) {
        self.loop = loop
    }

    /// Sends lines in one piece; gives what came back, and what came before.
    func send(_ lines: String...) -> [String] {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        loop.atTurnEnd { [self] in onRead?(.bytes(bytes.span)) }
        loop.run()
        return heard()
    }

    /// What came since the last call.
    func heard() -> [String] {
        defer { output = [] }
        return output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }

    func startReading(onRead: @escaping (borrowing UVStream.ReadEvent) -> Void) {
        self.onRead = onRead
    }

    func stopReading() { onRead = nil }

    func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        output += [UInt8](copying: bytes)
        return bytes.count
    }

    func write(
        _ bytes: consuming [UInt8], from start: Int, _ completion: @escaping (UVError?) -> Void
    ) {
        output += bytes[start...]
        loop.atTurnEnd { completion(nil) }
    }

    func shutdown(_ completion: @escaping (UVError?) -> Void) {
        isEnded = true
        loop.atTurnEnd { completion(nil) }
    }

    func close(_ onClosed: (() -> Void)?) {
        isEnded = true
        onRead = nil
        if let onClosed { loop.atTurnEnd(onClosed) }
    }

    func reset(_ onClosed: (() -> Void)?) { close(onClosed) }
}
