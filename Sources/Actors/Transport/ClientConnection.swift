package import Coordinator

/// One client's connection: bytes to the pure machine and back.
///
/// Everything happens on the loop. Each touch of the state is short and ends before anybody else is
/// called, since a session may answer on this very connection in the middle of a read.
package final class ClientConnection: SessionPeer {
    package let number: UInt64

    /// Held as long as the server holds the connection, which ends when it closes.
    let server: Server
    /// The loop's, kept here since each write needs it.
    let turn: TurnWriter
    let state: LoopBound<State>

    struct State {
        let stream: any ByteStream
        /// The peer's address without its port.
        let address: String
        var carrier: Carrier?
        /// The first bytes while they do not decide the carrier.
        var opening: [UInt8] = []
        /// Where HTTP is; nil unless the carrier is HTTP.
        var http: HTTPExchange?
        /// Reads frames; nil unless the carrier is a WebSocket, and while it reads.
        var frames: WebSocketReader?
        var encoding = WireEncoding.line
        var framer: LineFramer
        var client: Client
        var outbound: OutboundQueue
        var phase = Phase.open
        var isDirty = false
        /// Whether reading waits until sessions have answered and the client has read.
        var isPaused = false
        /// Whether that is over and the turn's end is awaited.
        var isResuming = false
        /// What was read and not taken when reading was paused: first what was kept for a move, then of a
        /// WebSocket's message, then of all.
        var heldRest: [Passage.Held] = []
        var messageRest: [UInt8] = []
        var backlog: [UInt8] = []
        /// Whether the client has closed its side.
        var inputEnded = false
        /// What waits until the connection is on the loop of its first session; nil at other times.
        var held: [Passage.Held]?
        /// Whether a session was asked anything.
        var hasAsked = false
        /// Other loops whose sessions were.
        var asked = LoopSet()
        /// Whether it counts among those that are still to leave.
        var isLeaving = false
    }

    enum Phase {
        /// Takes commands; next `finishing`, `lingering` or `closed`.
        case open
        /// Takes no more commands; waits for the answers to earlier ones, then `lingering`.
        case finishing(Farewell)
        /// The last bytes are on their way; what still comes in is read and thrown away, so that
        /// a reset does not overtake them. Then `closed`.
        case lingering(until: Instant)
        case closed
    }

    /// What is said last.
    enum Farewell: Sendable {
        /// Nothing: the client has ended it.
        case none
        /// Why the server ends it.
        case disconnect(Disconnect)
        /// The answer to a close frame, or what was wrong with a frame.
        case close(WebSocketCode?, reason: String)
    }

    /// Milliseconds that a client has for taking the last bytes and closing its side.
    static let lingerMilliseconds: Int64 = 2000

    init(number: UInt64, stream: any ByteStream, client: Client, server: Server) {
        self.number = number
        self.server = server
        turn = server.sessions.turn
        let settings = server.settings
        state = LoopBound(
            State(
                stream: stream, address: stream.peerAddress?.host ?? "",
                framer: LineFramer(maximumBytes: settings.messageBytes), client: client,
                outbound: OutboundQueue(limit: settings.outboundBytes)),
            on: server.loop)
    }

    /// A connection that comes from another loop.
    init(_ passage: Passage, _ stream: any ByteStream, server: Server) {
        number = passage.number
        self.server = server
        turn = server.sessions.turn
        var state = State(
            stream: stream, address: passage.address, framer: passage.framer,
            client: passage.client, outbound: passage.outbound)
        state.carrier = passage.carrier
        state.frames = passage.frames
        state.encoding = passage.encoding
        state.hasAsked = true
        self.state = LoopBound(state, on: server.loop)
    }

    /// How messages are written, which is known before the first one.
    package var encoding: WireEncoding { state.withValue { $0.encoding } }

    /// The peer's address without its port.
    var address: String { state.withValue { $0.address } }

    func start() {
        state.withValue { $0.stream }.startReading { [unowned self] event in
            // The stream is this connection's own. Weak, it would cost each retain of a connection
            // a detour over a side table, and there are some for every delivery.
            switch event {
            case .bytes(let bytes): received(bytes)
            case .end: inputEnded()
            case .failed: close()
            }
        }
    }

    /// What is due by the clock: a ping, or the end of a silent or lingering connection.
    func tick(at now: Instant) {
        let tick = state.withValue { state -> ClientTick? in
            switch state.phase {
            case .open:
                // HTTP has a clock of its own.
                guard state.http == nil else { return nil }
                return state.client.deadline <= now ? state.client.tick(at: now) : ClientTick.none
            case .lingering(let limit) where limit <= now: return .disconnect(.stale)
            case .finishing, .lingering, .closed: return ClientTick.none
            }
        }
        guard let tick else { return tickHTTP(at: now) }
        switch tick {
        case .none: break
        case .ping: send(encoding.ping)
        case .end(let requests): end(requests)
        case .disconnect(let reason):
            if state.withValue({ $0.isOpen }) { disconnect(reason) } else { close() }
        }
    }

    // MARK: Session peer

    package func reply(to command: UInt32, _ body: Reply.Body) {
        // Nobody asks for the end of a subscription by the server.
        guard command > 0 else { return }
        let now = server.loop.turnTime
        let (body, encoding, isPaused) = state.withValue { state in
            let body = state.client.completed(body, of: command, at: now)
            state.client.settle(command: command, body: body)
            return (body, state.isWritable ? state.encoding : nil, state.isPaused)
        }
        server.metrics.answered(body)
        if let encoding { write { encoding.encode(Reply(id: command, body: body), into: &$0) } }
        if isPaused { resumeIfReady() }
        finishIfAnswered()
    }

    package func send(_ bytes: [UInt8]) {
        let queued = state.withValue { state in
            state.isWritable ? queue(in: &state) { $0.append(contentsOf: bytes) } : .more
        }
        sent(queued)
    }

    package func send(_ piece: TurnOutput.Piece, of turn: TurnWriter) {
        let queued = state.withValue { state in
            guard state.isWritable else { return Queued.more }
            switch state.outbound.share(piece.range) {
            case .shared: return state.noteQueued()
            case .needsCopy:
                return turn.withOutput { output in
                    queue(in: &state) { $0.append(contentsOf: output[piece]) }
                }
            case .overflow: return .overflow
            }
        }
        sent(queued)
    }

    package func unsubscribe(from channel: Channel, _ unsubscribe: Unsubscribe) {
        let encoding = state.withValue { state in
            state.client.removed(channel)
            return state.isWritable ? state.encoding : nil
        }
        guard let encoding else { return }
        let push = Push.unsubscribe(channel: channel.description, unsubscribe)
        write { encoding.encode(push, into: &$0) }
    }

    package func disconnect(_ disconnect: Disconnect) {
        if state.withValue({ $0.http != nil }) { return leaveHTTP() }
        guard end(with: .disconnect(disconnect)) else { return }
        server.metrics.disconnected(disconnect)
        finishIfAnswered()
    }

    /// Takes no more commands; false when that was so already.
    func end(with farewell: Farewell) -> Bool {
        state.withValue { state in
            guard state.isOpen else { return false }
            state.client.beginDisconnect()
            state.phase = .finishing(farewell)
            return true
        }
    }
}

