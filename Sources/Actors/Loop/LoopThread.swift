internal import Glibc
internal import Synchronization

/// Which thread an event loop has; readable on any thread.
package final class LoopThread: Sendable {
    /// The `pthread_t`, 0 when there is none.
    private let id: Atomic<UInt>

    /// No thread yet.
    package init() {
        id = Atomic(0)
    }

    /// Whether the caller is on it.
    @inline(__always)
    package var isCurrent: Bool { id.load(ordering: .acquiring) == pthread_self() }

    /// Makes the calling thread the loop's.
    package func claim() {
        id.store(pthread_self(), ordering: .releasing)
    }

    /// The loop has no thread any more.
    package func leave() {
        id.store(0, ordering: .releasing)
    }

    /// Traps when the caller is not on the loop's thread.
    @inline(__always)
    package func preconditionCurrent() {
        precondition(isCurrent, "this belongs on its event loop's thread")
    }
}
