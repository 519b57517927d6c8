internal import Coordinator

/// Measures one session: from an event's arrival to its commit, and to its publication.
///
/// It belongs to the session's actor, which tells it what happens, in order.
struct SessionMeter {
    private struct Entry {
        var sequence: UInt64
        /// The place of the commit's publication; nil without one.
        var offset: UInt64?
        var arrivedAt: UInt64
        var appendedAt: UInt64
    }

    private let metrics: Metrics
    /// Whether commits are durable as soon as they are handed over, and publications follow at once.
    private let settlesAtOnce: Bool
    /// When the input came that is being worked on.
    private var arrival: UInt64 = 0
    /// Commits that are not settled, oldest first.
    private var pending: [Entry] = []
    /// Commits that settled last and have a publication.
    private var released: [Entry] = []

    init(_ metrics: Metrics, settlesAtOnce: Bool = false) {
        self.metrics = metrics
        self.settlesAtOnce = settlesAtOnce
    }

    /// An input came; commits that it asks for are measured from now on.
    mutating func inputArrived() {
        arrival = metrics.nanoseconds
    }

    /// A commit was handed over to the store.
    mutating func appended(_ commit: Commit) {
        if settlesAtOnce { return metrics.committedAtOnce() }
        pending.append(
            Entry(
                sequence: commit.sequence, offset: commit.offset, arrivedAt: arrival,
                appendedAt: metrics.nanoseconds))
        metrics.commitAppended()
    }

    /// A commit settled; its publication, if it has one, is handed over next.
    mutating func settled(_ settlement: Settlement) {
        released.removeAll(keepingCapacity: true)
        switch settlement {
        case .committed(_, through: let sequence):
            commit { $0.sequence <= sequence }
        case .failed(_, from: let sequence, _):
            // Earlier ones are durable even if nobody has said so (contract of `Store`).
            commit { $0.sequence < sequence }
            for _ in pending { metrics.commitFailed() }
            pending.removeAll(keepingCapacity: true)
        case .snapshotFailed: break
        }
    }

    private mutating func commit(while isDurable: (Entry) -> Bool) {
        let now = metrics.nanoseconds
        let count = pending.prefix(while: isDurable).count
        for entry in pending[..<count] {
            metrics.commitTook(now &- entry.appendedAt)
            if entry.offset != nil { released.append(entry) }
        }
        if count == pending.count {
            pending.removeAll(keepingCapacity: true)
        } else {
            pending.removeFirst(count)
        }
    }

    /// A publication was handed over to the queues of `subscribers` connections.
    ///
    /// Signals are counted but not timed: they have no commit to be found by.
    func published(_ publication: Publication, to subscribers: Int) {
        metrics.published(to: subscribers, took: latency(of: publication))
    }

    private func latency(of publication: Publication) -> UInt64? {
        guard let offset = publication.offset else { return nil }
        if settlesAtOnce { return metrics.nanoseconds &- arrival }
        guard let entry = released.first(where: { $0.offset == offset }) else { return nil }
        return metrics.nanoseconds &- entry.arrivedAt
    }

    /// A subscriber was admitted.
    func admitted(_ result: Reply.Subscribe) {
        metrics.admitted(result)
    }

    /// The session has decided about an input; `report` is of the event that it was, if it was one.
    func decided(_ report: EventReport?) {
        if let report { metrics.counted(report) }
    }
}

extension Commit {
    /// The place of the publication that leaves with the commit; nil without one.
    fileprivate var offset: UInt64? {
        switch change {
        case .update(let update): update.publication?.offset
        case .create, .delete: nil
        }
    }
}
