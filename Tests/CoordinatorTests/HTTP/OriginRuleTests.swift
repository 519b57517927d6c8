import Coordinator
import Testing

@Suite struct OriginRuleTests {
    private func allows(
        _ origins: [String], host: String, allowed: [String] = []
    ) -> Bool {
        var fields = HTTPFields()
        for origin in origins { fields.append("origin", origin) }
        let request = HTTPRequest(
            method: "GET", path: "/", query: nil, isVersion11: true, fields: fields, host: host)
        return OriginRule(allowed: allowed).allows(request)
    }

    @Test func `whoever is no browser passes`() {
        #expect(allows([], host: "a.example"))
    }

    @Test(arguments: [
        ("https://a.example", "a.example"), ("http://a.example", "a.example"),
        ("http://A.example:8787", "a.EXAMPLE:8787"), ("https://a.example:443", "a.example"),
        ("https://a.example", "a.example:443"), ("http://a.example", "a.example:80"),
        ("http://[::1]:8787", "[::1]:8787"),
    ])
    func `a page of the same host passes`(origin: String, host: String) {
        #expect(allows([origin], host: host))
    }

    @Test(arguments: [
        ("https://b.example", "a.example"), ("https://a.example.evil", "a.example"),
        ("https://a.example:80", "a.example"), ("http://a.example:81", "a.example"),
        ("http://a.example", "a.example:8787"), ("null", "null"), ("null", "a.example"),
        ("", ""), ("http://", ""), ("file://", ""), ("chrome-extension://a.example", "a.example"),
        ("a.example", "a.example"),
    ])
    func `a page of another host does not`(origin: String, host: String) {
        #expect(!allows([origin], host: host))
    }

    @Test func `configured origins pass as they are, or all of them`() {
        #expect(allows(["https://shop.example"], host: "a", allowed: ["https://Shop.example"]))
        #expect(!allows(["http://shop.example"], host: "a", allowed: ["https://shop.example"]))
        #expect(allows(["null"], host: "a", allowed: ["*"]))
        #expect(!allows(["http://a", "http://a"], host: "a", allowed: ["*"]))
    }

    /// What a browser may send when only one page is allowed (Docs/Cases.md).
    static let handshakes: [(origins: [String], passes: Bool)] = [
        (["https://app.example.com"], true), (["HTTPS://APP.EXAMPLE.COM"], true),
        (["https://app.example.com:443"], true), (["https://app.example.com:8443"], false),
        (["http://app.example.com"], false), (["https://app.example.com.evil.test"], false),
        (["https://evilapp.example.com"], false), (["null"], false),
        (["https://app.example.com", "https://app.example.com"], false),
        (["https://app.example.com, https://evil.test"], false),
        (["https://app.example.com/"], false), (["https://app.example.com@evil.test"], false),
        ([], true),
    ]

    @Test(arguments: handshakes)
    func `C56: an origin is the allowed one or it is not`(origins: [String], passes: Bool) {
        let allowed = ["https://app.example.com"]
        #expect(allows(origins, host: "coordd.example.net", allowed: allowed) == passes)
        // The default port may stand in the configuration as well.
        #expect(
            allows(
                origins, host: "coordd.example.net", allowed: ["https://APP.example.com:443"])
                == passes)
        #expect(allows(origins, host: "coordd.example.net") == origins.isEmpty)
    }

    @Test func `an origin has a scheme, a host and perhaps a port`() {
        for text in ["https://a.example", "http://localhost:3000", "HTTP://[::1]:80"] {
            #expect(OriginRule.isOrigin(text), "\(text)")
        }
        for text in [
            "", "null", "a.example", "https://", "https://a/", "https://a/b", "ws://a",
            "https://*.example", "https://a b", "https://u@a",
        ] {
            #expect(!OriginRule.isOrigin(text), "\(text)")
        }
    }
}
