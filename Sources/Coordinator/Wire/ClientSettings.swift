/// The numbers of one client's machine (contract: protocol, configuration).
package struct ClientSettings: Sendable, Equatable {
    /// Events a second that a connection may send on average; twice as many at once.
    package var eventsPerSecond = 200
    /// Subscriptions of one connection.
    package var subscriptions = 128
    /// Seconds until `connect` must have come.
    package var connectSeconds: Int64 = 10
    /// Seconds between server pings; 0 for none.
    package var pingSeconds: Int64 = 25
    /// Milliseconds that an answer to a ping may take.
    package var pongMilliseconds: Int64 = 10_000
    /// Commands that may wait for a session's answer; reading pauses beyond.
    package var outstanding = 1024
    /// Whether subscribing makes a session that does not exist.
    package var createsSessions = true
    /// Bytes of a device id.
    package var deviceBytes = 256
    /// The server's name and version in the answer to `connect`.
    package var version = "coordd"

    /// The contract's defaults.
    package init() {}
}
