internal import COpenSSL

/// What all TLS connections of one side have in common: versions, suites, certificate or trust.
///
/// TLS 1.2 and 1.3, only suites with ephemeral keys and authenticated encryption, no compression, no
/// renegotiation (decision: TLS).
@safe package final class TLSContext: Sendable {
    /// The certificate chain that is shown to the other side; nil for a client.
    package let certificate: TLSCertificate?
    /// Only read after its making, by any number of threads.
    nonisolated(unsafe) let pointer: OpaquePointer
    /// What a server shows; nil for a client.
    private nonisolated(unsafe) let material: TLSMaterial?

    /// The suites of TLS 1.2, best first.
    private static let suites12 = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
        "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
        "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ]
    /// The suites of TLS 1.3, best first.
    private static let suites13 = [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    ]
    private static let groups = "X25519:P-256:P-384"
    /// Seconds for which a session can be taken up again.
    private static let sessionSeconds = 7200

    /// Takes over the library's object.
    init(adopting pointer: OpaquePointer, _ material: TLSMaterial?) {
        unsafe self.pointer = pointer
        unsafe self.material = material
        certificate = material?.facts
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    /// A server's, from PEM texts: a certificate, those between it and a root, and its key.
    ///
    /// - Throws: ``TLSIdentityFault`` naming what is wrong with which of the two.
    package convenience init(
        certificate: [UInt8], key: [UInt8]
    ) throws(TLSIdentityFault) {
        try self.init(TLSMaterial(certificate: certificate, key: key))
    }

    private convenience init(_ material: TLSMaterial) throws(TLSIdentityFault) {
        let pointer = try unsafe Self.make(TLS_server_method())
        // From here on the object frees what was made.
        unsafe self.init(adopting: pointer, material)
        try unsafe material.install(in: pointer)
        unsafe SSL_CTX_set_alpn_select_cb(
            pointer,
            { _, chosen, chosenCount, offered, offeredCount, _ in
                let offers = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
                guard let name = unsafe TLSContext.choice(among: offers.span) else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                unsafe chosen?.pointee = offered.map { unsafe $0 + name.lowerBound }
                unsafe chosenCount?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            }, nil)
        unsafe coordd_tls_keep_no_sessions(pointer)
        unsafe SSL_CTX_set_timeout(pointer, Self.sessionSeconds)
        guard unsafe SSL_CTX_set_num_tickets(pointer, 1) == 1 else {
            throw .library(LibraryErrors.takeWords())
        }
    }

    /// A client's, which trusts the certificates in a PEM text, or those of the system without one.
    ///
    /// - Throws: ``TLSIdentityFault`` when there is none.
    package convenience init(trusting authorities: [UInt8]?) throws(TLSIdentityFault) {
        let pointer = try unsafe Self.make(TLS_client_method())
        unsafe self.init(adopting: pointer, nil)
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        unsafe coordd_tls_keep_no_sessions(pointer)
        guard let authorities else {
            guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .library(LibraryErrors.takeWords())
            }
            return
        }
        let store = unsafe SSL_CTX_get_cert_store(pointer)
        for certificate in try LibraryCertificate.all(in: authorities) {
            guard unsafe X509_STORE_add_cert(store, certificate.pointer) == 1 else {
                throw .badCertificate(LibraryErrors.takeWords())
            }
        }
    }

    private static func make(_ method: OpaquePointer?) throws(TLSIdentityFault) -> OpaquePointer {
        ERR_clear_error()
        guard let pointer = unsafe SSL_CTX_new(method) else {
            throw .library(LibraryErrors.takeWords())
        }
        unsafe coordd_tls_set_options(pointer)
        unsafe SSL_CTX_set_security_level(pointer, 2)
        // Idle connections give their buffers back.
        unsafe coordd_tls_set_modes(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
        let name = Array("coordd".utf8)
        let (old, new) = (suites12.joined(separator: ":"), suites13.joined(separator: ":"))
        let steps = unsafe [
            coordd_tls_set_versions(pointer, TLS1_2_VERSION, TLS1_3_VERSION),
            SSL_CTX_set_cipher_list(pointer, old), SSL_CTX_set_ciphersuites(pointer, new),
            coordd_tls_set_groups(pointer, groups),
            SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count)),
        ]
        guard steps.allSatisfy({ $0 == 1 }) else {
            unsafe SSL_CTX_free(pointer)
            throw .library(LibraryErrors.takeWords())
        }
        return unsafe pointer
    }

    /// The same for a server with new keys for session tickets: older tickets are good for nothing there.
    ///
    /// The keys are in memory only. Whoever could read them could decrypt what was said under TLS 1.2 in
    /// sessions that were taken up again, so they must not last. This one stays as it is: other threads may
    /// be using it. Without memory or entropy, and for a client, it is this one.
    package func renewed() -> TLSContext {
        guard let material = unsafe material else { return self }
        do throws(TLSIdentityFault) {
            return try TLSContext(material)
        } catch {
            return self
        }
    }
}

// MARK: - ALPN

extension TLSContext {
    /// Where `http/1.1` stands among the names that a client offers, each behind its length; nil when it
    /// offers only others, which ends the handshake (RFC 7301, section 3.2).
    private static func choice(among offers: Span<UInt8>) -> Range<Int>? {
        var start = 0
        while start < offers.count {
            let name = start + 1..<min(start + 1 + Int(offers[start]), offers.count)
            let isWanted =
                name.count == wanted.count
                && wanted.indices.allSatisfy { wanted[$0] == offers[name.lowerBound + $0] }
            if isWanted { return name }
            start = name.upperBound
        }
        return nil
    }

    private static let wanted = Array("http/1.1".utf8)
}
