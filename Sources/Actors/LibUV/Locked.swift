internal import Glibc

/// A value behind a POSIX mutex, for the few places where threads meet.
///
/// `Synchronization.Mutex` is a futex that the thread sanitizer cannot see, so it reports races
/// where there are none; a `pthread_mutex_t` it understands.
@safe package final class Locked<Value>: Sendable {
    // On the heap by itself: a mutex must keep its address for as long as it lives.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) var value: Value

    /// Puts `value` behind a new mutex.
    package init(_ value: consuming sending Value) {
        unsafe self.value = value
        unsafe mutex = .allocate(capacity: 1)
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Lends the value to `body` while no other thread has it; not re-entrant.
    ///
    /// - Throws: what `body` throws.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let status = unsafe pthread_mutex_lock(mutex)
        precondition(status == 0, "pthread_mutex_lock failed")
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value)
    }
}
