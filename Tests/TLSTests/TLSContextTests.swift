import TLS
import TestSupport
import Testing

@Suite struct TLSContextTests {
    private func fault(_ certificate: String, _ key: String) -> TLSIdentityFault? {
        do throws(TLSIdentityFault) {
            _ = try TLSContext(certificate: Array(certificate.utf8), key: Array(key.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a chain tells whom it is for and how long`() throws {
        let context = try TLSContext(
            certificate: Array(TestCertificates.chain.utf8), key: Array(TestCertificates.key.utf8))
        let certificate = try #require(context.certificate)
        #expect(certificate.subject == "/CN=localhost")
        #expect(certificate.count == 2)
        // A hundred years of 365 days.
        #expect(certificate.validUntil - certificate.validFrom <= 36_500 * 86_400)
        #expect(certificate.validUntil > 4_900_000_000)
    }

    @Test func `the dates of an expired one are those it was made with`() throws {
        let context = try TLSContext(
            certificate: Array(TestCertificates.expired.utf8),
            key: Array(TestCertificates.expiredKey.utf8))
        // 2020-01-01 and 2020-02-01, midnight UTC.
        #expect(context.certificate?.validFrom == 1_577_836_800)
        #expect(context.certificate?.validUntil == 1_580_515_200)
    }

    @Test func `what is wrong is named`() {
        let (chain, key) = (TestCertificates.chain, TestCertificates.key)
        #expect(fault("", key) == .noCertificate)
        #expect(fault("nonsense", key) == .noCertificate)
        #expect(fault(key, key) == .noCertificate)
        #expect(fault(chain, "") == .noKey)
        #expect(fault(chain, chain) == .noKey)
        #expect(fault(chain, TestCertificates.encryptedKey) == .encryptedKey)
        #expect(fault(chain, TestCertificates.nextKey) == .otherKey)
        #expect(fault(chain, TestCertificates.rsaKey) == .otherKey)
        #expect(
            fault(TestCertificates.weakChain, TestCertificates.weakKey)
                == .badCertificate("ee key too small"))
        #expect(TLSIdentityFault.otherKey.isAboutKey)
        #expect(!TLSIdentityFault.noCertificate.isAboutKey)
    }

    @Test func `a damaged certificate is not taken for the end of the chain`() {
        let cut = TestCertificates.chain.replacing("MII", with: "MIJ", maxReplacements: 1)
        guard case .badCertificate = fault(cut, TestCertificates.key) else {
            Issue.record("it was taken")
            return
        }
    }

    @Test func `a client needs somebody to trust`() {
        #expect(throws: TLSIdentityFault.noCertificate) { try TLSContext(trusting: []) }
    }

    @Test func `new ticket keys do no harm to open connections`() throws {
        var context = try TLSContext(
            certificate: Array(TestCertificates.chain.utf8), key: Array(TestCertificates.key.utf8))
        let pair = try EnginePair(server: context)
        try pair.exchange()
        context = context.renewed()
        try pair.client.encrypt([1].span)
        try pair.exchange()
        #expect(pair.serverGot == [1])
    }
}