extension ClientConnection.State {
    var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Whether bytes may still be queued: not after the last push, not after the close.
    var isWritable: Bool {
        switch phase {
        case .open, .finishing: true
        case .lingering, .closed: false
        }
    }
}

// MARK: - Reading

extension ClientConnection {
    private func received(_ bytes: Span<UInt8>) {
        server.metrics.received(bytes: bytes.count)
        let (isOpen, carrier) = state.withValue { ($0.isOpen, $0.carrier) }
        guard isOpen else { return }
        if let carrier {
            take(bytes, over: carrier)
        } else {
            open(with: bytes)
        }
    }

    /// The first bytes decide what is spoken here (contract: protocol, Carriers).
    private func open(with bytes: Span<UInt8>) {
        let opening = state.withValue { state in
            for index in bytes.indices { state.opening.append(bytes[index]) }
            return state.opening
        }
        let carrier = Carrier.detect(opening.span)
        switch carrier {
        case .needsMore: return
        case .line, .http, .webSocket, .unknown: break
        }
        state.withValue { state in
            state.carrier = carrier
            state.opening = []
        }
        if carrier == .http { beginHTTP() }
        take(opening.span, over: carrier)
    }

    func take(_ bytes: Span<UInt8>, over carrier: Carrier) {
        switch carrier {
        case .line: takeLines(bytes)
        case .http: takeRequests(bytes)
        case .webSocket: takeFrames(bytes)
        case .unknown, .needsMore: refuseCarrier(bytes)
        }
    }

