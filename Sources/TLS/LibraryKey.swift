internal import COpenSSL

/// A private key of the library, freed with the last reference.
@safe final class LibraryKey {
    /// Counted by the library.
    let pointer: OpaquePointer

    /// Reads the first private key of a PEM text.
    ///
    /// - Throws: ``TLSIdentityFault`` when there is none that can be read without a passphrase.
    init(pem text: [UInt8]) throws(TLSIdentityFault) {
        ERR_clear_error()
        guard text.count <= LibraryCertificate.maximumBytes,
            let source = unsafe BIO_new_mem_buf(text, Int32(text.count))
        else { throw .noKey }
        defer { unsafe BIO_free(source) }
        // Without the function the library would ask for a passphrase on the terminal.
        guard
            let pointer = unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        else {
            ERR_clear_error()
            let isEncrypted = String(decoding: text, as: UTF8.self).contains("ENCRYPTED")
            throw isEncrypted ? .encryptedKey : .noKey
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }
}
