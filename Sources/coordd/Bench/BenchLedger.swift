/// Which events a connection got, and what was wrong with them.
package struct BenchLedger: Sendable, Equatable {
    /// Events that came at all.
    package private(set) var arrived = 0
    /// Events that did not come, as far as is known.
    package private(set) var lost = 0
    /// Events that came twice, or after their successors.
    package private(set) var disordered = 0
    private var next: UInt32 = 0

    /// A ledger of a connection that got nothing yet.
    package init() {}

    /// Event `number` came; false when an event came twice or late.
    package mutating func arrived(_ number: UInt32) -> Bool {
        guard number >= next else {
            disordered += 1
            return false
        }
        lost += Int(number - next)
        arrived += 1
        next = number + 1
        return true
    }

    /// No event comes any more, and `sent` should have.
    package mutating func close(sent: UInt32) {
        if sent > next { lost += Int(sent - next) }
        next = max(next, sent)
    }
}
