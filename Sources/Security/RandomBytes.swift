internal import COpenSSL

/// Random bytes that nobody can foresee, from OpenSSL's generator.
package enum RandomBytes {
    /// `count` bytes fit for keys and nonces.
    package static func make(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_bytes(buffer.baseAddress, Int32(count))
        }
        // Fails only when the system has no entropy at all; a weak key would be worse than an end.
        precondition(result == 1, "libcrypto has no random bytes")
        return bytes
    }
}
