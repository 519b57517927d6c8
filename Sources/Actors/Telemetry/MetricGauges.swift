/// What is not counted but looked up when somebody asks for the metrics.
struct MetricGauges: Sendable, Equatable {
    /// Connections whose first bytes have not decided the carrier.
    var undecidedConnections = 0
    /// Connections that speak the line protocol.
    var lineConnections = 0
    /// Connections that speak HTTP.
    var httpConnections = 0
    /// Connections that are WebSockets.
    var webSocketConnections = 0
    /// Connections under TLS, whatever they speak.
    var tlsConnections = 0
    /// When the TLS certificate ends, in Unix seconds; 0 without TLS.
    var certificateEnd: Int64 = 0
    /// Bytes that wait for all readers together.
    var outboundBytes = 0
    /// Sessions with an actor.
    var activeSessions = 0
    /// Sessions that exist.
    var storedSessions = 0
    /// What the store says of itself.
    var store = StoreCondition()
    /// What the store holds.
    var holdings = StoreHoldings()
    /// Sessions with clients.
    var attachedSessions = 0
    /// Whether the daemon is ready.
    var isReady = true
    /// The daemon's version.
    var version = ""
    /// What the operating system says.
    var process = ProcessUsage()

    /// Sessions by what is so of them.
    var sessions: SessionCounts { SessionCounts(holdings, attached: attachedSessions) }
}
