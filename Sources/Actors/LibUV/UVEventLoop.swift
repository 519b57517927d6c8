internal import CLibUV
package import Coordinator
internal import Glibc

/// An event loop over libuv: one thread, its sockets and timers, and the actors that live on it.
///
/// Several loops may run in one process. Handles are made and used on the loop's thread only, which
/// `execute` reaches from anywhere.
package final class UVEventLoop: EventLoop {
    /// What other threads leave for the loop.
    private struct Remote {
        var work: [TurnQueue.Work] = []
        var hasStarted = false
        var hasStopped = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Names the loop, and its thread by the first 15 bytes.
    package let name: String
    private let clock: UVClock
    /// The loop's thread while it runs.
    package let thread = LoopThread()
    private let remote = Locked(Remote())
    /// What only the loop's thread touches: every use follows a check of the thread.
    nonisolated(unsafe) let core: UVLoopCore

    /// Makes a loop that waits for `start()` or `run()`; work may be handed over before.
    ///
    /// The process ignores SIGPIPE from then on: libuv writes to sockets without asking the kernel
    /// to spare it that signal.
    ///
    /// - Throws: `UVError` when the process has no file descriptor left.
    package init(name: String, clock: UVClock = UVClock()) throws(UVError) {
        signal(SIGPIPE, SIG_IGN)
        self.name = name
        self.clock = clock
        unsafe core = try UVLoopCore()
    }

    deinit {
        // A running loop keeps itself alive, so this one either never ran or has ended.
        if !remote.withLock({ $0.hasStarted }) { unsafe core.dispose() }
    }

    /// The server's wall clock, in Unix milliseconds, readable on any thread.
    package var now: Instant { clock.now }

    /// The time at which libuv last woke up, which is that of its timers.
    package var turnTime: Instant {
        preconditionCurrent()
        return clock.instant(atMonotonic: unsafe uv_now(core.uv))
    }

    /// The monotonic clock of libuv's timers; see `EventLoop`.
    package var nanoseconds: UInt64 { UVClock.monotonicNanoseconds }

    /// Handles that are not closed yet: streams, listeners, signals and timers; on the loop only.
    package var openHandles: Int {
        preconditionCurrent()
        return unsafe core.openHandles
    }

    /// Sets a timer; see `EventLoop`.
    package func schedule(
        afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void
    ) -> any LoopTimer {
        UVTimer(on: self, afterMilliseconds: milliseconds, action)
    }

    /// Runs `action` on the loop; see `EventLoop`.
    ///
    /// - Returns: false when the loop has stopped, in which case the action never runs.
    @discardableResult
    package func execute(_ action: @escaping @Sendable () -> Void) -> Bool {
        submit(.action(action))
    }

    /// Runs `action` when the turn ends; see `EventLoop`.
    package func atTurnEnd(_ action: @escaping () -> Void) {
        preconditionCurrent()
        unsafe core.queue.appendAtTurnEnd(action)
    }

    /// Takes a job of an actor or a task; the job of a loop that has stopped never runs.
    package func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    @discardableResult
    private func submit(_ work: TurnQueue.Work) -> Bool {
        if isCurrent {
            unsafe core.queue.append(work)
            return true
        }
        return remote.withLock { remote in
            guard !remote.hasStopped else { return false }
            remote.work.append(work)
            // Under the lock, so that the loop cannot end between the check and the call.
            if remote.work.count == 1 { unsafe core.wake() }
            return true
        }
    }

    func takeRemoteWork() -> [TurnQueue.Work] {
        remote.withLock { remote in
            let work = remote.work
            remote.work = []
            return work
        }
    }

    func run(_ work: TurnQueue.Work) {
        switch work {
        case .action(let action):
            action()
        case .job(let job):
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}

extension UVEventLoop {
    /// Runs the loop on a thread of its own.
    package func start() {
        claim()
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let loop = unsafe Unmanaged<UVEventLoop>.fromOpaque(argument).takeRetainedValue()
                ThreadName.set(loop.name)
                // A thread starts with its maker's mask, and workers of the pool mask all signals.
                var none = sigset_t()
                unsafe sigemptyset(&none)
                unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
                loop.runClaimed()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(status == 0, "no thread for the event loop \(name)")
        pthread_detach(thread)
    }

    /// Runs the loop on the calling thread, until `stop()`.
    package func run() {
        claim()
        runClaimed()
    }

    /// Ends the loop; callable on any thread, and again without effect.
    ///
    /// Work handed over before is done first. Then every handle that is still open is closed, which
    /// completes what it has in flight with ECANCELED, and work that comes of it is done. Work that
    /// comes later never runs, so let go of tasks that wait for the loop's actors before.
    package func stop() {
        execute { unsafe self.core.stop() }
    }

    /// Waits until the loop has ended and has given all its memory back to libuv.
    package func finished() async {
        await withCheckedContinuation { continuation in
            let isOver = remote.withLock { remote in
                if !remote.hasStopped { remote.waiters.append(continuation) }
                return remote.hasStopped
            }
            if isOver { continuation.resume() }
        }
    }

    private func claim() {
        let isFirst = remote.withLock { remote in
            defer { remote.hasStarted = true }
            return !remote.hasStarted
        }
        precondition(isFirst, "an event loop runs once")
    }

    private func runClaimed() {
        thread.claim()
        unsafe core.runUntilStopped(for: self)
        unsafe core.closeAllHandles()
        let (late, waiters) = remote.withLock { remote in
            remote.hasStopped = true
            defer { (remote.work, remote.waiters) = ([], []) }
            return (remote.work, remote.waiters)
        }
        unsafe core.queue.append(contentsOf: late)
        unsafe core.closeAllHandles()
        unsafe core.dispose()
        thread.leave()
        for waiter in waiters { waiter.resume() }
    }
}
