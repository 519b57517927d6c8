import TestSupport
import Testing
import coordd

@Suite struct TLSConfigurationTests {
    private let files = [
        "/etc/chain.pem": TestCertificates.chain, "/etc/key.pem": TestCertificates.key,
        "/etc/next.pem": TestCertificates.nextKey, "/etc/sealed.pem": TestCertificates.encryptedKey,
        "/etc/weak.pem": TestCertificates.weakChain, "/etc/weak.key": TestCertificates.weakKey,
        "/etc/old.pem": TestCertificates.expired, "/etc/old.key": TestCertificates.expiredKey,
    ]

    private func text(
        _ certificate: String, _ key: String, listen: String = "127.0.0.1:8788"
    ) -> String {
        #"{"tls": {"listen": "\#(listen)", "certificate": "\#(certificate)", "key": "\#(key)"}}"#
    }

    @Test func `all three keys together are accepted, paths from the file's folder`() throws {
        let loaded = try load(text("chain.pem", "key.pem"), files: files)
        let tls = loaded.configuration.tls
        #expect(tls.listen?.description == "127.0.0.1:8788")
        #expect(tls.certificate == "/etc/chain.pem")
        #expect(tls.key == "/etc/key.pem")
    }

    @Test func `the environment sets them, too`() throws {
        let loaded = try load(
            files: files,
            environment: [
                "COORDD_TLS_LISTEN": "[::1]:0", "COORDD_TLS_CERTIFICATE": "/etc/chain.pem",
                "COORDD_TLS_KEY": "/etc/key.pem",
            ])
        #expect(loaded.configuration.tls.listen?.description == "[::1]:0")
    }

    @Test func `a certificate that has expired is no problem of the configuration`() throws {
        _ = try load(text("old.pem", "old.key"), files: files)
    }

    @Test(arguments: [
        (#"{"listen": "127.0.0.1:1"}"#, ["tls.certificate", "tls.key"]),
        (#"{"certificate": "chain.pem"}"#, ["tls.listen", "tls.key"]),
        (#"{"listen": "127.0.0.1:1", "key": "key.pem"}"#, ["tls.certificate"]),
    ])
    func `one key without the others names those that are missing`(
        tls: String, missing: [String]
    ) {
        #expect(
            problems(#"{"tls": \#(tls)}"#, files: files)
                == missing.map {
                    "/etc/coordd.json: \($0): found nothing; allowed: tls.listen, "
                        + "tls.certificate and tls.key together, or none of them"
                })
    }

    @Test func `what is wrong with the files is named with the file`() {
        let place = "/etc/coordd.json: "
        #expect(
            problems(text("none.pem", "key.pem"), files: files) == [
                place + "tls.certificate: /etc/none.pem cannot be read: No such file or directory"
            ])
        #expect(
            problems(text("chain.pem", "none.pem"), files: files) == [
                place + "tls.key: /etc/none.pem cannot be read: No such file or directory"
            ])
        #expect(
            problems(text("key.pem", "key.pem"), files: files) == [
                place + "tls.certificate: /etc/key.pem: it holds no certificate in PEM "
                    + "(BEGIN CERTIFICATE)"
            ])
        #expect(
            problems(text("chain.pem", "chain.pem"), files: files) == [
                place + "tls.key: /etc/chain.pem: it holds no private key in PEM "
                    + "(BEGIN PRIVATE KEY)"
            ])
        #expect(
            problems(text("chain.pem", "next.pem"), files: files) == [
                place + "tls.key: /etc/next.pem: the key does not match the first certificate in "
                    + "/etc/chain.pem"
            ])
        #expect(
            problems(text("chain.pem", "sealed.pem"), files: files) == [
                place + "tls.key: /etc/sealed.pem: the key is encrypted, and there is no way to "
                    + "give its passphrase"
            ])
        #expect(
            problems(text("weak.pem", "weak.key"), files: files) == [
                place + "tls.certificate: /etc/weak.pem: a certificate in it cannot be used: "
                    + "ee key too small"
            ])
    }

    @Test func `TLS needs an address of its own`() {
        #expect(
            problems(text("chain.pem", "key.pem", listen: "127.0.0.1:8787"), files: files) == [
                "/etc/coordd.json: tls.listen: found 127.0.0.1:8787; allowed: another address "
                    + "than listen"
            ])
    }

    @Test func `TLS does not make up for authentication`() throws {
        let loaded = try load(text("chain.pem", "key.pem", listen: "0.0.0.0:443"), files: files)
        #expect(
            loaded.exposure?.description
                == "/etc/coordd.json: tls.listen: found 0.0.0.0:443, which other machines can "
                + "reach, and no authentication; allowed: a loopback address, or any with "
                + "auth.secret or auth.publicKey, or with --insecure"
        )
        #expect(try load(text("chain.pem", "key.pem"), files: files).exposure == nil)
    }
}
