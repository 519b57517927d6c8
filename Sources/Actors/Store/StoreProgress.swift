/// Tells about long work at the start, once a second from the first second on.
struct StoreProgress {
    private let work: String
    private let total: Int
    private var done = 0
    private var told = ContinuousClock.now

    init(_ work: String, total: Int) {
        self.work = work
        self.total = total
    }

    /// One more piece is done.
    mutating func advance(_ tell: @Sendable (String) -> Void) {
        done += 1
        guard done % 256 == 0 else { return }
        let now = ContinuousClock.now
        guard now - told >= .seconds(1) else { return }
        told = now
        tell("\(work): \(done) of \(total)")
    }
}
