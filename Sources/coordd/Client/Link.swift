package import Coordinator

/// A client's connection to the daemon, as the tools see it.
///
/// Everything happens on one loop: calls come from there, closures are called there.
package protocol Link: AnyObject {
    /// Sends a request; `then` gets its result once, also when the connection is lost first.
    func request(
        _ request: Coordinator.Command.Request,
        then: @escaping (Result<Reply.Body, RequestFailure>) -> Void)

    /// Ends the connection; requests without an answer fail as lost, no further event comes.
    func close()

    /// Stops or resumes reading, so that the server's data piles up meanwhile.
    func setReading(_ reads: Bool)
}

/// What a connection tells its owner.
package enum LinkEvent: Sendable, Equatable {
    /// The server accepted the `connect` command.
    case opened(Reply.Connect)
    /// The server said something unasked.
    case push(Push)
    /// The connection ended without the owner's wish; the last event.
    case ended(LinkEnd)
}

/// Why a connection ended.
package enum LinkEnd: Sendable, Equatable, CustomStringConvertible {
    /// The server could not be reached.
    case unreachable(String)
    /// The server refused the `connect` command.
    case refused(ReplyError)
    /// The server ended the connection with a reason.
    case disconnected(Disconnect)
    /// The socket ended or failed.
    case lost(String)
    /// The server sent something that is not the protocol.
    case nonsense(String)

    /// Whether the protocol's rule is to come back (protocol facts: Centrifugal, codes).
    package var invitesReconnect: Bool {
        switch self {
        case .unreachable, .lost: true
        case .refused(let error): error.temporary
        case .disconnected(let disconnect):
            !(3500..<4000).contains(disconnect.code) && !(4500..<5000).contains(disconnect.code)
        case .nonsense: false
        }
    }

    /// One line for people.
    package var description: String {
        switch self {
        case .unreachable(let why): "cannot connect: \(why)"
        case .refused(let error): "connect refused: \(error.code) \(error.message)"
        case .disconnected(let disconnect):
            "disconnected by the server: \(disconnect.code) \(disconnect.reason)"
        case .lost(let why): "connection lost: \(why)"
        case .nonsense(let what): "not the coordd protocol: \(what)"
        }
    }
}

/// Why a request has no result.
package enum RequestFailure: Error, Sendable, Equatable {
    /// The server answered with an error.
    case refused(ReplyError)
    /// The connection ended before the answer; whether it was done is not known.
    case lost
}
