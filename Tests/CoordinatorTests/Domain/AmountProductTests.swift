import Coordinator
import TestSupport
import Testing

@Suite struct AmountProductTests {
    private func rounded(_ factors: [String]) throws -> String? {
        AmountProduct(try factors.map { try #require(Amount(text: $0)) }).rounded()?.text
    }

    @Test(arguments: [
        (["1.85"], "1.85"), (["2"], "2.00"), (["1.5"], "1.50"), (["1.85", "10.00"], "18.50"),
        (["1.85", "2.10", "3"], "11.66"),  // 11.655 is a tie; 11.66 is even
        (["0", "1.85"], "0.00"), (["0.001", "0"], "0.00"), ([], "1.00"),
    ])
    func `a product has two decimals`(factors: [String], text: String) throws {
        #expect(try rounded(factors) == text)
    }

    @Test(arguments: [
        ("0.005", "0.00"), ("0.015", "0.02"), ("0.025", "0.02"), ("1.115", "1.12"),
        ("1.125", "1.12"),
        ("1.12500000000000001", "1.13"), ("1.12499999999999999", "1.12"), ("0.0050001", "0.01"),
        ("0.006", "0.01"), ("0.0006", "0.00"), ("9.995", "10.00"), ("9.985", "9.98"),
        ("99.999", "100.00"), ("999999999999999.995", "1000000000000000.00"),
    ])
    func `a tie goes to the even digit, all else to the nearer`(text: String, result: String) throws
    {
        #expect(try rounded([text]) == result)
    }

    @Test func `only the end is rounded`() throws {
        // 1.005³ = 1.015075125; rounding each step would give 1.00.
        #expect(try rounded(["1.005", "1.005", "1.005"]) == "1.02")
        let price = AmountProduct([try #require(Amount(text: "1.005"))])
        #expect(price.rounded()?.text == "1.00")
        #expect(price.times(try #require(Amount(text: "1000"))).rounded()?.text == "1005.00")
    }

    @Test func `more than 18 digits give no amount`() throws {
        // 16 digits before the point and two after it are the most.
        #expect(try rounded(["9999999999999999"]) == "9999999999999999.00")
        #expect(try rounded(["10000000000000000"]) == nil)
        #expect(try rounded(["1000000000000000", "9.999999999999999"]) == "9999999999999999.00")
        // 10^16 − 10^-16 has sixteen digits before the point, until it is rounded.
        #expect(try rounded(["99999999.99999999", "100000000.00000001"]) == nil)
        #expect(try rounded(["999999999999999999", "999999999999999999"]) == nil)
    }

    @Test func `fifty factors of eighteen digits are exact`() throws {
        // Computed with Python's decimal at 2,000 digits.
        let twos = [String](repeating: "1.99999999999999999", count: 50)
        #expect(try rounded(twos) == "1125899906842623.72")
        let small = [String](repeating: "1.12345678901234567", count: 50)
        #expect(try rounded(small) == "337.15")
        let mixed = Self.fifty.split(separator: " ").map { "1." + $0 }
        #expect(mixed.count == 50)
        #expect(try rounded(mixed) == "466226408.65")
    }

    @Test func `forty-nine factors fill all eighteen digits`() throws {
        // Computed with Python's decimal at 2,000 digits.
        let factors = [String](repeating: "2.11111111111111111", count: 49)
        #expect(try rounded(factors) == "7962390706454821.46")
    }

    @Test func `a product with and without room in 128 bits is rounded alike`() throws {
        var random = SplitMix(seed: 1828)
        // Eight times one, written so long that no room is left.
        let one = try #require(Amount(text: "1.00000000000000000"))
        for round in 0..<2000 {
            let factors = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
                Amount(
                    text: "\(UInt64.random(in: 0...99_999, using: &random))"
                        + ".\(UInt64.random(in: 0...9999, using: &random))")
            }
            let short = AmountProduct(factors).rounded()
            let long = AmountProduct(factors + [Amount](repeating: one, count: 8)).rounded()
            #expect(short?.text == long?.text, "seed 1828, round \(round): \(factors)")
            #expect(short == long, "seed 1828, round \(round): \(factors)")
        }
    }

    private static let fifty = """
        56900062392749367 06958807592969296 13565570606665771 83988602439977464 \
        30941268702351093 12386299295650008 60264960030369626 34683192655088527 \
        79414276405131225 08518721562561062 81490466757711023 90882771662549081 \
        84018706989938357 08915260960214441 84385411081503951 07146573881203220 \
        31861252710718156 80223864665986992 19192516020836043 60404301035722134 \
        77921045355292324 82277331785720256 80741581148695096 98286949934934063 \
        14851890311599499 82319226888765329 27075068556203335 14041224647635459 \
        81334040767164471 89208682902062516 71540867407132127 76628962581590356 \
        67100301184463599 52109508708918320 35802041213093805 25907121587254311 \
        11796549633645563 43270457944534703 71353788592768801 49500064485802695 \
        64683825518406944 87760240521923080 10549356716828984 73777295155367696 \
        23773543427348712 49295438852127999 60773136503451522 11186292437037520 \
        80427191501515422 49016796649472460
        """
}
