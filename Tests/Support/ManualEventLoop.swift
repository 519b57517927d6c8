package import Actors
package import Coordinator
import Synchronization

/// An event loop that stands still until a test moves it: nothing runs but in `run` and `advance`.
///
/// Its thread is the one that made it, and later the one that last called `run`, `advance` or
/// `takeOver`; an actor on it can be entered with `assumeIsolated` from there at any time. A test
/// that is `async` may wake up on another thread after an `await` and then calls one of these.
package final class ManualEventLoop: EventLoop {
    /// The state that only the driving thread touches.
    private final class Confined {
        let queue = TurnQueue()
        /// The last one is due first.
        var timers: [ManualTimer] = []
        var nextTimer = 0
    }

    /// How many turns `run` takes before it calls the test endless.
    private static let turnLimit = 100_000

    private let time: Atomic<Int64>
    /// The thread that drives the loop.
    package let thread = LoopThread()
    private let remote = Locked<[TurnQueue.Work]>([])
    /// Says that another thread left work here.
    private let arrivals = Mailbox<Bool>()
    private nonisolated(unsafe) let confined = Confined()

    /// Makes a loop whose clock stands at `now`, driven by the calling thread.
    package init(now: Instant = Instant(milliseconds: 1_700_000_000_000)) {
        time = Atomic(now.milliseconds)
        thread.claim()
    }

    /// The instant to which the test has advanced the loop.
    package var now: Instant {
        Instant(milliseconds: time.load(ordering: .acquiring))
    }

    /// Timers that are set and neither cancelled nor run.
    package var pendingTimers: Int {
        preconditionCurrent()
        return unsafe confined.timers.count
    }

    /// When the next timer is due; nil when none is set.
    package var nextTimer: Instant? {
        preconditionCurrent()
        return unsafe confined.timers.last?.due
    }

    /// Makes the calling thread the one that drives the loop.
    package func takeOver() {
        thread.claim()
    }

    /// Runs everything that is due at the present instant, and what comes of it.
    package func run() {
        takeOver()
        for _ in 0..<Self.turnLimit {
            unsafe confined.queue.append(contentsOf: takeRemoteWork())
            if unsafe confined.queue.isEmpty {
                guard let timer = nextTimer(until: now) else { return }
                fire(timer)
            }
            _ = unsafe confined.queue.drain { run($0) }
        }
        preconditionFailure("the event loop does not come to rest")
    }

    /// Runs what other threads leave here until `isDone`; waits for them without a limit.
    package func run(until isDone: () -> Bool) {
        run()
        while !isDone() {
            _ = arrivals.take()
            run()
        }
    }

    /// Moves the clock forward, stopping at each timer that falls due, then runs what is left.
    package func advance(byMilliseconds milliseconds: Int64) {
        precondition(milliseconds >= 0, "time does not run backwards")
        run()
        let target = now.advanced(byMilliseconds: milliseconds)
        while let timer = nextTimer(until: target) {
            time.store(timer.due.milliseconds, ordering: .releasing)
            run()
        }
        time.store(target.milliseconds, ordering: .releasing)
        run()
    }

    /// Sets a timer; see `EventLoop`.
    package func schedule(
        afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void
    ) -> any LoopTimer {
        preconditionCurrent()
        let timer = unsafe ManualTimer(
            on: self, due: now.advanced(byMilliseconds: max(0, milliseconds)),
            order: confined.nextTimer, action)
        unsafe confined.nextTimer += 1
        unsafe confined.timers.insert(timer, at: place(of: timer))
        return ManualTimer.Reference(timer)
    }

    /// Keeps `action` for the next `run`; see `EventLoop`.
    ///
    /// - Returns: always true, because a manual loop does not stop.
    @discardableResult
    package func execute(_ action: @escaping @Sendable () -> Void) -> Bool {
        submit(.action(action))
        return true
    }

    /// Keeps `action` for the end of the next turn; see `EventLoop`.
    package func atTurnEnd(_ action: @escaping () -> Void) {
        preconditionCurrent()
        unsafe confined.queue.appendAtTurnEnd(action)
    }

    /// Keeps a job of an actor or a task for the next `run`.
    package func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// Forgets a timer that was cancelled.
    func remove(_ timer: ManualTimer) {
        unsafe confined.timers.remove(at: place(of: timer))
    }

    /// Where a timer is among the others, or belongs.
    private func place(of timer: ManualTimer) -> Int {
        unsafe confined.timers.partitioningIndex { $0 <= timer }
    }

    private func submit(_ work: TurnQueue.Work) {
        if isCurrent {
            unsafe confined.queue.append(work)
        } else {
            remote.withLock { $0.append(work) }
            arrivals.post(true)
        }
    }

    private func takeRemoteWork() -> [TurnQueue.Work] {
        remote.withLock { remote in
            let work = remote
            remote = []
            return work
        }
    }

    private func run(_ work: TurnQueue.Work) {
        switch work {
        case .action(let action):
            action()
        case .job(let job):
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    private func nextTimer(until limit: Instant) -> ManualTimer? {
        guard let timer = unsafe confined.timers.last, timer.due <= limit else { return nil }
        return timer
    }

    private func fire(_ timer: ManualTimer) {
        remove(timer)
        let action = timer.action
        timer.action = nil
        action?()
    }
}

extension [ManualTimer] {
    /// The first index at which `belongs` holds, of timers where it holds for all that follow.
    fileprivate func partitioningIndex(where belongs: (ManualTimer) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
