import Coordinator
import Testing
import coordd

/// The keys that tokens are checked with.
@Suite struct ConfigurationAuthTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    /// Of the curve P-256, made with the `openssl` command.
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEh4/uO9EpSqZkhoRUixcPyo7JRb6a
        +1hPJqnf/I/qZdOKpszX/7Z3ZKieAE3LvKgj8CdwCsI/Zr1m1ov9aT+eaQ==
        -----END PUBLIC KEY-----

        """

    private func verifier(_ loaded: LoadedConfiguration) -> TokenVerifier? {
        if case .tokens(let verifier) = loaded.configuration.access { verifier } else { nil }
    }

    @Test func `a secret has clients show tokens`() throws {
        #expect(self.verifier(try load("{}")) == nil)
        let loaded = try load(
            #"{"listen": "0.0.0.0:1", "auth": {"secret": "\#(Self.secret)", "audience": "a", "issuer": "i"}}"#
        )
        let verifier = try #require(self.verifier(loaded))
        #expect(verifier.secret == Array(Self.secret.utf8))
        #expect(verifier.audience == "a")
        #expect(verifier.issuer == "i")
        #expect(loaded.exposure == nil)
        #expect(loaded.configuration.limits.revocations == 100_000)
    }

    @Test func `the environment wins over the file`() throws {
        let other = String(repeating: "x", count: 40)
        let loaded = try load(
            #"{"auth": {"secret": "\#(Self.secret)"}}"#,
            environment: ["COORDD_AUTH_SECRET": other, "COORDD_TOKEN": "of the tools"])
        #expect(verifier(loaded)?.secret == Array(other.utf8))
    }

    @Test(arguments: [
        (#""0123456789abcdef0123456789abcde""#, "a text of 31 bytes"),
        (#""""#, "a text of 0 bytes"),
        ("12345678901234567890123456789012345", "a number"), ("null", "null"),
    ])
    func `a short secret is refused and not shown`(value: String, found: String) {
        #expect(
            problems(#"{"auth": {"secret": \#(value)}}"#) == [
                "/etc/coordd.json: auth.secret: found \(found); allowed: a text of 32 to 4096 bytes, "
                    + "as `openssl rand -hex 32` prints one"
            ])
    }

    @Test func `a public key is a text, or a file beside the configuration`() throws {
        let text = JSONWriter.text(of: .string(Self.pem))
        let written = try load(#"{"auth": {"publicKey": \#(text)}}"#)
        #expect(verifier(written)?.publicKey != nil)
        let named = try load(
            #"{"auth": {"publicKey": "keys/issuer.pem"}}"#,
            files: ["/etc/keys/issuer.pem": Self.pem])
        #expect(verifier(named)?.publicKey != nil)
    }

    @Test func `a file that is no public key is named, and nothing of it shown`() {
        let secret = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI\n"
        #expect(
            problems(
                #"{"auth": {"publicKey": "a.pem"}}"#, files: ["/etc/a.pem": secret]) == [
                    "/etc/coordd.json: auth.publicKey: /etc/a.pem: it is no public key in PEM "
                        + "(BEGIN PUBLIC KEY)"
                ])
        #expect(
            problems(#"{"auth": {"publicKey": "a.pem"}}"#) == [
                "/etc/coordd.json: auth.publicKey: /etc/a.pem cannot be read: No such file or "
                    + "directory"
            ])
    }

    @Test(arguments: ["audience", "issuer"])
    func `what only counts with a key needs one`(name: String) {
        #expect(
            problems(#"{"auth": {"\#(name)": "x"}}"#) == [
                "/etc/coordd.json: auth.\(name): found, and no key to check tokens with; allowed: "
                    + "with auth.secret or auth.publicKey"
            ])
    }

    @Test func `a report says that a secret is set and never which`() throws {
        let loaded = try load(
            #"{"auth": {"secret": "\#(Self.secret)", "createSessions": false}}"#)
        let report = ConfigurationReport(loaded)
        let json = JSONWriter.text(of: report.json)
        #expect(!report.text.contains(Self.secret) && !json.contains(Self.secret))
        #expect(report.json["configuration"]?["auth"]?["secret"] == "set")
        #expect(report.json["configuration"]?["auth"]?["publicKey"] == .null)
        #expect(report.notes.count == 1)
    }
}
