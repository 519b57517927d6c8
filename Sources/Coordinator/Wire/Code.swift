/// The error of a reply: a number, a text that begins with a stable reason, and whether to retry.
///
/// Numbers below 400 are the Centrifugal protocol's own, from 400 on this service's (contract:
/// protocol, Errors).
package struct ReplyError: Error, Sendable, Equatable {
    /// The error's number, 100 or more.
    package var code: UInt32
    /// A stable reason, a colon, then what is wrong and where; never empty.
    package var message: String
    /// Whether the same request may succeed later.
    package var temporary: Bool

    /// An error with a message of its own.
    package init(code: UInt32, message: String, temporary: Bool = false) {
        self.code = code
        self.message = message
        self.temporary = temporary
    }

    /// 100: the fault is the server's.
    package static func internalError(_ what: String) -> ReplyError {
        ReplyError(code: 100, message: "internal server error: \(what)", temporary: true)
    }
    /// 101: the server wants to know who it is.
    package static func unauthorized(_ what: String) -> ReplyError {
        ReplyError(code: 101, message: "unauthorized: \(what)")
    }
    /// 102: there is no such channel or session.
    package static func unknownChannel(_ what: String) -> ReplyError {
        ReplyError(code: 102, message: "unknown channel: \(what)")
    }
    /// 103: the role, the token or the configuration does not allow it.
    package static func permissionDenied(_ what: String) -> ReplyError {
        ReplyError(code: 103, message: "permission denied: \(what)")
    }
    /// 104: there is no such rpc method.
    package static func methodNotFound(_ what: String) -> ReplyError {
        ReplyError(code: 104, message: "method not found: \(what)")
    }
    /// 105: the connection has this subscription already.
    package static func alreadySubscribed(_ what: String) -> ReplyError {
        ReplyError(code: 105, message: "already subscribed: \(what)")
    }
    /// 106: a configured cap is reached.
    package static func limitExceeded(_ what: String) -> ReplyError {
        ReplyError(code: 106, message: "limit exceeded: \(what)")
    }
    /// 107: a protocol field is missing or has the wrong type.
    package static func badRequest(_ what: String) -> ReplyError {
        ReplyError(code: 107, message: "bad request: \(what)")
    }
    /// 108: the server does not offer this.
    package static func notAvailable(_ what: String) -> ReplyError {
        ReplyError(code: 108, message: "not available: \(what)")
    }
    /// 109: the token is over; an SDK gets a new one and tries again.
    package static let tokenExpired = ReplyError(
        code: 109, message: "token expired: a new one is needed")
    /// 111: more events than the rate allows; the connection stays.
    package static func tooManyRequests(_ what: String) -> ReplyError {
        ReplyError(code: 111, message: "too many requests: \(what)", temporary: true)
    }
    /// 112: the wanted position cannot be recovered.
    package static func unrecoverablePosition(_ what: String) -> ReplyError {
        ReplyError(code: 112, message: "unrecoverable position: \(what)")
    }
    /// 503: the store failed or is full.
    package static func storageUnavailable(_ what: String) -> ReplyError {
        ReplyError(code: 503, message: "storage.unavailable: \(what)", temporary: true)
    }
}

/// Why the server ends a connection.
///
/// 3000–3499 tells an SDK to reconnect, 3500–3999 not to (protocol facts: Centrifugal, codes).
package struct Disconnect: Sendable, Equatable {
    /// The code of the push or of the WebSocket close frame.
    package var code: UInt32
    /// A plain-word reason; never empty, since an SDK ignores the code without one.
    package var reason: String

    /// A code with its reason.
    package init(code: UInt32, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// 3001: the server shuts down; come back.
    package static let shutdown = Disconnect(code: 3001, reason: "shutdown")
    /// 3005: the token is over and was not renewed; come back with a new one.
    package static let connectionExpired = Disconnect(code: 3005, reason: "connection expired")
    /// 3008: the client reads too slowly; come back and recover.
    package static let slow = Disconnect(code: 3008, reason: "slow")
    /// 3012: a ping was not answered in time.
    package static let noPong = Disconnect(code: 3012, reason: "no pong")
    /// 3500: the token is forged, of somebody else, for something else, or was revoked.
    package static let invalidToken = Disconnect(code: 3500, reason: "invalid token")
    /// 3501: the bytes are not a command.
    package static let badRequest = Disconnect(code: 3501, reason: "bad request")
    /// 3501: a line or frame is longer than `limits.messageBytes`.
    package static let messageTooLarge = Disconnect(code: 3501, reason: "message too large")
    /// 3502: no valid connect in time.
    package static let stale = Disconnect(code: 3502, reason: "stale")
    /// 3503: the same device connected again and took this connection's place.
    package static let replaced = Disconnect(code: 3503, reason: "replaced")
    /// 3508: the server has no use for this message.
    package static let notAvailable = Disconnect(code: 3508, reason: "not available")
}

/// Why the server ends a subscription; below 2500 the SDK does not subscribe again.
package struct Unsubscribe: Sendable, Equatable {
    /// The code of the push.
    package var code: UInt32
    /// A plain-word reason.
    package var reason: String

    /// 2000: the session was closed.
    package static let closed = Unsubscribe(code: 2000, reason: "session closed")
    /// 2000: the new token does not allow what the one before did.
    package static let notAllowed = Unsubscribe(code: 2000, reason: "permission denied")
    /// 2100: another device took the stage (contract: domain, section 4.7).
    package static let stageTaken = Unsubscribe(code: 2100, reason: "stage taken")
    /// 2501: the subscription's token is over; subscribe again with a new one.
    package static let expired = Unsubscribe(code: 2501, reason: "subscription expired")
    /// 2500: the subscriber's position is not what the server has; subscribe again and recover.
    package static let insufficientState = Unsubscribe(code: 2500, reason: "insufficient state")
}
