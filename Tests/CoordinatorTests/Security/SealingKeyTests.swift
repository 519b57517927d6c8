import Security
import Testing

struct SealingKeyTests {
    private static let context = Array("session-1".utf8)
    private let key = SealingKey.random().key

    /// Test case 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega), which NIST refers to.
    @Test func `a value sealed elsewhere opens`() throws {
        let key = try SealingKey(
            bytes: bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let sealed =
            bytes("cafebabefacedbaddecaf888")
            + bytes("522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa")
            + bytes("8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662")
            + bytes("76fc6ece0f4e1768cddf8853bb2d551b")
        let plain =
            bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72")
            + bytes("1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let context = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        #expect(try key.open(sealed, context: context) == plain)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4096])
    func `what was sealed opens again`(count: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = key.seal(plain, context: Self.context)
        #expect(sealed.count == 12 + count + 16)
        #expect(try key.open(sealed, context: Self.context) == plain)
    }

    @Test func `the same value is never sealed the same way twice`() {
        let plain = Array("token".utf8)
        let first = key.seal(plain, context: Self.context)
        let second = key.seal(plain, context: Self.context)
        #expect(first.prefix(12) != second.prefix(12))
        #expect(first.dropFirst(12) != second.dropFirst(12))
    }

    @Test func `a change of any bit is seen`() {
        let sealed = key.seal(Array("token".utf8), context: Self.context)
        for bit in 0..<(8 * sealed.count) {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealingFault.notAuthentic) {
                try key.open(changed, context: Self.context)
            }
        }
    }

    @Test func `another context or key does not open it`() {
        let sealed = key.seal(Array("token".utf8), context: Self.context)
        #expect(throws: SealingFault.notAuthentic) {
            try key.open(sealed, context: Array("session-2".utf8))
        }
        #expect(throws: SealingFault.notAuthentic) {
            try SealingKey.random().key.open(sealed, context: Self.context)
        }
    }

    @Test(arguments: [0, 12, 27])
    func `fewer bytes than a nonce and a tag are refused`(count: Int) {
        #expect(throws: SealingFault.tooShort(count)) {
            try key.open([UInt8](repeating: 7, count: count), context: Self.context)
        }
    }

    @Test(arguments: [0, 16, 31, 33])
    func `a key of another length is refused`(count: Int) {
        #expect(throws: SealingFault.keyLength(count)) {
            try SealingKey(bytes: [UInt8](repeating: 7, count: count))
        }
    }

    @Test func `a key shows nothing of itself`() {
        let (key, bytes) = SealingKey.random()
        #expect("\(key)" == "<key>")
        #expect(String(reflecting: key) == "<key>")
        #expect(Mirror(reflecting: key).children.isEmpty)
        #expect(key.fingerprint.count == 16)
        #expect(!key.fingerprint.contains(SHA256.hex(bytes).prefix(8)))
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
