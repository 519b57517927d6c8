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

/// How messages are written for a connection; a second encoding will join here.
package enum WireEncoding: Sendable, Hashable {
    /// One JSON object a line.
    case json
}

/// A push that is encoded once per encoding, however many connections get it.
struct SharedPush {
    private let push: Push
    private var json: [UInt8]?

    init(_ push: Push) {
        self.push = push
    }

    mutating func bytes(in encoding: WireEncoding) -> [UInt8] {
        switch encoding {
        case .json:
            if let json { return json }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(JSONCodec.sizeHint(of: push))
            JSONCodec.encode(push, into: &bytes)
            json = bytes
            return bytes
        }
    }
}
