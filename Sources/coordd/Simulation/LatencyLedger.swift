/// Matches one session's answers and arrivals, to tell how long a revision took to each screen.
///
/// An answer names the revision the event led to, or the present one when nothing changed. A
/// publication names its sender's device. So revision R belongs to the first answered request of
/// its sender that names R, unless an earlier request of that sender had R or a later revision.
package struct LatencyLedger: Sendable {
    private struct Entry {
        var sender: String?
        var isSettled = false
        var sentAt: UInt64?
        /// Answers that name this revision, while its sender is not known.
        var answers: [(device: String, sentAt: UInt64)] = []
        var arrivals: [UInt64] = []
    }

    private var entries: [UInt64: Entry] = [:]
    private var newestOfDevice: [String: UInt64] = [:]
    private var newest: UInt64 = 0

    /// Revisions that are remembered; an older one is settled, or its answer was lost.
    private static let window: UInt64 = 256

    /// Durations in microseconds that became known with one answer or arrival.
    package typealias Durations = [UInt64]

    /// A ledger without an entry.
    package init() {}

    /// Notes that a request of `device`, sent at `sentAt`, was answered with `revision`.
    package mutating func answered(
        device: String, revision: UInt64, sentAt: UInt64
    ) -> Durations {
        update(revision) { entry, newestOfDevice in
            guard entry.sentAt == nil, !entry.isSettled else { return [] }
            guard let sender = entry.sender else {
                entry.answers.append((device, sentAt))
                return []
            }
            return Self.settle(
                &entry, by: sender, from: [(device, sentAt)], &newestOfDevice, revision)
        }
    }

    /// Notes that `revision`, published for `device`, reached a screen at `time`; without a device
    /// the sender is the session itself, whose events nobody awaits.
    package mutating func arrived(
        revision: UInt64, device: String?, at time: UInt64
    ) -> Durations {
        guard let device else { return [] }
        return update(revision) { entry, newestOfDevice in
            if let sentAt = entry.sentAt { return [time &- sentAt] }
            guard !entry.isSettled else { return [] }
            entry.sender = device
            entry.arrivals.append(time)
            let answers = entry.answers
            entry.answers = []
            return Self.settle(&entry, by: device, from: answers, &newestOfDevice, revision)
        }
    }

    private static func settle(
        _ entry: inout Entry, by sender: String, from answers: [(device: String, sentAt: UInt64)],
        _ newestOfDevice: inout [String: UInt64], _ revision: UInt64
    ) -> Durations {
        guard let answer = answers.first(where: { $0.device == sender }) else { return [] }
        guard newestOfDevice[sender, default: 0] < revision else {
            entry.isSettled = true
            return []
        }
        newestOfDevice[sender] = revision
        entry.sentAt = answer.sentAt
        defer { entry.arrivals = [] }
        return entry.arrivals.map { $0 &- answer.sentAt }
    }

    private mutating func update(
        _ revision: UInt64, _ change: (inout Entry, inout [String: UInt64]) -> Durations
    ) -> Durations {
        guard revision + Self.window > newest else { return [] }
        if revision > newest {
            newest = revision
            if entries.count > 2 * Int(Self.window) {
                entries = entries.filter { $0.key + Self.window > revision }
            }
        }
        return change(&entries[revision, default: Entry()], &newestOfDevice)
    }
}
