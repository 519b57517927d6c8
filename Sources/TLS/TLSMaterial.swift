internal import COpenSSL

/// A certificate chain and its key, read from PEM texts.
struct TLSMaterial {
    private let chain: [LibraryCertificate]
    private let key: LibraryKey

    /// Reads both texts and checks that they belong together.
    ///
    /// - Throws: ``TLSIdentityFault`` naming what is wrong with which of the two.
    init(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityFault) {
        chain = try LibraryCertificate.all(in: certificate)
        self.key = try LibraryKey(pem: key)
        guard unsafe X509_check_private_key(chain[0].pointer, self.key.pointer) == 1 else {
            ERR_clear_error()
            throw .otherKey
        }
    }

    /// What an operator wants to know about the chain.
    var facts: TLSCertificate { TLSCertificate(chain) }

    /// Has a server show the chain and use the key.
    ///
    /// - Throws: ``TLSIdentityFault`` for what is too weak.
    func install(in context: OpaquePointer) throws(TLSIdentityFault) {
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate(context, chain[0].pointer) == 1 else {
            throw .badCertificate(LibraryErrors.takeWords())
        }
        guard unsafe SSL_CTX_use_PrivateKey(context, key.pointer) == 1 else {
            throw .badKey(LibraryErrors.takeWords())
        }
        for certificate in chain.dropFirst() {
            guard unsafe coordd_tls_add_chain(context, certificate.pointer) == 1 else {
                throw .badCertificate(LibraryErrors.takeWords())
            }
        }
    }
}
