internal import Coordinator
internal import TLS

/// The metrics as a page for Prometheus.
///
/// Every series is always there, whatever clients do; only names that pages track come, up to a limit.
enum MetricsPage {
    /// The page of what was counted since `startedAt` and of what is so now.
    static func text(_ tally: ServerTally, startedAt: Instant) -> [UInt8] {
        let (values, gauges) = (tally.values, tally.gauges)
        var writer = PrometheusWriter()
        write(connections: values, gauges, to: &writer)
        write(tls: values, gauges, to: &writer)
        write(sessions: values, gauges, to: &writer)
        write(store: gauges.store, to: &writer)
        write(process: gauges, startedAt: startedAt, to: &writer)
        return writer.bytes
    }

    private static func write(
        connections values: MetricValues, _ gauges: MetricGauges, to writer: inout PrometheusWriter
    ) {
        writer.family("connections", .gauge, "Open connections by what they speak.")
        writer.sample([("carrier", "undecided")], gauges.undecidedConnections)
        writer.sample([("carrier", "line")], gauges.lineConnections)
        writer.sample([("carrier", "http")], gauges.httpConnections)
        writer.sample([("carrier", "websocket")], gauges.webSocketConnections)
        writer.single(
            "connections_accepted_total", .counter, "Connections accepted.", values.accepted)
        writer.single(
            "connections_refused_total", .counter,
            "Connections closed at once because of a limit.", values.refusedConnections)
        writer.single(
            "received_bytes_total", .counter, "Bytes read from connections.", values.bytesIn)
        writer.single(
            "sent_bytes_total", .counter, "Bytes written to connections.", values.bytesOut)
        writer.single(
            "outbound_queue_bytes", .gauge, "Bytes that wait for readers.", gauges.outboundBytes)
        writer.single(
            "slow_disconnects_total", .counter,
            "Connections ended because too much waited for them.", values.slowReaders)
        writer.family(
            "disconnects_total", .counter, "Connections that the server ended, by code.")
        for (count, code) in zip(values.disconnects, labels(MetricValues.disconnectCodes)) {
            writer.sample([("code", code)], count)
        }
        writer.family("errors_total", .counter, "Commands answered with an error, by code.")
        for (count, code) in zip(values.errors, labels(MetricValues.errorCodes)) {
            writer.sample([("code", code)], count)
        }
        let rate = MetricValues.errorCodes.firstIndex(of: 111).map { values.errors[$0] } ?? 0
        writer.single(
            "rate_refusals_total", .counter, "Events refused because of the rate.", rate)
        writer.family("http_responses_total", .counter, "HTTP answers by class of status.")
        for (count, digit) in zip(values.responses, MetricValues.statusClasses) {
            writer.sample([("class", "\(digit)xx")], count)
        }
    }

    private static func write(
        tls values: MetricValues, _ gauges: MetricGauges, to writer: inout PrometheusWriter
    ) {
        writer.single(
            "tls_connections", .gauge, "Open connections under TLS.", gauges.tlsConnections)
        writer.family("tls_handshakes_total", .counter, "TLS handshakes that were completed.")
        for (place, version) in TLSVersion.allCases.enumerated() {
            for (step, resumed) in ["false", "true"].enumerated() {
                writer.sample(
                    [("version", version.rawValue), ("resumed", resumed)],
                    values.tlsHandshakes[2 * place + step])
            }
        }
        writer.family(
            "tls_failures_total", .counter, "TLS connections that ended as they should not.")
        for failure in TLSFailure.allCases {
            writer.sample([("reason", failure.label)], values.tlsFailures[failure.rawValue])
        }
        writer.single(
            "tls_certificate_end_seconds", .gauge,
            "When the TLS certificate ends, in Unix time; 0 without TLS.", gauges.certificateEnd)
        writer.family(
            "unknown_carriers_total", .counter, "Connections whose first bytes were no carrier's.")
        writer.sample([("kind", "tls")], values.misplacedTLS)
        writer.sample([("kind", "other")], values.unknownCarriers)
    }

