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
    /// Sends what its loop publishes in this turn; `turn` is the loop's.
    func send(_ piece: TurnOutput.Piece, of turn: TurnWriter)
    /// Ends one of its subscriptions and tells it why.
    func unsubscribe(from channel: Channel, _ unsubscribe: Unsubscribe)
    /// Ends the connection after what was sent so far.
    func disconnect(_ disconnect: Disconnect)
}

extension SessionPeer {
    /// Gets a copy: it is not written in this turn, or not here.
    package func send(_ piece: TurnOutput.Piece, of turn: TurnWriter) {
        send(turn.withOutput { Array($0[piece]) })
    }
}

/// A push that is written once in each encoding, however many connections get it.
struct SharedPush {
    private let push: Push
    private let turn: TurnWriter
    private var line: TurnOutput.Piece?
    private var webSocketJSON: TurnOutput.Piece?
    private var webSocketProtobuf: TurnOutput.Piece?

    /// A push that becomes part of what is published in this turn.
    init(_ push: Push, in turn: TurnWriter) {
        self.push = push
        self.turn = turn
    }

    /// Sends it to a connection that reads this encoding.
    @inline(__always)
    mutating func send(to peer: any SessionPeer, in encoding: WireEncoding) {
        let known =
            switch encoding {
            case .line: line
            case .webSocketJSON: webSocketJSON
            case .webSocketProtobuf: webSocketProtobuf
            }
        peer.send(known ?? write(in: encoding), of: turn)
    }

    private mutating func write(in encoding: WireEncoding) -> TurnOutput.Piece {
        let piece = turn.publish(push, in: encoding)
        switch encoding {
        case .line: line = piece
        case .webSocketJSON: webSocketJSON = piece
        case .webSocketProtobuf: webSocketProtobuf = piece
        }
        return piece
    }
}