    private func takeLines(_ bytes: Span<UInt8>) {
        // The framer is taken out meanwhile: a line's answer may come back here before it ends.
        var framer = state.withValue { state in
            let framer = state.framer
            state.framer = LineFramer(maximumBytes: 0)
            return framer
        }
        let taken = framer.take(bytes) { line in
            takeLine(line)
            return state.withValue { $0.takesMore }
        }
        let isTooLong = state.withValue { state in
            state.framer = framer
            if let taken { state.keep(bytes.extracting(taken..<bytes.count)) }
            return taken == nil && state.isOpen
        }
        if isTooLong { take(.disconnect(.messageTooLarge)) }
        pauseIfNeeded()
    }

    /// Takes one JSON text.
    func takeLine(_ line: Span<UInt8>) {
        do throws(CommandFault) {
            take(try JSONCodec.decode(line))
        } catch {
            take(error)
        }
    }

    /// Takes a command, whatever it was written in.
    func take(_ command: Command) {
        let now = server.loop.turnTime
        let server = server
        let action = state.withValue { state in
            state.holds(.command(command))
                ? nil : state.client.receive(command, at: now, isRevoked: server.isRevoked)
        }
        if let action { perform(action) }
    }

    /// Takes what is no command.
    func take(_ fault: CommandFault) {
        if case .disconnect(_, let detail) = fault {
            server.log.debug(
                "bad request", ["connection": .integer(number), "detail": .string(detail)])
        }
        let action = state.withValue { state in
            state.holds(.fault(fault)) ? nil : state.client.receive(fault)
        }
        if let action { perform(action) }
    }

    func perform(_ action: ClientAction) {
        switch action {
        case .none: break
        case .reply(let answer): reply(answer)
        case .disconnect(let reason): disconnect(reason)
        case .reject(let fault): reject(fault)
        case .end(let requests, let answer):
            if let answer { reply(answer) }
            end(requests)
        case .call(let request, let creates): ask(request, creates: creates)
        }
    }

    /// Tells sessions that subscriptions of the connection have ended.
    private func end(_ requests: [SessionRequest]) {
        for request in requests { ask(request, creates: false) }
    }

    /// Ends the connection because of its token; why is for the log alone.
    private func reject(_ fault: TokenFault) {
        server.tokenRefused(fault, address: address)
        disconnect(.invalidToken)
    }

    /// Ends the connection when a token that it stands on was taken back; gives whether it did.
    func leave(ifRevoked isRevoked: (TokenClaims) -> Bool) -> Bool {
        let leaves = state.withValue { state in
            state.isOpen && state.client.stands(on: isRevoked)
        }
        if leaves { disconnect(.invalidToken) }
        return leaves
    }

    /// Answers a command that no session was asked about.
    private func reply(_ reply: Reply) {
        server.metrics.answered(reply.body)
        guard let encoding = state.withValue({ $0.isWritable ? $0.encoding : nil }) else { return }
        write { encoding.encode(reply, into: &$0) }
    }

    /// The client will send nothing more; what it is owed is still sent.
    private func inputEnded() {
        if state.withValue({ $0.isOpen && $0.http != nil }) { return endHTTPInput() }
        let isDone = state.withValue { state -> Bool in
            state.inputEnded = true
            switch state.phase {
            case .open:
                state.client.beginDisconnect()
                state.phase = .finishing(.none)
                return false
            case .lingering: return state.outbound.isEmpty
            case .finishing, .closed: return false
            }
        }
        if isDone { close() } else { finishIfAnswered() }
    }
}
