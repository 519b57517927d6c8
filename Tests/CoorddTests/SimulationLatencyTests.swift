import Testing
import coordd

@Suite struct SimulationLatencyHistogramTests {
    @Test func `an empty histogram has no percentile`() {
        #expect(LatencyHistogram().percentile(50) == nil)
    }

    @Test func `percentiles of 1 to 100 microseconds are the nearest ranks`() {
        var histogram = LatencyHistogram()
        for value in (1...100 as ClosedRange<UInt64>).reversed() { histogram.record(value) }
        #expect(histogram.count == 100)
        #expect(histogram.percentile(50) == 50)
        // Above 63 buckets are two wide: 64–65, …, 94–95, 98–99.
        #expect(histogram.percentile(95) == 95)
        #expect(histogram.percentile(99) == 99)
        #expect(histogram.percentile(100) == 100)
        #expect(histogram.maximum == 100)
    }

    @Test func `one sample is every percentile`() {
        var histogram = LatencyHistogram()
        histogram.record(1_234_567)
        for percent in [1, 50, 99, 100] as [UInt64] {
            #expect(histogram.percentile(percent) == 1_234_567)
        }
    }

    @Test func `a bucket is never wider than a thirty-second of its values`() throws {
        for exponent in 0..<63 {
            for value in [1 << exponent, (1 << exponent) + (1 << exponent) / 3] as [UInt64] {
                var histogram = LatencyHistogram()
                histogram.record(value)
                histogram.record(.max)
                let end = try #require(histogram.percentile(50))
                #expect(end >= value && end - value <= value / 32)
            }
        }
    }
}

@Suite struct SimulationLatencyLedgerTests {
    @Test func `an arrival after the answer takes the time since sending`() {
        var ledger = LatencyLedger()
        #expect(ledger.answered(device: "p", revision: 1, sentAt: 100) == [])
        #expect(ledger.arrived(revision: 1, device: "p", at: 150) == [50])
        #expect(ledger.arrived(revision: 1, device: "p", at: 170) == [70])
    }

    @Test func `arrivals before the answer are known with it`() {
        var ledger = LatencyLedger()
        #expect(ledger.arrived(revision: 1, device: "p", at: 150) == [])
        #expect(ledger.arrived(revision: 1, device: "p", at: 170) == [])
        #expect(ledger.answered(device: "p", revision: 1, sentAt: 100) == [50, 70])
    }

    @Test func `an answer without a change does not count for the revision of another device`() {
        var ledger = LatencyLedger()
        #expect(ledger.answered(device: "m", revision: 1, sentAt: 90) == [])
        #expect(ledger.arrived(revision: 1, device: "p", at: 150) == [])
        #expect(ledger.answered(device: "p", revision: 1, sentAt: 100) == [50])
    }

    @Test func `an answer without a change does not count for the device's own last revision`() {
        var ledger = LatencyLedger()
        #expect(ledger.answered(device: "p", revision: 1, sentAt: 100) == [])
        #expect(ledger.answered(device: "p", revision: 1, sentAt: 140) == [])
        #expect(ledger.arrived(revision: 1, device: "p", at: 150) == [50])
    }

    @Test func `events of the session itself have no latency`() {
        var ledger = LatencyLedger()
        #expect(ledger.arrived(revision: 1, device: nil, at: 150) == [])
        #expect(ledger.answered(device: "p", revision: 1, sentAt: 100) == [])
    }
}

@Suite struct SimulationAgendaTests {
    @Test func `work comes out by time and then by order of entry`() {
        var agenda = Agenda()
        var done: [Int] = []
        for (number, due) in [30, 10, 20, 10, 40, 0, 20].enumerated() {
            agenda.add(at: UInt64(due)) { done.append(number) }
        }
        #expect(agenda.nextDue == 0)
        while let work = agenda.next(dueBy: 30) { work() }
        #expect(done == [5, 1, 3, 2, 6, 0])
        #expect(agenda.count == 1)
        #expect(agenda.nextDue == 40)
    }
}
