/// What a frame is (RFC 6455, section 5.2).
package enum WebSocketOpcode: UInt8, Sendable {
    /// More of the message that was begun.
    case continuation = 0
    /// The beginning of a text.
    case text = 1
    /// The beginning of a message of bytes.
    case binary = 2
    /// The end, with a code and a reason.
    case close = 8
    /// A question for life.
    case ping = 9
    /// Its answer.
    case pong = 10

    /// Whether it may stand between the fragments of a message.
    var isControl: Bool { rawValue & 8 != 0 }
}
