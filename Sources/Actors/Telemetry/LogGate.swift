package import Coordinator

/// Lets at most one log line a second through for each kind of line.
///
/// A value of the code that logs: a hostile client must not be able to fill the disk with
/// complaints about itself. Kinds are constants of the call sites, so there are few.
package struct LogGate: Sendable {
    private struct Kind {
        var opens: Instant
        var suppressed = 0
    }

    /// Milliseconds between two lines of a kind.
    private let interval: Int64
    private var kinds: [String: Kind] = [:]

    /// A gate that opens every `intervalMilliseconds` for each kind.
    package init(intervalMilliseconds: Int64 = 1000) {
        interval = intervalMilliseconds
    }

    /// Whether a line of `kind` may be written at `now`.
    ///
    /// - Returns: The number of lines suppressed since the last one, or nil to suppress this one.
    package mutating func admit(_ kind: String, at now: Instant) -> Int? {
        // A clock that was set back must not close the gate for long.
        if let known = kinds[kind], known.opens > now,
            known.opens.milliseconds(since: now) <= interval
        {
            kinds[kind]?.suppressed += 1
            return nil
        }
        let suppressed = kinds[kind]?.suppressed ?? 0
        kinds[kind] = Kind(opens: now.advanced(byMilliseconds: interval))
        return suppressed
    }
}
