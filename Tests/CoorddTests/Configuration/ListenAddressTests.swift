import Testing
import coordd

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8787", "127.0.0.1", 8787, true), ("0.0.0.0:0", "0.0.0.0", 0, false),
        ("127.255.0.9:1", "127.255.0.9", 1, true), ("[::1]:65535", "::1", 65_535, true),
        ("[0:0:0:0:0:0:0:1]:1", "0:0:0:0:0:0:0:1", 1, true), ("[::]:1", "::", 1, false),
        ("[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1, true),
        ("[::ffff:10.0.0.1]:1", "::ffff:10.0.0.1", 1, false),
        ("[2001:db8::7]:80", "2001:db8::7", 80, false), ("localhost:0", "127.0.0.1", 0, true),
    ])
    func `an address is read, written and judged`(
        text: String, host: String, port: UInt16, isLoopback: Bool
    ) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.numericHost == host)
        #expect(address.port == port)
        #expect(address.isLoopback == isLoopback)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", ":8787", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+1", "127.0.0.1: 1", "127.0.0.1:1x", "127.0.0:1", "127.0.0.1.1:1",
        "256.0.0.1:1", "127.0.0.01:1", "::1:1", "[::1]", "[127.0.0.1]:1", "[::1:1", "[:::]:1",
        "[1::2::3]:1", "[1:2:3:4:5:6:7]:1", "[1:2:3:4:5:6:7:8:9]:1", "[1:2:3:4:5:6:7:8::]:1",
        "[12345::]:1", "[g::]:1", "[fe80::1%eth0]:1", "[+1::]:1", "[1.2.3.4::]:1",
        "example.com:80", "127.0.0.1:000080",
    ])
    func `anything else is no address`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
