/// Why a TLS connection cannot go on.
package enum TLSFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The first bytes begin no handshake.
    case notTLS
    /// The other side speaks no version that is allowed.
    case version
    /// Both sides have no cipher suite, group or signature in common.
    case noCommonSuite
    /// The other side wants to speak something else than HTTP/1.1 (RFC 7301).
    case applicationProtocol
    /// The other side gave up, with the number of its alert (RFC 8446, section 6.2).
    case alert(Int)
    /// The other side's certificate is not trusted, in the library's words.
    case certificate(String)
    /// The other side ended the connection in the middle of the handshake.
    case closed
    /// Records that break the protocol or were changed on their way, in the library's words.
    case broken(String)
    /// The library has no memory left.
    case noMemory

    /// The fault in plain words, without anything that the other side sent.
    package var description: String {
        switch self {
        case .notTLS: "the first bytes are no TLS handshake"
        case .version: "no common TLS version"
        case .noCommonSuite: "no common TLS cipher suite"
        case .applicationProtocol: "no common application protocol"
        case .alert(let number): "the other side ended TLS with alert \(number)"
        case .certificate(let words): "the certificate is not trusted: \(words)"
        case .closed: "the other side ended the TLS handshake"
        case .broken(let words): "TLS is broken: \(words)"
        case .noMemory: "no memory for TLS"
        }
    }
}
