package import Coordinator

/// One thread that runs timers, socket callbacks and the jobs of the actors that live on it.
///
/// A loop is the serial executor of its actors and the task executor of their tasks: start every
/// such task with `executorPreference: loop`, or each of its calls hops to the global pool and back.
/// Code that a callback runs on the loop enters an actor with `assumeIsolated`, without a task.
package protocol EventLoop: SerialExecutor, TaskExecutor {
    /// The server's wall clock, in Unix milliseconds, readable on any thread.
    ///
    /// It is read once, before the loop starts, and from then on advanced by the monotonic clock.
    /// A jump of the machine's wall clock therefore changes no order of events and fires no timer
    /// early; it is corrected at the next start of the server. A timer never runs before `now` has
    /// reached the instant for which it was set.
    var now: Instant { get }

    /// The time of the present turn, a little before `now`; only on the loop's thread.
    ///
    /// It is there for what happens with each event, and costs no look at the clock. A timer that runs finds
    /// it no earlier than the instant for which it was set.
    var turnTime: Instant { get }

    /// The monotonic clock, in nanoseconds since some moment; readable on any thread.
    ///
    /// For measuring how long something took; each reading is a new one.
    var nanoseconds: UInt64 { get }

    /// The thread that runs the loop.
    var thread: LoopThread { get }

    /// Runs `action` once, after at least `milliseconds`; negative values count as zero.
    ///
    /// Timers that are due at the same millisecond run in the order in which they were set. Only on
    /// the loop's thread. Keep the result: dropping it cancels the timer.
    func schedule(
        afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void
    ) -> any LoopTimer

    /// Runs `action` on the loop, later, in the order in which this thread handed its work over.
    ///
    /// Callable on any thread; on the loop's own thread the action runs within the present turn.
    ///
    /// - Returns: false when the loop has stopped, in which case the action never runs.
    @discardableResult
    func execute(_ action: @escaping @Sendable () -> Void) -> Bool

    /// Runs `action` once at the end of the present turn: after its callbacks, timers and jobs.
    ///
    /// This is where output collected during a turn is written in one go. An action that is added
    /// while others run is part of the same turn, for a bounded number of rounds; what is left after
    /// them runs in the next turn, which then does not wait. Only on the loop's thread.
    func atTurnEnd(_ action: @escaping () -> Void)
}

extension EventLoop {
    /// A loop whose clock costs nothing has no other time.
    package var turnTime: Instant { now }

    /// A loop without a finer clock counts in milliseconds.
    package var nanoseconds: UInt64 { UInt64(clamping: now.milliseconds) &* 1_000_000 }

    /// Tells whether the caller is on the loop's thread; readable on any thread.
    package var isCurrent: Bool { thread.isCurrent }

    /// Traps when the caller is not on the loop's thread.
    @inline(__always)
    package func preconditionCurrent() {
        thread.preconditionCurrent()
    }

    /// Traps when the caller is not on the loop's thread; `assumeIsolated` ends up here.
    package func checkIsolated() {
        preconditionCurrent()
    }

    /// Tells the runtime whether the caller is on the loop's thread.
    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
