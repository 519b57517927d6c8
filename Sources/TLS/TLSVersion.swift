/// The versions of TLS that are spoken.
package enum TLSVersion: String, Sendable, Hashable, CaseIterable {
    /// RFC 5246.
    case tls12 = "1.2"
    /// RFC 8446.
    case tls13 = "1.3"
}
