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
}