    private static func write(
        sessions values: MetricValues, _ gauges: MetricGauges, to writer: inout PrometheusWriter
    ) {
        writer.single(
            "sessions_active", .gauge, "Sessions that are in memory.", gauges.activeSessions)
        writer.single("sessions_stored", .gauge, "Sessions that exist.", gauges.storedSessions)
        writer.family("sessions", .gauge, "Sessions by state.")
        writer.sample([("state", "attached")], gauges.sessions.attached)
        writer.sample([("state", "suspended")], gauges.sessions.suspended)
        writer.sample([("state", "closed")], gauges.sessions.closed)
        writer.sample([("state", "quarantined")], gauges.sessions.quarantined)
        writer.family("events_total", .counter, "Events decided by sessions, by type and outcome.")
        for kind in EventKind.allCases {
            for ending in EventReport.Ending.allCases {
                writer.sample(
                    [("type", kind.name), ("outcome", ending.label)],
                    values.events[MetricValues.place(kind, ending)])
            }
        }
        writer.family(
            "tracking_events_total", .counter, "What pages tracked, by the names they gave it.")
        for (name, count) in values.tracking.all { writer.sample([("name", name)], count) }
        writer.single(
            "bridge_unhandled_total", .counter, "Messages of pages that nobody handles.",
            values.unhandledMessages)
        writer.single(
            "publications_total", .counter, "Revisions and signals published by sessions.",
            values.publications)
        writer.single(
            "deliveries_total", .counter, "Publications handed over, one for each subscriber.",
            values.deliveries)
        writer.family("recoveries_total", .counter, "Subscribes that asked for what was missed.")
        writer.sample([("recovered", "true")], values.recovered)
        writer.sample([("recovered", "false")], values.notRecovered)
        writer.histogram(
            "publish_latency_seconds",
            "From an event's arrival at its session until subscribers' queues have it.",
            values.publishLatency)
        writer.histogram(
            "commit_latency_seconds", "From a change's hand-over to the store until it is durable.",
            values.commitLatency)
        writer.single(
            "commit_queue_depth", .gauge, "Changes that are not durable yet.", values.pendingCommits
        )
        writer.single(
            "commit_failures_total", .counter, "Changes that the store could not keep.",
            values.failedCommits)
        writer.family(
            "damaged_sessions_total", .counter, "Sessions whose stored data are damaged.")
        writer.sample([("outcome", "set_aside")], values.sessionsSetAside)
        writer.sample([("outcome", "new_epoch")], values.sessionsRenewed)
    }

    private static func write(store: StoreCondition, to writer: inout PrometheusWriter) {
        writer.single(
            "commit_queue_bytes", .gauge, "About what the changes weigh that are not durable yet.",
            store.queueBytes)
        writer.single(
            "store_free_bytes", .gauge,
            "Free bytes where the data folder is, when they were looked at last.",
            max(0, store.freeBytes ?? 0))
        writer.single(
            "store_full", .gauge, "1 while changes are refused for want of room, else 0.",
            store.isFull ? 1 : 0)
        writer.single(
            "store_stalled", .gauge, "1 while the disk does not answer, else 0.",
            store.stall == nil ? 0 : 1)
    }

    private static func write(
        process gauges: MetricGauges, startedAt: Instant, to writer: inout PrometheusWriter
    ) {
        writer.single(
            "ready", .gauge, "1 when /readyz answers 200, else 0.", gauges.isReady ? 1 : 0)
        writer.single(
            "process_resident_memory_bytes", .gauge, "Memory of the process in RAM.",
            gauges.process.residentBytes)
        writer.single(
            "process_open_fds", .gauge, "Open file descriptors.", gauges.process.openDescriptors)
        writer.single(
            "process_max_fds", .gauge, "File descriptors that may be open.",
            gauges.process.maximumDescriptors)
        writer.family(
            "process_cpu_seconds_total", .counter, "Processor time, user and system together.")
        writer.sample(
            [],
            PrometheusWriter.seconds(nanoseconds: gauges.process.processorNanoseconds))
        writer.family(
            "process_start_time_seconds", .gauge, "When the daemon started, in Unix time.")
        let started = UInt64(clamping: startedAt.milliseconds) &* 1_000_000
        writer.sample([], PrometheusWriter.seconds(nanoseconds: started))
        writer.family("build_info", .gauge, "Always 1; the version is a label.")
        writer.sample([("version", gauges.version)], 1)
    }

    private static func labels(_ codes: [UInt32]) -> [String] {
        codes.map { "\($0)" } + ["other"]
    }
}

extension EventReport.Ending {
    /// The value of the label `outcome`.
    fileprivate var label: String {
        switch self {
        case .accepted: "accepted"
        case .signal: "signal"
        case .unchanged: "unchanged"
        case .duplicate: "duplicate"
        case .forbidden: "rejected_103"
        case .conflict: "rejected_409"
        case .invalid: "rejected_422"
        case .refused: "rejected_other"
        }
    }
}
