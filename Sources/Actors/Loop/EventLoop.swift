package import Coordinator

/// A thread that runs callbacks, timers and actors one after the other.
///
/// Loop-confined code calls everything but `execute` on the loop's own thread.
package protocol EventLoop: SerialExecutor, TaskExecutor {
    /// The server's clock: wall time read once at the start, advanced by the monotonic clock.
    ///
    /// A jump of the wall clock therefore changes no order and fires no timer early.
    var now: Instant { get }

    /// Whether the calling thread is the loop's.
    var isCurrent: Bool { get }

    /// Calls `action` once after a delay; it never comes when the timer is cancelled or dropped.
    func schedule(
        afterMilliseconds delay: Int64, _ action: @escaping () -> Void
    ) -> any LoopTimer

    /// Calls `action` on the loop, in the order of the calls of each thread; from any thread.
    func execute(_ action: @escaping @Sendable () -> Void)

    /// Calls `action` once when the present turn of the loop ends.
    ///
    /// Actions added by such actions run in the same turn, up to a bounded number of rounds.
    func atTurnEnd(_ action: @escaping () -> Void)
}

extension EventLoop {
    /// Traps when the calling thread is not the loop's.
    package func preconditionCurrent() {
        precondition(isCurrent, "this belongs to another thread's event loop")
    }
}

/// A timer that was asked for with ``EventLoop/schedule(afterMilliseconds:_:)``.
package protocol LoopTimer: AnyObject {
    /// Makes the action never come; harmless when it came or was cancelled already.
    func cancel()
}
