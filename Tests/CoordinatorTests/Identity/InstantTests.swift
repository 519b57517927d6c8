import Coordinator
import Testing

@Suite struct InstantTests {
    @Test func `an instant moves by milliseconds and seconds`() {
        let instant = Instant(milliseconds: 1_767_225_600_000)
        #expect(instant.advanced(byMilliseconds: 3000).milliseconds == 1_767_225_603_000)
        #expect(instant.advanced(bySeconds: 3) == instant.advanced(byMilliseconds: 3000))
        #expect(instant.advanced(bySeconds: 3).milliseconds(since: instant) == 3000)
        #expect(instant < instant.advanced(byMilliseconds: 1))
    }

    @Test func `at the end of time it stops instead of trapping`() {
        let last = Instant(milliseconds: .max)
        let first = Instant(milliseconds: .min)
        #expect(last.advanced(byMilliseconds: 1) == last)
        #expect(first.advanced(byMilliseconds: -1) == first)
        #expect(last.advanced(bySeconds: .max) == last)
        #expect(first.advanced(bySeconds: .min) == first)
        #expect(last.milliseconds(since: first) == .max)
        #expect(first.milliseconds(since: last) == .min)
    }
}
