import Testing
import coordd

@Suite struct BenchScheduleTests {
    @Test func `at a low rate each event has a time of its own`() {
        let schedule = BenchSchedule(eventsPerSecond: 1000)
        #expect(schedule.eventsPerTick == 1)
        #expect(schedule.due(0) == 0)
        #expect(schedule.due(7) == 7_000_000)
    }

    @Test func `a rate below one a second has its time too`() {
        #expect(BenchSchedule(eventsPerSecond: 0.5).due(3) == 6_000_000_000)
    }

    @Test func `at a high rate several are due together and the rate is kept`() {
        // 250 microseconds of 100,000 a second are 25 events.
        let schedule = BenchSchedule(eventsPerSecond: 100_000)
        #expect(schedule.eventsPerTick == 25)
        #expect(schedule.tickNanoseconds == 250_000)
        #expect(schedule.due(24) == 0)
        #expect(schedule.due(25) == 250_000)
        #expect(schedule.due(100_000) == 1_000_000_000)
    }
}
