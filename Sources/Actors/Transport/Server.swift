internal import Coordinator

/// The listening side: accepts connections, keeps their table and ticks them.
package final class Server: Sendable {
    package let loop: any EventLoop
    let sessions: SessionSystem
    let settings: ServerSettings
    let log: Log
    /// Whether the daemon is ready, as its parts report it.
    package let health: Health
    let routes: HTTPRoutes

    let state: LoopBound<State>
    /// Memory for what the connections write; the limit is about what a busy turn needs.
    let buffers: LoopBound<BufferPool>

    struct State {
        var listeners: [UVListener] = []
        /// The TLS side; nil without a listener of its own.
        var tls: TLSEndpoint?
        var connections: [UInt64: ClientConnection] = [:]
        var addresses: [String: Int] = [:]
        var lastNumber: UInt64 = 0
        var sweep: (any LoopTimer)?
        var isDraining = false
        /// Called once when the last connection of a drain is gone.
        var drained: (() -> Void)?
        /// How many of the connections up to a number are still there, while it drains.
        ///
        /// Those were to be told; others that come meanwhile are turned away and would never end.
        var leaving = (count: 0, last: UInt64(0))
        /// Lets one line a second through for each kind of trouble that clients can cause.
        var logGate = LogGate()
        /// Tokens that were taken back.
        var revocations = Revocations()
        /// Timers of clients that are still to be told to leave.
        var departures: [any LoopTimer] = []
    }

    /// Milliseconds between two looks at what is due on the connections.
    ///
    /// One sweep instead of a timer per connection: every deadline here is seconds long.
    static let sweepMilliseconds: Int64 = 250

    package init(
        loop: any EventLoop, sessions: SessionSystem, settings: ServerSettings, log: Log,
        health: Health? = nil, routes: HTTPRoutes = .standard
    ) {
        // The numbers of one server, on the loop that its sessions run on.
        self.loop = loop
        self.sessions = sessions
        self.settings = settings
        self.log = log
        self.health = health ?? Health(on: loop)
        self.routes = routes
        var revocations = Revocations()
        for revocation in sessions.storedRevocations { revocations.add(revocation) }
        state = LoopBound(State(revocations: revocations), on: loop)
        buffers = LoopBound(BufferPool(limit: 8 << 20), on: loop)
    }
}

// MARK: - Connections

extension Server {
    /// Starts to take the connections of a listener on the server's loop, which is the server's
    /// from then on; gives `HOST:PORT` with the port it got.
    ///
    /// With `tls` all of them speak TLS. Caps and drains are about the connections of all listeners.
    ///
    /// - Throws: ``UVError`` when the address is not free.
    package func listen(
        on listener: UVListener, tls: TLSEndpoint? = nil
    ) throws(UVError) -> String {
        if let tls { state.withValue { $0.tls = tls } }
        do throws(UVError) {
            try listener.listen(
                onConnection: { [weak self] stream in
                    guard let self else { return stream.close() }
                    accepted(tls.map { secured(stream, by: $0) } ?? stream)
                },
                onError: { [weak self] error in
                    self?.logSparsely("accept failed", ["error": .string(error.description)])
                })
        } catch {
            listener.close()
            throw error
        }
        state.withValue { $0.listeners.append(listener) }
        if state.withValue({ $0.sweep == nil }) { start() }
        return listener.boundAddress
    }

    /// Begins to look at what is due on the connections.
    package func start() {
        scheduleSweep()
    }

    /// Connections now.
    package var connectionCount: Int { state.withValue { $0.connections.count } }

