internal import Coordinator
internal import TLS

/// The counters of one loop; everything here happens on it, without locks or atomics.
///
/// Each call is a check of the thread and an addition or two. Texts are made only when somebody
/// asks for the page.
package final class Metrics: Sendable {
    private let loop: any EventLoop
    private let values: LoopBound<MetricValues>
    /// When counting began.
    let startedAt: Instant

    /// Counters at 0; only on the loop's thread.
    package init(on loop: any EventLoop) {
        self.loop = loop
        values = LoopBound(MetricValues(), on: loop)
        startedAt = loop.now
    }

    /// The monotonic clock of the loop, in nanoseconds.
    var nanoseconds: UInt64 { loop.nanoseconds }
}

// MARK: - Connections

extension Metrics {
    /// A connection was accepted.
    func connectionAccepted() {
        values.withValue { $0.accepted &+= 1 }
    }

    /// A connection was one too many.
    func connectionRefused() {
        values.withValue { $0.refusedConnections &+= 1 }
    }

    /// Bytes came in, on whatever carrier.
    func received(bytes count: Int) {
        values.withValue { $0.bytesIn &+= UInt64(count) }
    }

    /// The kernel took bytes.
    func sent(bytes count: Int) {
        values.withValue { $0.bytesOut &+= UInt64(count) }
    }

    /// A command was answered; only errors are counted.
    func answered(_ body: Reply.Body) {
        guard case .error(let error) = body else { return }
        values.withValue { $0.failed(error.code) }
    }

    /// The server ends a connection and says why, or would if it could.
    func disconnected(_ disconnect: Disconnect) {
        values.withValue { values in
            values.disconnected(disconnect.code)
            if disconnect == .slow { values.slowReaders &+= 1 }
        }
    }

    /// An HTTP request was answered.
    func responded(_ status: HTTPStatus) {
        let place = status.rawValue / 100 - MetricValues.statusClasses.lowerBound
        values.withValue { $0.responses[place] &+= 1 }
    }
}

// MARK: - TLS

extension Metrics {
    /// A handshake was done.
    func tlsEstablished(_ version: TLSVersion, isResumed: Bool) {
        let place = 2 * (TLSVersion.allCases.firstIndex(of: version) ?? 0) + (isResumed ? 1 : 0)
        values.withValue { $0.tlsHandshakes[place] &+= 1 }
    }

    /// TLS of a connection ended as it should not.
    func tlsFailed(_ failure: TLSFailure) {
        values.withValue { $0.tlsFailures[failure.rawValue] &+= 1 }
    }

    /// First bytes were no carrier's; those of a TLS handshake are counted apart.
    func unknownCarrier(isTLS: Bool) {
        values.withValue { values in
            if isTLS { values.misplacedTLS &+= 1 } else { values.unknownCarriers &+= 1 }
        }
    }
}

// MARK: - Sessions

extension Metrics {
    /// A session has decided about an event.
    func counted(_ report: EventReport) {
        values.withValue { values in
            values.events[MetricValues.place(report.kind, report.ending)] &+= 1
            if let name = report.tracked { values.tracking.count(name) }
            if report.isUnhandled { values.unhandledMessages &+= 1 }
        }
    }

    /// Something was handed over to the queues of `subscribers` connections, a revision so long after its
    /// event came.
    func published(to subscribers: Int, took nanoseconds: UInt64?) {
        values.withValue { values in
            values.publications &+= 1
            values.deliveries &+= UInt64(subscribers)
            if let nanoseconds { values.publishLatency.observe(nanoseconds) }
        }
    }

    /// A subscriber was admitted; only those who wanted to recover are counted.
    func admitted(_ result: Reply.Subscribe) {
        guard result.wasRecovering else { return }
        values.withValue { values in
            if result.recovered { values.recovered &+= 1 } else { values.notRecovered &+= 1 }
        }
    }

    /// A commit is on its way to the store.
    func commitAppended() {
        values.withValue { $0.pendingCommits += 1 }
    }

    /// A commit was durable as soon as it was handed over.
    func committedAtOnce() {
        values.withValue { $0.commitLatency.observe(0) }
    }

    /// A commit became durable so long after it was handed over.
    func commitTook(_ nanoseconds: UInt64) {
        values.withValue { values in
            values.pendingCommits -= 1
            values.commitLatency.observe(nanoseconds)
        }
    }

    /// A session's stored data are damaged, and this became of it.
    package func sessionDamaged(_ outcome: DamagePolicy) {
        values.withValue { values in
            switch outcome {
            case .setAside: values.sessionsSetAside &+= 1
            case .newEpoch: values.sessionsRenewed &+= 1
            }
        }
    }

    /// A commit was lost.
    func commitFailed() {
        values.withValue { values in
            values.pendingCommits -= 1
            values.failedCommits &+= 1
        }
    }
}

// MARK: - The page

extension Metrics {
    /// The page of what was counted, for those who have no server.
    package func page(version: String = "") -> [UInt8] {
        var gauges = MetricGauges()
        gauges.version = version
        return page(gauges)
    }

    /// The page of what was counted and of what is so now.
    func page(_ gauges: MetricGauges) -> [UInt8] {
        MetricsPage.text(ServerTally(values: snapshot, gauges: gauges), startedAt: startedAt)
    }

    /// What was counted so far.
    var snapshot: MetricValues { values.value }
}
