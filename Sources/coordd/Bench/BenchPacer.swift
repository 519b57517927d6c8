import Actors
import Dispatch
import Glibc
import Synchronization

/// Wakes a loop at the ticks of a schedule, from a thread of its own: the loop's timers count in
/// milliseconds, which is more than an event takes.
final class BenchPacer: Sendable {
    private let isStopped = Atomic(false)

    /// Calls `tick` on the loop at every tick from `start` on, in nanoseconds of the loop's clock.
    init(
        _ schedule: BenchSchedule, from start: UInt64, on loop: UVEventLoop,
        tick: @escaping @Sendable () -> Void
    ) {
        DispatchQueue.global(qos: .userInteractive).async { [self] in
            var next = start
            while !isStopped.load(ordering: .relaxed) {
                Self.sleep(until: next)
                guard loop.execute(tick) else { return }
                next += schedule.tickNanoseconds
            }
        }
    }

    /// No tick comes any more, but for one that is on its way.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    private static func sleep(until nanoseconds: UInt64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
