import Actors
import Coordinator
import TestSupport
import Testing

struct ManualEventLoopTests {
    @Test func `nothing runs until the loop is moved`() {
        let loop = ManualEventLoop()
        let notes = LoopNotes()
        loop.atTurnEnd { notes.add("end") }
        loop.execute { notes.add("work") }
        #expect(notes.lines == [])
        loop.run()
        #expect(notes.lines == ["work", "end"])
    }

    @Test func `advancing stops at each timer and shows it its own time`() {
        let loop = ManualEventLoop(now: Instant(milliseconds: 1000))
        let notes = LoopNotes()
        var timers: [any LoopTimer] = []
        func set(_ delay: Int64, _ name: String) {
            timers.append(
                loop.schedule(afterMilliseconds: delay) {
                    notes.add("\(name) at \(loop.now.milliseconds)")
                    if name == "first" { set(5, "nested") }
                })
        }
        set(30, "late")
        set(10, "first")
        set(10, "second")
        set(31, "too late")
        loop.advance(byMilliseconds: 30)
        #expect(
            notes.lines == [
                "first at 1010", "second at 1010", "nested at 1015", "late at 1030",
            ])
        #expect(loop.now == Instant(milliseconds: 1030))
        #expect(loop.pendingTimers == 1)
        timers = []
        #expect(loop.pendingTimers == 0)
    }

    @Test func `a cancelled timer does not run, nor one cancelled by an earlier timer`() {
        let loop = ManualEventLoop()
        let notes = LoopNotes()
        let second = loop.schedule(afterMilliseconds: 2) { notes.add("second") }
        let first = loop.schedule(afterMilliseconds: 1) { second.cancel() }
        let third = loop.schedule(afterMilliseconds: 3) { notes.add("third") }
        third.cancel()
        third.cancel()
        loop.advance(byMilliseconds: 5)
        #expect(notes.lines == [])
        _ = first
    }

    @Test func `work from other threads waits for the test`() {
        let loop = ManualEventLoop()
        let notes = LoopNotes()
        onThreads(1) { _ in
            #expect(!loop.isCurrent)
            loop.execute { notes.add("from afar") }
        }
        #expect(notes.lines == [])
        loop.run()
        #expect(notes.lines == ["from afar"])
    }
}
