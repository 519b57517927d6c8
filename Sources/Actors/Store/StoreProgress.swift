internal import Glibc

/// Tells about long work at the start, once a second from the first second on.
struct StoreProgress {
    private let work: String
    private let total: Int
    private var done = 0
    private var told = Self.seconds

    init(_ work: String, total: Int) {
        self.work = work
        self.total = total
    }

    /// One more piece is done.
    mutating func advance(_ tell: @Sendable (String) -> Void) {
        done += 1
        guard done % 256 == 0 else { return }
        let now = Self.seconds
        guard now >= told + 1 else { return }
        told = now
        tell("\(work): \(done) of \(total)")
    }

    private static var seconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
