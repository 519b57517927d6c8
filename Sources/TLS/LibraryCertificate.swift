internal import COpenSSL

/// A certificate of the library, freed with the last reference.
@safe final class LibraryCertificate {
    /// Counted by the library.
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe X509_free(pointer) }

    /// Bytes of a text; chains have a few thousand, all roots of a system some hundred thousand.
    static let maximumBytes = 1 << 20

    /// All certificates of a PEM text, at least one.
    ///
    /// - Throws: ``TLSIdentityFault`` when there is none, or one that cannot be read.
    static func all(in text: [UInt8]) throws(TLSIdentityFault) -> [LibraryCertificate] {
        ERR_clear_error()
        guard text.count <= maximumBytes,
            let source = unsafe BIO_new_mem_buf(text, Int32(text.count))
        else { throw .noCertificate }
        defer { unsafe BIO_free(source) }
        var chain: [LibraryCertificate] = []
        while let certificate = unsafe PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) {
            unsafe chain.append(LibraryCertificate(certificate))
        }
        let code = ERR_peek_last_error()
        let isAtEnd =
            ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
        let words = LibraryErrors.takeWords()
        guard isAtEnd else { throw .badCertificate(words) }
        guard !chain.isEmpty else { throw .noCertificate }
        return chain
    }
}
