/// How far long work is, in the last line of a terminal.
package struct ProgressBar {
    private let total: Int
    private let unit: String
    private let now: () -> UInt64
    private let write: (String) -> Void
    private let start: UInt64
    private var drawnAt: UInt64?
    private var isShown = false

    /// Work that is done sooner shows no bar.
    private static let patienceMicroseconds: UInt64 = 1_000_000
    private static let intervalMicroseconds: UInt64 = 100_000
    private static let width = 30

    /// A bar for `total` pieces of work called `unit` that begins now, by a clock of microseconds.
    package init(
        total: Int, unit: String, now: @escaping () -> UInt64, write: @escaping (String) -> Void
    ) {
        self.total = total
        self.unit = unit
        self.now = now
        self.write = write
        start = now()
    }

    /// So many pieces are done; draws that now and then.
    package mutating func show(_ done: Int) {
        let time = now()
        guard total > 0, time - start >= Self.patienceMicroseconds,
            drawnAt.map({ time - $0 >= Self.intervalMicroseconds }) ?? true
        else { return }
        drawnAt = time
        isShown = true
        let filled = Self.width * min(done, total) / total
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        write("\r\u{1B}[K[\(bar)] \(100 * min(done, total) / total) %, \(done) of \(total) \(unit)")
    }

    /// Makes room for other lines.
    package mutating func clear() {
        guard isShown else { return }
        isShown = false
        write("\r\u{1B}[K")
    }
}
