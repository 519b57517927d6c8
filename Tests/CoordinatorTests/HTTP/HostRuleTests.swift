import Coordinator
import Testing

@Suite struct HostRuleTests {
    @Test(arguments: [
        "localhost", "LocalHost", "localhost:8787", "127.0.0.1", "127.0.0.1:80", "127.255.3.4:1",
        "[::1]", "[::1]:8787",
    ])
    func `this machine's own names`(host: String) {
        #expect(HostRule.isLoopback(host))
    }

    @Test(arguments: [
        "", "evil.test", "evil.test:8787", "localhost.evil.test", "127.0.0.1.evil.test",
        "127.0.0.1.nip.io", "127.1", "127.0.0.256", "128.0.0.1", "0.0.0.0", "10.0.0.1", "[::]",
        "[::2]", "[::1", "::1", "[::1].evil.test", "[::1]x", "localhost:", "localhost:x",
        "localhost:123456", "localhost:80:80", "127.0.0.1:", "127..0.1", "127.0.0.1.", "127.0.0.+1",
        "0127.0.0.1", "127.0.0.0001", "xn--localhost", "local host", "notlocalhost",
    ])
    func `other names`(host: String) {
        #expect(!HostRule.isLoopback(host))
    }
}
