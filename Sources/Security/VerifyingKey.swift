internal import COpenSSL

/// A public key that checks signatures of tokens: RSA (RS256) or ECDSA on P-256 (ES256), by
/// OpenSSL's libcrypto (RFC 7518, sections 3.3 and 3.4).
@safe package final class VerifyingKey: Sendable {
    /// What the key signs with; a token cannot choose (RFC 8725, section 3.1).
    package enum Algorithm: String, Sendable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = "RS256"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"
    }

    /// Why a text is no key that can be used.
    package enum Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// It is no PEM text of a public key.
        case notPEM
        /// An RSA key of fewer bits than 2,048 (RFC 7518, section 3.3).
        case tooShort(bits: Int)
        /// Neither RSA nor ECDSA on P-256.
        case unknownKind

        /// The fault in plain words.
        package var description: String {
            switch self {
            case .notPEM: "it is no public key in PEM (BEGIN PUBLIC KEY)"
            case .tooShort(let bits): "an RSA key of \(bits) bits; 2048 are the least"
            case .unknownKind: "it is neither an RSA key nor one of the curve P-256"
            }
        }
    }

    /// What it signs with.
    package let algorithm: Algorithm
    /// Only read after its making, by functions that may be called from any thread.
    private nonisolated(unsafe) let key: OpaquePointer

    /// Bytes of each half of an ES256 signature.
    private static let halfBytes = 32

    /// The key in a PEM text.
    package init(pem: [UInt8]) throws(Fault) {
        guard pem.count <= 65_536, let source = unsafe BIO_new_mem_buf(pem, Int32(pem.count)) else {
            throw .notPEM
        }
        defer { unsafe BIO_free(source) }
        guard let key = unsafe PEM_read_bio_PUBKEY(source, nil, nil, nil) else {
            ERR_clear_error()
            throw .notPEM
        }
        unsafe self.key = key
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            let bits = Int(unsafe EVP_PKEY_get_bits(key))
            algorithm = .rs256
            guard bits >= 2048 else { throw .tooShort(bits: bits) }
        case EVP_PKEY_EC:
            algorithm = .es256
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1,
                name.prefix(length).map(UInt8.init(bitPattern:)) == Array("prime256v1".utf8)
            else { throw .unknownKind }
        default:
            algorithm = .rs256
            throw .unknownKind
        }
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Whether `signature` is this key's for `bytes`.
    package func isSignature(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard let encoded = encoded(signature), let context = unsafe EVP_MD_CTX_new() else {
            return false
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        // A signature of another form leaves errors behind that nobody asks for.
        defer { ERR_clear_error() }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else {
            return false
        }
        return unsafe EVP_DigestVerify(context, encoded, encoded.count, bytes, bytes.count) == 1
    }

    /// The signature as libcrypto reads it: tokens write the two numbers of ECDSA without ASN.1.
    private func encoded(_ signature: [UInt8]) -> [UInt8]? {
        switch algorithm {
        case .rs256: return signature
        case .es256:
            guard signature.count == 2 * Self.halfBytes else { return nil }
            let numbers =
                Self.integer(signature[..<Self.halfBytes])
                + Self.integer(signature[Self.halfBytes...])
            return [0x30, UInt8(numbers.count)] + numbers
        }
    }

    /// A positive INTEGER in DER: no leading zeros but one before a highest bit that is set.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.isEmpty || digits[0] & 0x80 != 0 { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
