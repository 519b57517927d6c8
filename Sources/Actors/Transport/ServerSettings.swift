package import Coordinator

/// The numbers of the listening side.
package struct ServerSettings: Sendable {
    /// Bytes of one line; more ends the connection.
    package var messageBytes: Int
    /// Bytes that may wait for a reader; more ends the connection.
    package var outboundBytes: Int
    /// Connections at a time; one more is closed as soon as it is accepted.
    package var connections: Int
    /// Connections of one address at a time; 0 for no cap.
    package var connectionsPerAddress: Int
    /// Seconds over which the clients are told to leave when the daemon drains.
    package var drainSeconds: Int64
    /// Which web pages may open a WebSocket.
    package var origins: OriginRule
    /// The key of the HTTP API; nil when there is none.
    package var apiKey: APIKey?
    /// Whether other machines can reach a listener.
    package var isExposed = false
    /// Whether WebSockets get back what they send; for the tests of the carrier alone.
    package var echoes = false
    /// How much of an HTTP request is read.
    package var http: HTTPLimits
    /// Users and tokens whose tokens are taken back, at most.
    package var revocations: Int
    /// The numbers of each connection's machine.
    package var client: ClientSettings

    /// The contract's defaults.
    package init() {
        messageBytes = 65_536
        outboundBytes = 1_048_576
        connections = 50_000
        connectionsPerAddress = 0
        drainSeconds = 10
        origins = OriginRule(allowed: [])
        http = HTTPLimits()
        revocations = 100_000
        client = ClientSettings()
    }

    /// Whether clients need tokens.
    package var requiresTokens: Bool { client.access.requiresTokens }

    /// Who may ask for what over HTTP.
    var access: HTTPAccess {
        HTTPAccess(
            apiKey: apiKey, requiresTokens: requiresTokens, isExposed: isExposed, origins: origins)
    }
}