    /// Serves a client that has just connected.
    package func accepted(_ stream: any ByteStream) {
        let address = stream.peerAddress?.host ?? ""
        let number = state.withValue { state -> UInt64? in
            guard state.connections.count < settings.connections else { return nil }
            let count = state.addresses[address, default: 0]
            if settings.connectionsPerAddress > 0, count >= settings.connectionsPerAddress {
                return nil
            }
            state.addresses[address] = count + 1
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else {
            metrics.connectionRefused()
            logSparsely("connection refused", ["limit": .integer(settings.connections)])
            return refuse(stream)
        }
        metrics.connectionAccepted()
        let client = Client(
            settings: settings.client, connection: number, client: newClientID(),
            at: loop.turnTime, jitter: sessions.random { Double.random(in: 0..<1, using: &$0) })
        let connection = ClientConnection(
            number: number, stream: stream, client: client, server: self)
        state.withValue { $0.connections[number] = connection }
        sessions.register(connection)
        connection.start()
        if isDraining { connection.refuseConnect() }
    }

    /// Says why before it closes; a client that is not there to read it has lost nothing.
    private func refuse(_ stream: any ByteStream) {
        var line: [UInt8] = []
        JSONCodec.encode(
            ReplyError.limitExceeded("limits.connections or limits.connectionsPerAddress"),
            into: &line)
        _ = try? stream.tryWrite(line.span)
        stream.close(nil)
    }

    /// A connection is gone: its place is free at once, and its sessions are told.
    func connectionClosed(_ connection: ClientConnection, following sessions: [SessionID]) {
        let drained = state.withValue { state -> (() -> Void)? in
            state.connections[connection.number] = nil
            let address = connection.address
            if let count = state.addresses[address] {
                state.addresses[address] = count > 1 ? count - 1 : nil
            }
            if connection.number <= state.leaving.last { state.leaving.count -= 1 }
            return state.leaving.count == 0 ? state.drained.take() : nil
        }
        // Later in this turn: a connection may overflow in the middle of what a session says, and
        // the session must not be entered again before it has said all.
        let number = connection.number
        loop.execute { [system = self.sessions] in
            system.connectionLost(number, following: sessions)
        }
        drained?()
    }

    func slowReaderDropped(_ connection: ClientConnection) {
        metrics.disconnected(.slow)
        logSparsely("slow reader dropped", ["connection": .integer(connection.number)])
    }

    /// Trouble that a client can cause as often as it likes.
    func logSparsely(_ message: String, _ fields: Log.Fields) {
        state.withValue { state in
            log.gated(by: &state.logGate, .warning, message, fields)
        }
    }

    /// An id in the shape that SDKs know: 32 hexadecimal digits in five groups.
    private func newClientID() -> String {
        let numbers = sessions.random { [$0.next(), $0.next()] as [UInt64] }
        let digits = numbers.map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        var groups: [Substring] = []
        var rest = Substring(digits)
        for size in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return groups.joined(separator: "-")
    }
}

// MARK: - Time

extension Server {
    private func scheduleSweep() {
        let sweep = loop.schedule(afterMilliseconds: Self.sweepMilliseconds) { [weak self] in
            self?.sweep()
        }
        state.withValue { $0.sweep = sweep }
    }

    private func sweep() {
        let now = loop.turnTime
        let connections = state.withValue { Array($0.connections.values) }
        for connection in connections { connection.tick(at: now) }
        scheduleSweep()
    }
}

// MARK: - Draining

extension Server {
    /// Whether new clients are turned away.
    package var isDraining: Bool { state.withValue { $0.isDraining } }

    /// Tells every client to come back later, spread over `drainSeconds`, then calls `completion`.
    ///
    /// The listener stays, so that a client that connects meanwhile is told the same
    /// (contract: protocol, HTTP and Command line).
    package func drain(_ completion: @escaping () -> Void) {
        health.report(.draining, "the daemon is shutting down")
        let connections = state.withValue { state -> [ClientConnection] in
            state.isDraining = true
            state.drained = completion
            state.leaving = (state.connections.count, state.lastNumber)
            return Array(state.connections.values)
        }
        for connection in connections { connection.refuseConnect() }
        let span = settings.drainSeconds * 1000
        for (index, connection) in connections.enumerated() {
            let delay = span * Int64(index) / Int64(connections.count)
            leave(connection, afterMilliseconds: delay)
        }
        if connections.isEmpty { state.withValue { $0.drained.take() }?() }
    }

    private func leave(_ connection: ClientConnection, afterMilliseconds delay: Int64) {
        guard delay > 0 else { return connection.disconnect(.shutdown) }
        let timer = loop.schedule(afterMilliseconds: delay) { [weak connection] in
            connection?.disconnect(.shutdown)
        }
        state.withValue { $0.departures.append(timer) }
    }

    /// Closes the listener and every connection at once.
    package func close() {
        let (listeners, connections) = state.withValue {
            state -> ([UVListener], [ClientConnection]) in
            state.sweep?.cancel()
            state.departures.removeAll()
            defer { state.listeners = [] }
            return (state.listeners, Array(state.connections.values))
        }
        for listener in listeners { listener.close() }
        for connection in connections { connection.close() }
    }
}
