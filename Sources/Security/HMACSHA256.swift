internal import COpenSSL

/// The keyed digest HMAC-SHA256 (RFC 2104, FIPS 198-1), computed by OpenSSL's libcrypto.
package enum HMACSHA256 {
    /// The code of `bytes` under `key`: 32 bytes.
    package static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: SHA256.byteCount)
        let result = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &output, nil)
        // Fails only when the library was built without SHA-256 or has no memory left.
        precondition(unsafe result != nil, "libcrypto refused an HMAC")
        return output
    }

    /// Whether `code` is that of `bytes`; takes as long for every wrong code.
    package static func isCode(_ code: [UInt8], of bytes: [UInt8], key: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, self.code(of: bytes, key: key))
    }
}

/// Comparisons whose time tells nothing about what is compared.
package enum ConstantTime {
    /// Whether two byte strings are the same; only their lengths show in the time it takes.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// Whether two texts have the same bytes, compared by their digests, so that not even the
    /// lengths show.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(SHA256.digest(Array(left.utf8)), SHA256.digest(Array(right.utf8)))
    }
}
