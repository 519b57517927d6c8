/// Why something could not be sealed or opened.
package enum SealingFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// A key of another length than 32 bytes.
    case keyLength(Int)
    /// Fewer bytes than a nonce and a tag have.
    case tooShort(Int)
    /// Sealed with another key, for another context, or changed since.
    case notAuthentic

    /// The fault in plain words, without any of the bytes.
    package var description: String {
        switch self {
        case .keyLength(let count): "the key has \(count) bytes, not \(SealingKey.byteCount)"
        case .tooShort(let count): "\(count) bytes are too few for a sealed value"
        case .notAuthentic: "it was sealed with another key or changed since"
        }
    }
}
