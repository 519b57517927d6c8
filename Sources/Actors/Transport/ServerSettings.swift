package import Coordinator

/// The numbers of the listening side.
package struct ServerSettings: Sendable {
    /// Bytes of one line; more ends the connection.
    package var messageBytes: Int
    /// Bytes that may wait for a reader; more ends the connection.
    package var outboundBytes: Int
    /// Connections at a time; more are closed with 3504.
    package var connections: Int
    /// Connections of one address at a time; 0 for no cap.
    package var connectionsPerAddress: Int
    /// Seconds over which the clients are told to leave when the daemon drains.
    package var drainSeconds: Int64
    /// Sent in the answer to `connect`.
    package var version: String
    /// The numbers of each connection's machine.
    package var client: ClientSettings
}
