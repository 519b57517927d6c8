import TLS
import TestSupport
import Testing

@Suite struct TLSEngineTests {
    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func opened(
        _ configure: (EnginePair) -> Void = { _ in }, buffers: TLSBuffers = TLSBuffers()
    ) throws -> EnginePair {
        let pair = try EnginePair(buffers: buffers)
        configure(pair)
        try pair.exchange()
        #expect(pair.client.phase == .open)
        #expect(pair.server.phase == .open)
        return pair
    }

    @Test func `both sides agree on the newest version and understand each other`() throws {
        let pair = try opened()
        #expect(pair.server.version == .tls13)
        #expect(pair.client.version == .tls13)
        #expect(pair.server.suite == "TLS_AES_128_GCM_SHA256")
        #expect(pair.client.peerSubject == "/CN=localhost")
        try pair.client.encrypt(text("question").span)
        try pair.exchange()
        try pair.server.encrypt(text("answer").span)
        try pair.exchange()
        #expect(pair.serverGot == text("question"))
        #expect(pair.clientGot == text("answer"))
    }

    @Test func `nothing of the plaintext is in the ciphertext`() throws {
        let pair = try opened()
        try pair.client.encrypt(text("a secret of the viewer").span)
        let ciphertext = pair.client.buffers.takeOutput()
        let words = String(decoding: ciphertext, as: UTF8.self)
        #expect(!words.contains("secret"))
        #expect(ciphertext.first == 23)
    }

    @Test(arguments: [1, 2, 5, 1000])
    func `bytes may come in any pieces`(count: Int) throws {
        let pair = try opened { $0.chunkBytes = count }
        let message = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try pair.client.encrypt(message.span)
        try pair.server.encrypt(message.span)
        try pair.exchange()
        #expect(pair.serverGot == message)
        #expect(pair.clientGot == message)
    }

    @Test func `a big transfer arrives whole, both ways`() throws {
        let pair = try opened()
        var random = SplitMix(seed: 1)
        var megabytes: [UInt8] = []
        for _ in 0..<(1 << 18) {
            let number = random.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                megabytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
            }
        }
        try pair.client.encrypt(megabytes.span)
        try pair.server.encrypt(megabytes.span)
        try pair.exchange()
        #expect(pair.serverGot == megabytes)
        #expect(pair.clientGot == megabytes)
    }

    @Test func `engines of one thread share their buffers`() throws {
        let buffers = TLSBuffers()
        let first = try opened(buffers: buffers)
        let second = try opened(buffers: buffers)
        try first.client.encrypt(text("one").span)
        try second.client.encrypt(text("two").span)
        try second.exchange()
        try first.exchange()
        #expect(first.serverGot == text("one"))
        #expect(second.serverGot == text("two"))
    }

    @Test func `the end is said by each side for itself`() throws {
        let pair = try opened()
        pair.client.sayEnd()
        try pair.exchange()
        #expect(pair.server.hasEnded)
        #expect(!pair.client.hasEnded)
        try pair.server.encrypt(text("still owed").span)
        pair.server.sayEnd()
        pair.server.sayEnd()
        try pair.exchange()
        #expect(pair.clientGot == text("still owed"))
        #expect(pair.client.hasEnded)
    }

    @Test func `nothing counts after the end`() throws {
        let pair = try opened()
        pair.client.sayEnd()
        try pair.exchange()
        var position = 0
        let garbage = [UInt8](repeating: 0xA5, count: 100)
        #expect(try pair.server.next(in: garbage.span, at: &position) == .needsMore)
        #expect(position == 100)
        #expect(pair.server.phase == .open)
    }

    @Test func `ALPN chooses http/1.1 and refuses what is not spoken`() throws {
        let pair = try EnginePair(applicationProtocol: "http/1.1")
        try pair.exchange()
        #expect(pair.client.applicationProtocol == "http/1.1")
        let other = try EnginePair(applicationProtocol: "h2")
        #expect(throws: TLSFault.applicationProtocol) { try other.exchange() }
        #expect(try opened().client.applicationProtocol == nil)
    }

    @Test(arguments: ["localhost", "coordd.test", "127.0.0.1", "::1"])
    func `the certificate is good for its names`(host: String) throws {
        let pair = try EnginePair(host: host)
        try pair.exchange()
        #expect(pair.client.phase == .open)
    }

    @Test(arguments: ["example.org", "127.0.0.2", "sub.localhost"])
    func `the certificate is not good for other names`(host: String) throws {
        let pair = try EnginePair(host: host)
        do {
            try pair.exchange()
            Issue.record("the client took the certificate for \(host)")
        } catch {
            guard case .certificate(let words) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(words.contains("mismatch"))
        }
        // The client's alert says so to the server.
        #expect(throws: TLSFault.alert(42)) { try pair.exchange() }
    }

    @Test func `a root that is not trusted and a certificate that has ended are refused`() throws {
        let stranger = try TLSContext(
            certificate: Array(TestCertificates.expired.utf8),
            key: Array(TestCertificates.expiredKey.utf8))
        let pair = try EnginePair(server: stranger)
        #expect(throws: TLSFault.certificate("self-signed certificate")) { try pair.exchange() }
        let trusting = try TLSContext(trusting: Array(TestCertificates.expired.utf8))
        let late = try EnginePair(server: stranger, client: trusting)
        #expect(throws: TLSFault.certificate("certificate has expired")) { try late.exchange() }
    }

    @Test func `an RSA certificate is as good`() throws {
        let server = try TLSContext(
            certificate: Array(TestCertificates.rsaChain.utf8),
            key: Array(TestCertificates.rsaKey.utf8))
        let pair = try EnginePair(server: server)
        try pair.exchange()
        #expect(pair.server.phase == .open)
    }
}
