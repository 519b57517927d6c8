import Actors
import Testing

@Suite struct HistogramTests {
    @Test func `an observation is in the first bucket whose bound it does not pass`() {
        var histogram = Histogram()
        for nanoseconds: UInt64 in [0, 50_000, 50_001, 1_000_000, 10_000_000_000, 10_000_000_001] {
            histogram.observe(nanoseconds)
        }
        var wanted = [UInt64](repeating: 0, count: 18)
        wanted[0] = 2
        wanted[1] = 1
        wanted[4] = 1
        wanted[16] = 1
        wanted[17] = 1
        #expect(histogram.counts == wanted)
        #expect(histogram.sum == 20_001_100_002)
    }

    @Test func `the bounds go from 50 microseconds to 10 seconds`() {
        #expect(Histogram.bounds.first == 50_000)
        #expect(Histogram.bounds.last == 10_000_000_000)
        #expect(Histogram.bounds == Histogram.bounds.sorted())
    }
}
