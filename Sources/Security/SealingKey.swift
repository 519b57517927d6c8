internal import COpenSSL

/// Seals what must not be readable at rest: AES-256-GCM (NIST SP 800-38D), by OpenSSL's libcrypto.
///
/// A sealed value is a random nonce of 12 bytes, the ciphertext and a tag of 16 bytes. With random
/// nonces a key is good for 2^32 values (SP 800-38D, section 8.3).
package struct SealingKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Bytes in a key.
    package static let byteCount = 32

    private static let nonceBytes = 12
    private static let tagBytes = 16
    private let bytes: [UInt8]

    /// A key of 32 bytes.
    package init(bytes: [UInt8]) throws(SealingFault) {
        guard bytes.count == Self.byteCount else { throw .keyLength(bytes.count) }
        self.bytes = bytes
    }

    /// A new random key.
    package static func random() -> (key: SealingKey, bytes: [UInt8]) {
        let bytes = RandomBytes.make(byteCount)
        return (SealingKey(trusted: bytes), bytes)
    }

    private init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A short name of the key that tells nothing about it: 16 hexadecimal digits.
    package var fingerprint: String {
        String(SHA256.hex("coordd sealing key:" + SHA256.hex(bytes)).prefix(16))
    }

    /// Seals `plain` so that only this key opens it, and only for the same `context`.
    package func seal(_ plain: [UInt8], context: [UInt8]) -> [UInt8] {
        let nonce = RandomBytes.make(Self.nonceBytes)
        var cipher = unsafe Cipher(key: bytes, nonce: nonce, seals: true)
        unsafe cipher.authenticate(context)
        let text = unsafe cipher.update(plain)
        // GCM is a stream: the end adds nothing and cannot fail while sealing.
        precondition(unsafe cipher.finish(), "libcrypto refused to end a seal")
        return unsafe nonce + text + cipher.tag(Self.tagBytes)
    }

    /// Opens what ``seal(_:context:)`` made.
    package func open(_ sealed: [UInt8], context: [UInt8]) throws(SealingFault) -> [UInt8] {
        let textStart = Self.nonceBytes
        let textEnd = sealed.count - Self.tagBytes
        guard textEnd >= textStart else { throw .tooShort(sealed.count) }
        var cipher = unsafe Cipher(
            key: bytes, nonce: Array(sealed[..<textStart]), seals: false)
        unsafe cipher.authenticate(context)
        let plain = unsafe cipher.update(Array(sealed[textStart..<textEnd]))
        unsafe cipher.expect(tag: Array(sealed[textEnd...]))
        guard unsafe cipher.finish() else { throw .notAuthentic }
        return plain
    }

    /// Never the key.
    package var description: String { "<key>" }

    /// Nothing to look into.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// One run of the cipher.
///
/// Every precondition here fails only when the library was built without AES-GCM or has no memory.
@unsafe private struct Cipher: ~Copyable {
    private let context: OpaquePointer

    init(key: [UInt8], nonce: [UInt8], seals: Bool) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            preconditionFailure("libcrypto has no memory")
        }
        unsafe self.context = context
        let isReady = unsafe EVP_CipherInit_ex(
            context, EVP_aes_256_gcm(), nil, key, nonce, seals ? 1 : 0)
        precondition(isReady == 1, "libcrypto refused AES-256-GCM")
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    mutating func authenticate(_ bytes: [UInt8]) {
        var written: Int32 = 0
        let isDone = unsafe EVP_CipherUpdate(context, nil, &written, bytes, Int32(bytes.count))
        precondition(isDone == 1, "libcrypto refused data to authenticate")
    }

    mutating func update(_ input: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: input.count)
        var written: Int32 = 0
        let isDone = unsafe EVP_CipherUpdate(
            context, &output, &written, input, Int32(input.count))
        precondition(isDone == 1 && written == input.count, "libcrypto refused a text")
        return output
    }

    mutating func finish() -> Bool {
        var rest: [UInt8] = [0]
        var written: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1
    }

    mutating func tag(_ count: Int) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: count)
        let isDone = unsafe coordd_gcm_get_tag(context, Int32(count), &tag)
        precondition(isDone == 1, "libcrypto gave no tag")
        return tag
    }

    mutating func expect(tag: [UInt8]) {
        var tag = tag
        let isDone = unsafe coordd_gcm_set_tag(context, Int32(tag.count), &tag)
        precondition(isDone == 1, "libcrypto refused a tag")
    }
}
