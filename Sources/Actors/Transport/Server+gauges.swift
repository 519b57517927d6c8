internal import Coordinator

extension Server {
    /// The counters of this server's loop.
    var metrics: Metrics { sessions.metrics }

    /// Gives back this loop's memory of a time when there were many more connections.
    package func shrinkIfSparse() {
        let wereMany = state.withValue { $0.connections.shrinkIfSparse() }
        doors.shrinkIfSparse()
        buffers.withValue { $0.release() }
        sessions.shrinkIfSparse()
        // Each had buffers, and a good deal more under TLS.
        if wereMany { ProcessMemory.giveBack() }
    }

    /// What is so now on this loop; goes over all connections, as every sweep does.
    func gauges() -> MetricGauges {
        var gauges = MetricGauges()
        for connection in state.withValue({ Array($0.connections.values) }) {
            let (carrier, bytes, isTLS) = connection.state.withValue {
                ($0.carrier, $0.outbound.count, $0.stream.isTLS)
            }
            gauges.outboundBytes += bytes
            if isTLS { gauges.tlsConnections += 1 }
            switch carrier {
            case .line: gauges.lineConnections += 1
            case .http: gauges.httpConnections += 1
            case .webSocket: gauges.webSocketConnections += 1
            case .unknown, .needsMore, nil: gauges.undecidedConnections += 1
            }
        }
        gauges.activeSessions = sessions.activeCount
        gauges.storedSessions = sessions.storedCount
        gauges.store = sessions.condition
        (gauges.holdings, gauges.attachedSessions) = sessions.tally
        gauges.certificateEnd = state.withValue { $0.tls?.validUntil.milliseconds ?? 0 } / 1000
        gauges.isReady = health.isReady
        let version = settings.client.version
        gauges.version = String(version.split(separator: " ").last ?? "")
        gauges.process = .now
        return gauges
    }
}
