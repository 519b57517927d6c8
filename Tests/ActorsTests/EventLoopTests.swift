import Actors
import Coordinator
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EventLoopTests {
    /// Takes a timer off its loop, which is what the type system forbids.
    private final class Parcel: Sendable {
        nonisolated(unsafe) var timer: (any LoopTimer)?
    }

    @Test func `timers run in the order of their due times, equal ones in the order of setting`()
        async throws
    {
        let lines = try await withEventLoop { loop in
            await loop.result { done in
                let notes = LoopNotes()
                var timers: [any LoopTimer] = []
                func set(_ delay: Int64, _ line: String) {
                    timers.append(loop.schedule(afterMilliseconds: delay) { notes.add(line) })
                }
                // Far apart: a loaded machine may take long to set the next one.
                set(600, "late")
                set(300, "sooner")
                set(0, "zero")
                set(-5, "negative")
                timers.append(
                    loop.schedule(afterMilliseconds: 900) {
                        done(notes.lines)
                        timers = []
                    })
            }
        }
        // Setting them may straddle a millisecond, so the two without delay may differ in due time,
        // but never in order.
        #expect(lines == ["zero", "negative", "sooner", "late"])
    }

    @Test func `a timer does not run before the clock has reached its time`() async throws {
        try await withEventLoop { loop in
            for delay in [0, 1, 2, 3, 10] as [Int64] {
                let elapsed: Int64 = await loop.result { done in
                    let start = loop.now
                    // The loop's own time is old by now, as in a turn that took long.
                    while loop.now.milliseconds(since: start) < 5 {}
                    let set = loop.now
                    var timer: (any LoopTimer)?
                    timer = loop.schedule(afterMilliseconds: delay) {
                        done(loop.now.milliseconds(since: set))
                        timer = nil
                    }
                    _ = timer
                }
                #expect(elapsed >= delay)
            }
        }
    }

    @Test func `cancelled and dropped timers do not run`() async throws {
        let lines = try await withEventLoop { loop in
            await loop.result { done in
                let notes = LoopNotes()
                let cancelled = loop.schedule(afterMilliseconds: 0) { notes.add("cancelled") }
                cancelled.cancel()
                cancelled.cancel()
                _ = loop.schedule(afterMilliseconds: 0) { notes.add("dropped") }
                var last: (any LoopTimer)?
                last = loop.schedule(afterMilliseconds: 5) {
                    last?.cancel()
                    last = nil
                    done(notes.lines)
                }
            }
        }
        #expect(lines == [])
    }

    @Test func `a timer dropped on another thread is cancelled and closed`() async throws {
        try await withEventLoop { loop in
            let parcel = Parcel()
            let _: Bool = await loop.result { done in
                unsafe parcel.timer = loop.schedule(afterMilliseconds: 3_600_000) {}
                done(true)
            }
            unsafe parcel.timer = nil
            let open: Int = await loop.result { done in
                var timer: (any LoopTimer)?
                timer = loop.schedule(afterMilliseconds: 0) {
                    done(loop.openHandles)
                    timer = nil
                }
                _ = timer
            }
            // The timer that asks is closing, so it may still count; the dropped one may not.
            #expect(open <= 1)
        }
    }

    @Test func `work from eight threads arrives complete and in each thread's order`() async throws
    {
        let arrived = Locked<[[Int]]>(Array(repeating: [], count: 8))
        try await withEventLoop { loop in
            onThreads(8) { thread in
                for number in 0..<5000 {
                    loop.execute {
                        loop.preconditionCurrent()
                        arrived.withLock { $0[thread].append(number) }
                    }
                }
            }
            let _: Bool = await loop.result { $0(true) }
        }
        for numbers in arrived.withLock({ $0 }) {
            #expect(numbers == Array(0..<5000))
        }
    }

    @Test func `the end of a turn comes after its work, and its own work after that`() async throws
    {
        let lines = try await withEventLoop { loop in
            await loop.result { done in
                let notes = LoopNotes()
                loop.atTurnEnd {
                    notes.add("end")
                    loop.atTurnEnd {
                        notes.add("nested end")
                        loop.atTurnEnd { done(notes.lines) }
                    }
                    loop.execute { notes.add("work of end") }
                }
                loop.execute { notes.add("work") }
            }
        }
        #expect(lines == ["work", "end", "work of end", "nested end"])
    }

    @Test func `the end of a timer's turn comes before a later timer`() async throws {
        let lines = try await withEventLoop { loop in
            await loop.result { done in
                let notes = LoopNotes()
                var timers: [any LoopTimer] = []
                timers.append(
                    loop.schedule(afterMilliseconds: 0) {
                        loop.atTurnEnd { notes.add("end") }
                        notes.add("timer")
                        timers.append(
                            loop.schedule(afterMilliseconds: 1) {
                                done(notes.lines)
                                timers = []
                            })
                    })
            }
        }
        #expect(lines == ["timer", "end"])
    }

    @Test func `work without end does not keep timers from running`() async throws {
        let didRun: Bool = try await withEventLoop { loop in
            await loop.result { done in
                var timer: (any LoopTimer)?
                var isOver = false
                func again() {
                    guard !isOver else { return }
                    loop.atTurnEnd(again)
                }
                again()
                timer = loop.schedule(afterMilliseconds: 5) {
                    isOver = true
                    timer = nil
                    done(true)
                }
                _ = timer
            }
        }
        #expect(didRun)
    }

    @Test func `stopping completes work handed over before and refuses work after`() async throws {
        let loop = try UVEventLoop(name: "stop")
        let notes = LoopNotes()
        loop.execute { notes.add("before start") }
        loop.start()
        #expect(loop.execute { notes.add("before stop") })
        loop.stop()
        loop.stop()
        await loop.finished()
        await loop.finished()
        #expect(!loop.execute { notes.add("after stop") })
        #expect(notes.lines == ["before start", "before stop"])
    }

    @Test func `stopping closes what is open`() async throws {
        let loop = try UVEventLoop(name: "leak")
        loop.start()
        try await loop.attempt { done in
            _ = try UVListener(on: loop, host: "127.0.0.1", port: 0)
            _ = try UVSignal(on: loop, signal: SIGUSR1) {}
            _ = UVStream(on: loop)
            done(())
        }
        loop.stop()
        await loop.finished()
    }

    @Test func `a loop that never runs can be dropped`() throws {
        let loop = try UVEventLoop(name: "unused")
        #expect(!loop.isCurrent)
        loop.execute {}
    }

    @Test func `a loop runs on the calling thread until it is stopped`() throws {
        let loop = try UVEventLoop(name: "here")
        let here = ThreadIdentity.current
        let there = Locked<UInt>(0)
        loop.execute {
            there.withLock { $0 = ThreadIdentity.current }
            loop.stop()
        }
        loop.run()
        #expect(there.withLock { $0 } == here)
        #expect(!loop.isCurrent)
    }

    @Test func `loops that share a clock agree on the time`() throws {
        let clock = UVClock()
        let first = try UVEventLoop(name: "first", clock: clock)
        let second = try UVEventLoop(name: "second", clock: clock)
        let (before, between, after) = (first.now, second.now, first.now)
        #expect(before <= between && between <= after)
        #expect(before.milliseconds > 1_600_000_000_000)
    }
}
