internal import Coordinator

/// A connection between two loops: all that the other one needs to go on with it.
struct Passage: Sendable {
    /// What came behind the call that had it move, or is that call.
    enum Held: Sendable {
        case call(SessionRequest, creates: Bool)
        case command(Command)
        case fault(CommandFault)
        case disconnect(Disconnect)
        case close(WebSocketCode?)
        case webSocketFault(WebSocketFault)
    }

    var number: UInt64
    var stream: DetachedStream
    var address: String
    var carrier: Carrier?
    var frames: WebSocketReader?
    var encoding: WireEncoding
    var framer: LineFramer
    var client: Client
    /// What was not written yet.
    var outbound: OutboundQueue
    /// In the order it came.
    var held: [Held]
    /// Revocations that its loop had heard of.
    var revocations: Int
}
