/// The number of a close frame (RFC 6455, section 7.4; IANA's registry of close codes).
package struct WebSocketCode: Sendable, Hashable {
    /// The number as it is sent.
    package let rawValue: UInt16

    /// Any number; those that may be sent are told by ``mayBeSent``.
    package init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 1000: done.
    package static let normal = WebSocketCode(1000)
    /// 1002: the other side breaks the protocol.
    package static let protocolError = WebSocketCode(1002)
    /// 1007: text that is not UTF-8.
    package static let invalidData = WebSocketCode(1007)
    /// 1008: what is allowed, and too much of it.
    package static let policy = WebSocketCode(1008)
    /// 1009: a message too big.
    package static let tooBig = WebSocketCode(1009)

    /// Whether an endpoint may put it into a frame.
    ///
    /// 1004 is reserved, 1005, 1006 and 1015 stand for what happened without a frame; 1000–1014 are
    /// registered otherwise, 3000–3999 are for libraries and 4000–4999 for applications.
    package var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
