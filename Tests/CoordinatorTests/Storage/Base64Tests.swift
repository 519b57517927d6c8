import Coordinator
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    private static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: vectors) func `a vector of the RFC holds`(plain: String, text: String) {
        #expect(Base64.text(of: Array(plain.utf8)) == text)
        #expect(Base64.bytes(of: text) == Array(plain.utf8))
    }

    @Test func `the two letters beside the alphanumeric ones are plus and slash`() {
        #expect(Base64.text(of: [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF]) == "++++////")
        #expect(Base64.bytes(of: "++++////") == [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF])
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "=Zg=", "Zg==Zg==", "Zm8=Zm8=", "Zm9v\n",
        " Zm9v", "Zm 9v", "Zm-_", "Zm9é", "Zh==", "Zm9=", "Zg=g", "Zm9v====",
    ])
    func `another text of the same bytes, or of none, is refused`(text: String) {
        #expect(Base64.bytes(of: text) == nil)
    }

    @Test func `every length comes back`() {
        let bytes = (0..<256).map { UInt8($0) }
        for count in 0...256 {
            let part = Array(bytes.suffix(count))
            #expect(Base64.bytes(of: Base64.text(of: part)) == part)
        }
    }
}
