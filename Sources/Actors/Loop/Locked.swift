internal import Glibc

/// A value behind a POSIX mutex, for the few places where threads meet.
///
/// `Synchronization.Mutex` is invisible to the thread sanitizer on Linux and shows false races.
@safe package final class Locked<Value: Sendable>: Sendable {
    // A heap address, because a mutex must not move; touched only between lock and unlock.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Guarded by the mutex.
    private nonisolated(unsafe) var value: Value

    /// Guards `value`.
    package init(_ value: Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe self.value = value
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread has it.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe body(&value)
    }
}
