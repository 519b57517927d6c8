/// Why a WebSocket connection fails: the close code that says so, and what was wrong.
package struct WebSocketFault: Error, Sendable, Equatable {
    /// The code of the close frame.
    package var code: WebSocketCode
    /// What was wrong, in plain words, at most 123 bytes of UTF-8.
    package var reason: String

    /// 1002: the frame is not one that this protocol has (RFC 6455, section 7.4.1).
    static func protocolError(_ reason: String) -> WebSocketFault {
        WebSocketFault(code: .protocolError, reason: reason)
    }

    /// 1007: text that is not UTF-8 (RFC 6455, section 8.1).
    static let notUTF8 = WebSocketFault(code: .invalidData, reason: "text that is not UTF-8")

    /// 1008: more than `limit` frames without payload in one message.
    static func emptyFrames(_ limit: Int) -> WebSocketFault {
        WebSocketFault(
            code: .policy, reason: "more than \(limit) empty frames in one message")
    }

    /// 1009: a message of more than `limit` bytes.
    static func tooBig(_ limit: Int) -> WebSocketFault {
        WebSocketFault(code: .tooBig, reason: "a message of more than \(limit) bytes")
    }
}
