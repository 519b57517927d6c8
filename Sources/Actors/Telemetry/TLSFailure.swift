internal import TLS

/// Why TLS of a connection ended as it should not, as it is counted.
package enum TLSFailure: Int, Sendable, CaseIterable {
    /// The first bytes were no handshake: plaintext on the port of TLS.
    case plaintext
    /// No common version.
    case version
    /// No common suite, group or signature.
    case suite
    /// No common application protocol.
    case protocolName
    /// The other side gave up, for instance because it does not trust the certificate.
    case alert
    /// The connection ended in the handshake.
    case closed
    /// The server ended the connection before the handshake was done.
    case unfinished
    /// The connection ended without a close_notify.
    case truncated
    /// The other side made TLS speak and did not read.
    case flood
    /// Records that break the protocol or were changed on their way.
    case broken

    /// The reason behind a fault.
    init(_ fault: TLSFault) {
        self =
            switch fault {
            case .notTLS: .plaintext
            case .version: .version
            case .noCommonSuite: .suite
            case .applicationProtocol: .protocolName
            case .alert: .alert
            case .closed: .closed
            case .certificate, .broken, .noMemory: .broken
            }
    }

    /// The value of the label `reason`.
    var label: String {
        switch self {
        case .plaintext: "plaintext"
        case .version: "version"
        case .suite: "suite"
        case .protocolName: "alpn"
        case .alert: "alert"
        case .closed: "closed"
        case .unfinished: "unfinished"
        case .truncated: "truncated"
        case .flood: "flood"
        case .broken: "broken"
        }
    }
}
