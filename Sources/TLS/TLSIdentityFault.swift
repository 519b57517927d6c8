/// Why a certificate chain and a private key cannot be used.
package enum TLSIdentityFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The certificate's text holds none.
    case noCertificate
    /// A certificate that cannot be read or is too weak, in the library's words.
    case badCertificate(String)
    /// The key's text holds none.
    case noKey
    /// The key is sealed with a passphrase.
    case encryptedKey
    /// A key that cannot be used, in the library's words.
    case badKey(String)
    /// The key is not that of the first certificate.
    case otherKey
    /// The library refused a setting or has no memory, in its words.
    case library(String)

    /// Whether the key's file is to blame, and not the certificate's.
    package var isAboutKey: Bool {
        switch self {
        case .noKey, .encryptedKey, .badKey, .otherKey: true
        case .noCertificate, .badCertificate, .library: false
        }
    }

    /// The fault in plain words.
    package var description: String {
        switch self {
        case .noCertificate: "it holds no certificate in PEM (BEGIN CERTIFICATE)"
        case .badCertificate(let words): "a certificate in it cannot be used: \(words)"
        case .noKey: "it holds no private key in PEM (BEGIN PRIVATE KEY)"
        case .encryptedKey: "the key is encrypted, and there is no way to give its passphrase"
        case .badKey(let words): "the key cannot be used: \(words)"
        case .otherKey: "the key does not match the first certificate"
        case .library(let words): "OpenSSL refused: \(words)"
        }
    }
}
