package import Coordinator

/// A connection as a session sees it; all of it happens on the session's loop.
package protocol SessionPeer: AnyObject, Sendable {
    /// The connection's number, unique while the daemon runs.
    var number: UInt64 { get }
    /// How it wants its messages written.
    var encoding: WireEncoding { get }
    /// Answers one of its commands.
    func reply(to command: UInt32, _ body: Reply.Body)
    /// Sends bytes that are already encoded for it.
    func send(_ bytes: [UInt8])
    /// Ends one of its subscriptions and tells it why.
    func unsubscribe(from channel: Channel, _ unsubscribe: Unsubscribe)
    /// Ends the connection after what was sent so far.
    func disconnect(_ disconnect: Disconnect)
}

/// A push that is encoded once per encoding, however many connections get it.
struct SharedPush {
    private let push: Push
    private var line: [UInt8]?
    private var webSocketJSON: [UInt8]?
    private var webSocketProtobuf: [UInt8]?

    init(_ push: Push) {
        self.push = push
    }

    mutating func bytes(in encoding: WireEncoding) -> [UInt8] {
        switch encoding {
        case .line: Self.made(&line, push, encoding)
        case .webSocketJSON: Self.made(&webSocketJSON, push, encoding)
        case .webSocketProtobuf: Self.made(&webSocketProtobuf, push, encoding)
        }
    }

    private static func made(
        _ kept: inout [UInt8]?, _ push: Push, _ encoding: WireEncoding
    ) -> [UInt8] {
        if let kept { return kept }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(JSONCodec.sizeHint(of: push))
        encoding.encode(push, into: &bytes)
        kept = bytes
        return bytes
    }
}
