internal import COpenSSL

/// The SHA-256 digest (FIPS 180-4), computed by OpenSSL's libcrypto.
package enum SHA256 {
    /// Bytes in a digest.
    package static let byteCount = 32

    /// The digest of `bytes`: 32 bytes, for any length of input.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        let written = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, nil, EVP_sha256(), nil)
            }
        }
        // Fails only when the library was built without SHA-256 or has no memory left.
        precondition(written == 1, "libcrypto refused a SHA-256 digest")
        return output
    }

    /// The digest of the UTF-8 bytes of `text` as 64 lower-case hexadecimal digits.
    package static func hex(_ text: String) -> String {
        hex(Array(text.utf8))
    }

    /// The digest of `bytes` as 64 lower-case hexadecimal digits.
    package static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var output: [UInt8] = []
        output.reserveCapacity(2 * byteCount)
        for byte in digest(bytes) {
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        }
        return String(decoding: output, as: UTF8.self)
    }
}
