import Coordinator
import Testing

@Suite struct RateLimitTests {
    private func take(_ rate: inout RateLimit, at milliseconds: Int64) -> Bool {
        rate.take(at: instant(milliseconds))
    }

    private func instant(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    @Test func `twice the rate passes at once and then one event per share of a second`() {
        var rate = RateLimit(perSecond: 4, at: instant(0))
        for _ in 0..<8 { #expect(take(&rate, at: 0)) }
        #expect(!take(&rate, at: 0))
        #expect(!take(&rate, at: 249))
        #expect(take(&rate, at: 250))
        #expect(!take(&rate, at: 250))
    }

    @Test func `credit stops at twice the rate`() {
        var rate = RateLimit(perSecond: 3, at: instant(0))
        for _ in 0..<6 { #expect(take(&rate, at: 1_000_000)) }
        #expect(!take(&rate, at: 1_000_000))
    }

    @Test func `a clock that goes back gives nothing`() {
        var rate = RateLimit(perSecond: 1, at: instant(5000))
        #expect(take(&rate, at: 5000))
        #expect(take(&rate, at: 5000))
        #expect(!take(&rate, at: 0))
    }
}
