/// The numbers of one client's machine (contract: protocol, configuration).
package struct ClientSettings: Sendable {
    /// Events a second that a connection may send on average; twice as many at once.
    package var eventsPerSecond: Int
    /// Subscriptions of one connection.
    package var subscriptions: Int
    /// Seconds until `connect` must have come.
    package var connectSeconds: Int64
    /// Seconds between server pings; 0 for none.
    package var pingSeconds: Int64
    /// Milliseconds that an answer to a ping may take.
    package var pongMilliseconds: Int64
    /// Commands that may wait for a session's answer; reading pauses beyond.
    package var outstanding: Int
    /// Who may do what.
    package var access: Access
    /// Bytes of a device id.
    package var textBytes: Int
    /// The server's name and version in the answer to `connect`.
    package var version: String

    /// The contract's defaults, or other numbers.
    package init(
        eventsPerSecond: Int = 200, subscriptions: Int = 128, connectSeconds: Int64 = 10,
        pingSeconds: Int64 = 25, pongMilliseconds: Int64 = 10_000, outstanding: Int = 1024,
        access: Access = .open(createsSessions: true), textBytes: Int = 256,
        version: String = "coordd"
    ) {
        self.eventsPerSecond = eventsPerSecond
        self.subscriptions = subscriptions
        self.connectSeconds = connectSeconds
        self.pingSeconds = pingSeconds
        self.pongMilliseconds = pongMilliseconds
        self.outstanding = outstanding
        self.access = access
        self.textBytes = textBytes
        self.version = version
    }
}
