internal import COpenSSL

/// One side of a TLS connection as bytes in and out; it knows no socket and no time.
///
/// Ciphertext goes in by ``next(in:at:)`` and comes out of the buffers. Whatever the other side sends, the
/// worst that comes of it is a ``TLSFault``, after which the engine is of no further use; an alert that says so
/// may be in the buffers then. Between calls it keeps at most one incomplete record or handshake message of
/// the other side. Confined to one thread.
@safe package final class TLSEngine {
    /// What came of ciphertext.
    package enum Event: Equatable, Sendable {
        /// All of it is taken, and nothing more comes of it.
        case needsMore
        /// The handshake is done: plaintext can be sent.
        case established
        /// So many bytes lie at the start of the buffers' plaintext.
        case plaintext(Int)
        /// The other side will send no more (close_notify); it can still receive.
        case end
    }

    /// Where the connection is.
    package enum Phase: Equatable, Sendable {
        /// Next `open` or `failed`.
        case handshaking
        /// Next `failed`.
        case open
        case failed(TLSFault)
    }

    /// Where the connection is.
    package private(set) var phase = Phase.handshaking
    /// Whether the other side has said that it sends no more.
    package private(set) var hasEnded = false
    /// Whether this side has said that it sends no more.
    package private(set) var hasSaidEnd = false
    /// Where ciphertext goes to and plaintext comes to.
    package private(set) var buffers: TLSBuffers

    /// What the library calls by pointers to it must stay while the connection does.
    private let context: TLSContext
    private let connection: OpaquePointer
    private let isServer: Bool
    private var hasInput = false

    /// The first byte of a record that carries a handshake.
    private static let handshakeRecord: UInt8 = 22

    /// A server's side.
    ///
    /// - Throws: ``TLSFault/noMemory``.
    package convenience init(server context: TLSContext, buffers: TLSBuffers) throws(TLSFault) {
        try self.init(context, buffers, isServer: true)
        unsafe SSL_set_accept_state(connection)
    }

    /// A client's side, which expects a certificate for a host name or a numeric address.
    ///
    /// Its first words are in the buffers then.
    ///
    /// - Throws: ``TLSFault``, for instance for a name that none can have.
    package convenience init(
        client context: TLSContext, expecting host: String, buffers: TLSBuffers,
        applicationProtocol: String? = nil
    ) throws(TLSFault) {
        try self.init(context, buffers, isServer: false)
        unsafe SSL_set_connect_state(connection)
        let parameters = unsafe SSL_get0_param(connection)
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
            ERR_clear_error()
            guard unsafe SSL_set1_host(connection, host) == 1,
                unsafe coordd_tls_set_server_name(connection, host) == 1
            else { throw fail(.certificate("no certificate can be for \(host)")) }
        }
        if let name = applicationProtocol.map({ Array($0.utf8) }) {
            let list = [UInt8(truncatingIfNeeded: name.count)] + name
            // Gives 0 for success, unlike all others.
            guard unsafe SSL_set_alpn_protos(connection, list, UInt32(list.count)) == 0 else {
                throw fail(.noMemory)
            }
        }
        var position = 0
        let nothing: [UInt8] = []
        _ = try next(in: nothing.span, at: &position)
    }

    private init(_ context: TLSContext, _ buffers: TLSBuffers, isServer: Bool) throws(TLSFault) {
        ERR_clear_error()
        guard let connection = unsafe SSL_new(context.pointer) else { throw .noMemory }
        guard let wire = unsafe buffers.makeBIO() else {
            unsafe SSL_free(connection)
            throw .noMemory
        }
        // Both directions are one object, of which the connection is the owner now.
        unsafe SSL_set_bio(connection, wire, wire)
        unsafe self.connection = connection
        self.context = context
        self.buffers = buffers
        self.isServer = isServer
    }

    deinit { unsafe SSL_free(connection) }

    /// Uses other buffers from now on, such as those of another thread, which has it from then on.
    package func use(_ buffers: TLSBuffers) {
        unsafe buffers.serve(SSL_get_rbio(connection))
        self.buffers = buffers
    }

    /// The version that both sides have agreed on; nil before the handshake is done.
    package var version: TLSVersion? {
        guard case .open = phase else { return nil }
        return unsafe SSL_version(connection) == TLS1_3_VERSION ? .tls13 : .tls12
    }

    /// The suite that both sides have agreed on, by its name in RFCs.
    package var suite: String {
        let suite = unsafe SSL_get_current_cipher(connection)
        guard unsafe suite != nil, let name = unsafe SSL_CIPHER_standard_name(suite) else {
            return ""
        }
        return unsafe String(cString: name)
    }

    /// The application protocol that both sides have agreed on; nil without one.
    package var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(connection, &name, &count)
        guard count > 0 else { return nil }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Whom the other side's certificate is for, as `/CN=…`; nil without one.
    package var peerSubject: String? {
        let certificate = unsafe SSL_get0_peer_certificate(connection)
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe certificate != nil else { return nil }
        unsafe X509_NAME_oneline(X509_get_subject_name(certificate), &text, Int32(text.count))
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether an earlier session was taken up again.
    package var isResumed: Bool { unsafe SSL_session_reused(connection) == 1 }
}

