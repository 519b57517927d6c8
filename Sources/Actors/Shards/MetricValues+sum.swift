extension MetricValues {
    /// Adds what another loop has counted.
    mutating func add(_ other: MetricValues) {
        accepted &+= other.accepted
        refusedConnections &+= other.refusedConnections
        bytesIn &+= other.bytesIn
        bytesOut &+= other.bytesOut
        events.add(other.events)
        tracking.add(other.tracking)
        unhandledMessages &+= other.unhandledMessages
        publications &+= other.publications
        deliveries &+= other.deliveries
        errors.add(other.errors)
        disconnects.add(other.disconnects)
        slowReaders &+= other.slowReaders
        recovered &+= other.recovered
        notRecovered &+= other.notRecovered
        publishLatency.add(other.publishLatency)
        commitLatency.add(other.commitLatency)
        pendingCommits += other.pendingCommits
        failedCommits &+= other.failedCommits
        sessionsSetAside &+= other.sessionsSetAside
        sessionsRenewed &+= other.sessionsRenewed
        tlsHandshakes.add(other.tlsHandshakes)
        tlsFailures.add(other.tlsFailures)
        misplacedTLS &+= other.misplacedTLS
        unknownCarriers &+= other.unknownCarriers
        responses.add(other.responses)
    }
}

extension MetricGauges {
    /// Adds what is so on another loop; the store, the process and the like are the first one's.
    mutating func add(_ other: MetricGauges) {
        undecidedConnections += other.undecidedConnections
        lineConnections += other.lineConnections
        httpConnections += other.httpConnections
        webSocketConnections += other.webSocketConnections
        tlsConnections += other.tlsConnections
        outboundBytes += other.outboundBytes
        activeSessions += other.activeSessions
        attachedSessions += other.attachedSessions
    }
}

extension [UInt64] {
    /// Adds numbers place by place.
    mutating func add(_ other: [UInt64]) {
        for place in indices { self[place] &+= other[place] }
    }
}
