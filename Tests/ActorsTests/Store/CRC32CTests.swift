import TestSupport
import Testing

@testable import Actors

struct CRC32CTests {
    private static func sum(_ bytes: [UInt8]) -> UInt32 {
        var crc = CRC32C()
        crc.add(bytes)
        return crc.value
    }

    // RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRCs.
    @Test(
        arguments: [
            (Array("123456789".utf8), 0xe306_9283),
            ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
            ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
            (Array(0..<32), 0x46dd_794e),
            (Array((0..<32).reversed()), 0x113f_db5c),
        ] as [([UInt8], UInt32)])
    func `the sums are those of the standard`(bytes: [UInt8], sum: UInt32) {
        #expect(Self.sum(bytes) == sum)
    }

    @Test func `pieces give the sum of the whole, and a number that of its eight bytes`() {
        let bytes = (0..<100).map { UInt8($0 * 7 & 0xff) }
        for cut in 0...100 {
            var crc = CRC32C()
            crc.add(Array(bytes[..<cut]))
            crc.add(Array(bytes[cut...]))
            #expect(crc.value == Self.sum(bytes))
        }
        var crc = CRC32C()
        crc.add(0x0807_0605_0403_0201 as UInt64)
        #expect(crc.value == Self.sum([1, 2, 3, 4, 5, 6, 7, 8]))
    }
}
