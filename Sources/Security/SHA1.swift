internal import COpenSSL

/// The SHA-1 digest (FIPS 180-4), which the WebSocket handshake asks for and nothing else may use
/// (RFC 6455, section 1.3).
package enum SHA1 {
    /// The digest of `bytes`: 20 bytes.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 20)
        let written = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, nil, EVP_sha1(), nil)
            }
        }
        // Fails only when the library was built without SHA-1 or has no memory left.
        precondition(written == 1, "libcrypto refused a SHA-1 digest")
        return output
    }
}
