/// Why a token is not accepted.
package enum TokenFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is not three parts of base64url with JSON objects in the first two.
    case malformed(String)
    /// Its algorithm is not one that the configured keys sign with.
    case algorithm
    /// Its signature is not one of the configured keys'.
    case signature
    /// A claim is missing or is not what it must be.
    case claim(String)
    /// It was for another service, or from another issuer.
    case wrong(String)
    /// It is of another user, device or channel than it is used for.
    case mismatch(String)
    /// It was taken back.
    case revoked
    /// It is over, or has not begun yet.
    case expired

    /// The fault in plain words, without anything of the token.
    package var description: String {
        switch self {
        case .malformed(let what): "the token is malformed: \(what)"
        case .algorithm: "the token's algorithm is not one that this server accepts"
        case .signature: "the token's signature is wrong"
        case .claim(let what): "the token's claim \(what)"
        case .wrong(let what): "the token's \(what) is not this server's"
        case .mismatch(let what): "the token's \(what) is not the one that it is used for"
        case .revoked: "the token was revoked"
        case .expired: "the token has expired"
        }
    }
}