// MARK: - Receiving

extension TLSEngine {
    /// Takes ciphertext from `position` on, up to the next thing that comes of it.
    ///
    /// Call it again until it needs more. There may be something to send after every call.
    ///
    /// - Throws: ``TLSFault``, the same one from then on.
    package func next(
        in ciphertext: Span<UInt8>, at position: inout Int
    ) throws(TLSFault) -> Event {
        if case .failed(let fault) = phase { throw fault }
        guard !hasEnded else {
            // Nothing counts after the end.
            position = ciphertext.count
            return .needsMore
        }
        let rest = ciphertext.extracting(position..<ciphertext.count)
        if isServer, !hasInput, !rest.isEmpty {
            guard rest[0] == Self.handshakeRecord else { throw fail(.notTLS) }
            hasInput = true
        }
        ERR_clear_error()
        let event: Result<Event, TLSFault>
        let taken: Int
        switch phase {
        case .handshaking: (event, taken) = buffers.lending(rest, handshake)
        case .open: (event, taken) = buffers.lending(rest, read)
        case .failed(let fault): throw fault
        }
        position += taken
        switch event {
        case .success(let event): return event
        case .failure(let fault): throw fail(fault)
        }
    }

    private func handshake() -> Result<Event, TLSFault> {
        let result = unsafe SSL_do_handshake(connection)
        guard result == 1 else { return outcome(of: result) }
        phase = .open
        return .success(.established)
    }

    private func read() -> Result<Event, TLSFault> {
        var count = 0
        let result = unsafe buffers.plaintext.withUnsafeMutableBytes { bytes in
            unsafe SSL_read_ex(connection, bytes.baseAddress, bytes.count, &count)
        }
        return result == 1 ? .success(.plaintext(count)) : outcome(of: result)
    }

    /// What a call means that has not succeeded.
    private func outcome(of result: Int32) -> Result<Event, TLSFault> {
        switch unsafe SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ: return .success(.needsMore)
        case SSL_ERROR_ZERO_RETURN:
            guard case .open = phase else { return .failure(.closed) }
            hasEnded = true
            return .success(.end)
        default: return .failure(newestFault())
        }
    }

    private func fail(_ fault: TLSFault) -> TLSFault {
        phase = .failed(fault)
        return fault
    }
}

// MARK: - Sending

extension TLSEngine {
    /// Encrypts plaintext into the buffers, in as many records as it needs.
    ///
    /// The handshake must be done, and the end not said.
    ///
    /// - Throws: ``TLSFault``.
    package func encrypt(_ plaintext: Span<UInt8>) throws(TLSFault) {
        if case .failed(let fault) = phase { throw fault }
        precondition(phase == .open && !hasSaidEnd, "TLS is not open for sending")
        guard !plaintext.isEmpty else { return }
        ERR_clear_error()
        var written = 0
        let result = unsafe plaintext.withUnsafeBufferPointer { bytes in
            unsafe SSL_write_ex(connection, bytes.baseAddress, bytes.count, &written)
        }
        // The buffers take everything, so there is no such thing as a part.
        guard result == 1 else { throw fail(newestFault()) }
    }

    /// Has both sides take new keys, which only TLS 1.3 knows; for tests of what the other side makes of it.
    package func renewKeys() {
        guard phase == .open, !hasSaidEnd else { return }
        ERR_clear_error()
        _ = unsafe SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED)
        if unsafe SSL_do_handshake(connection) < 0 { ERR_clear_error() }
    }

    /// Puts this side's close_notify into the buffers; without effect again, or when TLS is not open.
    package func sayEnd() {
        guard phase == .open, !hasSaidEnd else { return }
        hasSaidEnd = true
        ERR_clear_error()
        if unsafe SSL_shutdown(connection) < 0 { _ = fail(newestFault()) }
    }
}

// MARK: - Faults

extension TLSEngine {
    /// What the library's newest failure means.
    private func newestFault() -> TLSFault {
        let reason = ERR_peek_error() == 0 ? 0 : ERR_GET_REASON(ERR_peek_error())
        // An alert of the other side has its number above this one.
        if reason > SSL_AD_REASON_OFFSET, reason <= SSL_AD_REASON_OFFSET + 255 {
            ERR_clear_error()
            return .alert(Int(reason - SSL_AD_REASON_OFFSET))
        }
        switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_VERSION_NUMBER, SSL_R_VERSION_TOO_LOW,
            SSL_R_UNKNOWN_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE,
            SSL_R_INAPPROPRIATE_FALLBACK:
            ERR_clear_error()
            return .version
        case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_GROUPS,
            SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
            SSL_R_NO_SHARED_GROUPS, SSL_R_NO_CIPHERS_SPECIFIED, SSL_R_WRONG_CURVE:
            ERR_clear_error()
            return .noCommonSuite
        case SSL_R_NO_APPLICATION_PROTOCOL:
            ERR_clear_error()
            return .applicationProtocol
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            ERR_clear_error()
            let result = unsafe SSL_get_verify_result(connection)
            return .certificate(unsafe String(cString: X509_verify_cert_error_string(result)))
        default: return .broken(LibraryErrors.takeWords())
        }
    }
}
