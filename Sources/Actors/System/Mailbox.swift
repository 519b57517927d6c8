internal import Glibc

/// Hands values to a thread that waits for them.
@safe package final class Mailbox<Element: Sendable>: Sendable {
    // On the heap by themselves: both must keep their addresses for as long as they live.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let arrival: UnsafeMutablePointer<pthread_cond_t>
    private nonisolated(unsafe) var waiting: [Element] = []
    private nonisolated(unsafe) var isClosed = false

    /// An empty mailbox.
    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe arrival = .allocate(capacity: 1)
        let status = unsafe pthread_mutex_init(mutex, nil) | pthread_cond_init(arrival, nil)
        precondition(status == 0, "no mutex or condition variable")
    }

    deinit {
        unsafe pthread_cond_destroy(arrival)
        unsafe pthread_mutex_destroy(mutex)
        unsafe arrival.deallocate()
        unsafe mutex.deallocate()
    }

    /// Adds a value and wakes the reader; callable on any thread.
    package func post(_ element: Element) {
        unsafe pthread_mutex_lock(mutex)
        unsafe waiting.append(element)
        let isFirst = unsafe waiting.count == 1
        unsafe pthread_mutex_unlock(mutex)
        if isFirst { unsafe pthread_cond_signal(arrival) }
    }

    /// Waits until something was posted and takes all of it; nil once closed and empty.
    package func take() -> [Element]? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while unsafe waiting.isEmpty {
            if unsafe isClosed { return nil }
            unsafe pthread_cond_wait(arrival, mutex)
        }
        let taken = unsafe waiting
        unsafe waiting = []
        return taken
    }

    /// Whether nothing waits to be taken, and something may still come.
    package var isQuiet: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe waiting.isEmpty && !isClosed
    }

    /// Ends the reader after what was posted before.
    package func close() {
        unsafe pthread_mutex_lock(mutex)
        unsafe isClosed = true
        unsafe pthread_mutex_unlock(mutex)
        unsafe pthread_cond_broadcast(arrival)
    }
}
