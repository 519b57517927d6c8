internal import Coordinator
internal import TLS

/// The listening side of one loop: takes connections, keeps their table and ticks them.
package final class Server: Sendable {
    package let loop: any EventLoop
    let sessions: SessionSystem
    let settings: ServerSettings
    let log: Log
    /// Whether the daemon is ready, as its parts report it.
    package let health: Health
    let routes: HTTPRoutes
    /// What is counted for all loops together.
    let doors: Doors
    /// The way to the other loops; nil when there are none.
    let post: Post?

    let state: LoopBound<State>
    /// Memory for what the connections write; the limit is about what a busy turn needs.
    let buffers: LoopBound<BufferPool>

    struct State {
        var listeners: [UVListener] = []
        /// The TLS side; nil without a listener of its own.
        var tls: TLSEndpoint?
        let buffers = TLSBuffers()
        var connections: [UInt64: ClientConnection] = [:]
        /// The loop that got the newest connection.
        var dealt = Post.first
        var sweep: (any LoopTimer)?
        /// Whether the clients that were there are told to leave.
        var isDraining = false
        /// Whether all connections were closed, for good.
        var isClosed = false
        /// Tokens that were taken back.
        var revocations = Revocations()
        /// Those that were since the start, the newest ones, in the order that all loops have.
        var news = RevocationNews()
        /// Timers of clients that are still to be told to leave.
        var departures: [any LoopTimer] = []
    }

    /// Milliseconds between two looks at what is due on the connections.
    ///
    /// One sweep instead of a timer per connection: every deadline here is seconds long.
    static let sweepMilliseconds: Int64 = 250

    package init(
        loop: any EventLoop, sessions: SessionSystem, settings: ServerSettings, log: Log,
        health: Health = Health(), routes: HTTPRoutes = .standard, doors: Doors = Doors(),
        post: Post? = nil
    ) {
        self.loop = loop
        self.sessions = sessions
        self.settings = settings
        self.log = log
        self.health = health
        self.routes = routes
        self.doors = doors
        self.post = post
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
    /// The loops get them in turn.
    ///
    /// - Throws: ``UVError`` when the address is not free.
    package func listen(
        on listener: UVListener, tls: TLSEndpoint? = nil
    ) throws(UVError) -> String {
        if let tls { state.withValue { $0.tls = tls } }
        do throws(UVError) {
            try listener.listen(
                onAccepted: post == nil ? nil : { [weak self] in self?.deal($0, tls) },
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

    /// Connections of all loops now.
    package var connectionCount: Int { doors.count }

    /// Connections of this loop now.
    var ownConnections: Int { state.withValue { $0.connections.count } }

    /// Serves a client that has just connected.
    package func accepted(_ stream: any ByteStream) {
        let address = stream.peerAddress?.host ?? ""
        guard let number = doors.admit(from: address, settings) else {
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
        enter(connection)
        connection.start()
        if isDraining { connection.refuseConnect() }
        if state.withValue({ $0.isClosed }) { connection.close() }
    }

    /// Makes a connection one of this loop's.
    func enter(_ connection: ClientConnection) {
        state.withValue { $0.connections[connection.number] = connection }
        sessions.register(connection)
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
        state.withValue { $0.connections[connection.number] = nil }
        let (address, isLeaving, asked) = connection.state.withValue {
            ($0.address, $0.isLeaving, $0.asked)
        }
        // Later in this turn: a connection may overflow in the middle of what a session says, and
        // the session must not be entered again before it has said all.
        let number = connection.number
        loop.execute { [self] in
            tellLost(number, following: sessions, asked: asked)
        }
        doors.closed(from: address, wasLeaving: isLeaving)
    }

    func slowReaderDropped(_ connection: ClientConnection) {
        metrics.disconnected(.slow)
        logSparsely("slow reader dropped", ["connection": .integer(connection.number)])
    }

    /// Trouble that a client can cause as often as it likes.
    func logSparsely(_ message: String, _ fields: Log.Fields) {
        doors.logSparsely(log, message, fields)
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
    package var isDraining: Bool { doors.isDraining }

    /// Tells every client of all loops to come back later, spread over `drainSeconds`, then calls
    /// `completion`.
    ///
    /// The listener stays, so that a client that connects meanwhile is told the same
    /// (contract: protocol, HTTP and Command line).
    package func drain(_ completion: @escaping () -> Void) {
        health.report(.draining, "the daemon is shutting down")
        let done = LoopBound(completion, on: loop)
        doors.drain(loops: post?.count ?? 1) { [loop] in
            if loop.isCurrent { done.value() } else { loop.execute { done.value() } }
        }
        guard let post else { return tellToLeave() }
        for place in 0..<post.count { post.send(to: place) { $0.server.tellToLeave() } }
    }

    /// Tells this loop's clients; those that come later are turned away and would never end.
    private func tellToLeave() {
        let connections = state.withValue { state -> [ClientConnection] in
            state.isDraining = true
            return Array(state.connections.values)
        }
        for connection in connections {
            connection.state.withValue { $0.isLeaving = true }
            connection.refuseConnect()
        }
        doors.leave(connections.count)
        let span = settings.drainSeconds * 1000
        for (index, connection) in connections.enumerated() {
            let delay = span * Int64(index) / Int64(connections.count)
            leave(connection, afterMilliseconds: delay)
        }
    }

    private func leave(_ connection: ClientConnection, afterMilliseconds delay: Int64) {
        guard delay > 0 else { return connection.disconnect(.shutdown) }
        let timer = loop.schedule(afterMilliseconds: delay) { [weak connection] in
            connection?.disconnect(.shutdown)
        }
        state.withValue { $0.departures.append(timer) }
    }

    /// Closes this loop's listeners and connections at once, for good.
    package func close() {
        let (listeners, connections) = state.withValue {
            state -> ([UVListener], [ClientConnection]) in
            state.isClosed = true
            state.sweep?.cancel()
            state.departures.removeAll()
            defer { state.listeners = [] }
            return (state.listeners, Array(state.connections.values))
        }
        for listener in listeners { listener.close() }
        for connection in connections { connection.close() }
    }
}
