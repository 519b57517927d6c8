import Actors
import TestSupport

/// Two ends of one loopback connection on one loop.
final class StreamPair {
    let loop: UVEventLoop
    /// The end that connected.
    let client: UVStream
    /// The end that a listener accepted.
    let server: UVStream

    private init(on loop: UVEventLoop, client: UVStream, server: UVStream) {
        self.loop = loop
        self.client = client
        self.server = server
    }

    /// Connects the two ends and lends them to `body`, on the loop.
    static func make(
        on loop: UVEventLoop, host: String = "127.0.0.1", _ body: @escaping (StreamPair) -> Void
    ) throws {
        let listener = try UVListener(on: loop, host: host, port: 0)
        let client = UVStream(on: loop)
        var server: UVStream?
        var isConnected = false
        func proceed() {
            guard let server, isConnected else { return }
            listener.close()
            body(StreamPair(on: loop, client: client, server: server))
        }
        try listener.listen(
            onConnection: { stream in
                server = stream
                proceed()
            }, onError: { preconditionFailure("\($0)") })
        client.connect(host: host, port: listener.address.port) { error in
            if let error { preconditionFailure("\(error)") }
            isConnected = true
            proceed()
        }
    }

    /// Closes both ends and calls `done` with what the loop still has open then.
    func close(_ done: @escaping (Int) -> Void) {
        client.close { [loop, server] in
            server.close { done(loop.openHandles) }
        }
    }
}

/// Fills the connection of a peer that does not read, until the kernel takes no more.
///
/// Returns how many bytes it took.
func fill(_ stream: UVStream) -> Int {
    let chunk = [UInt8](repeating: 1, count: 65536)
    var total = 0
    while let written = try? stream.tryWrite(chunk.span), written > 0 { total += written }
    return total
}
