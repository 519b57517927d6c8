/// The machine of one connection: who it is, what it follows, what it may send and how fast.
///
/// It decides about a command without looking at any session; what a session must decide becomes a
/// ``SessionRequest``.
package struct Client: Sendable {
    let settings: ClientSettings
    let connection: UInt64
    let client: String
    let jitter: Double

    var phase = Phase.new
    /// What the connection's token says; nil without tokens, and before `connect`.
    var bearer: Shared<TokenClaims>?
    private var refusesConnects = false
    var rate: RateLimit
    /// The subscriptions of the connection, and the answer that each may still wait for.
    var subscriptions: [Channel: Subscription] = [:]
    /// The ids of the commands that wait for their session's answer, each as often as it was used:
    /// few at a time.
    private var unanswered: [UInt32] = []

    /// Commands handed to sessions and not answered yet.
    package var outstanding: Int { unanswered.count }
    /// When a ping, its answer or the connect is due.
    var due: Instant
    /// When a token is over, the time for a new one included; at times too early.
    var expiry = Instant.never

    /// When ``tick(at:)`` has something to do.
    package var deadline: Instant { min(due, expiry) }

    enum Phase {
        /// Nothing valid yet; next `connected`, `refused` or `ended`.
        case new
        /// The connect was answered with an error; next `ended`.
        case refused
        /// Known by its device id, the next ping due at an instant; next `pinged` or `ended`.
        case connected(device: String)
        /// Owes a pong, the next ping due at `nextPing`; next `connected` or `ended`.
        case pinged(device: String, nextPing: Instant)
        /// Takes no more commands.
        case ended
    }

    struct Subscription: Sendable, Equatable {
        var role: Role
        /// The subscribe command whose answer decides; nil when it is admitted.
        var pending: UInt32?
        /// The subscription token's claims; nil when there is none.
        var token: Shared<TokenClaims>?
    }

    /// A connection that was accepted at `now`.
    ///
    /// `connection` is unique while the daemon runs, `client` is its public id, and `jitter`, at
    /// least 0 and below 1, spreads the first pings of many connections.
    package init(
        settings: ClientSettings, connection: UInt64, client: String, at now: Instant,
        jitter: Double
    ) {
        self.settings = settings
        self.connection = connection
        self.client = client
        self.jitter = jitter
        rate = RateLimit(perSecond: settings.eventsPerSecond, at: now)
        due = now.advanced(bySeconds: settings.connectSeconds)
    }

    /// Whether so many answers are outstanding that nothing more should be read.
    package var isSaturated: Bool { outstanding >= settings.outstanding }

    /// The sessions of all subscriptions, those still pending included, each once and in order.
    package var followedSessions: [SessionID] {
        Set(subscriptions.keys.map(\.session)).sorted { $0.description < $1.description }
    }

    /// Turns new clients away: the server is about to stop.
    package mutating func refuseConnects() {
        refusesConnects = true
    }

    /// Counts the time for `connect` from `now`: only now the client can send commands.
    package mutating func begin(at now: Instant) {
        guard case .new = phase else { return }
        due = now.advanced(bySeconds: settings.connectSeconds)
    }

    /// Takes no further command; answers to earlier ones are still counted.
    package mutating func beginDisconnect() {
        phase = .ended
        due = .never
        expiry = .never
    }

    /// Decides about one command; `isRevoked` tells whether a genuine token was taken back.
    package mutating func receive(
        _ command: Command, at now: Instant, isRevoked: RevocationCheck = { _ in false }
    ) -> ClientAction {
        switch phase {
        case .ended: return .none
        case .refused: return .disconnect(.badRequest)
        case .new:
            guard case .connect(let request) = command.request else {
                return .disconnect(.badRequest)
            }
            return connect(request, id: command.id, at: now, isRevoked)
        case .connected(let device), .pinged(let device, _):
            switch command.request {
            case .connect: return .disconnect(.badRequest)
            case .pong: return pong()
            case .send: return .disconnect(.notAvailable)
            case .subscribe, .unsubscribe, .publish, .presence, .presenceStats, .history, .rpc,
                .refresh, .subRefresh, .ping:
                return answer(command, device: device, at: now, isRevoked)
            }
        }
    }

    /// Decides about a line that is no command; before `connect` it is the connection's last try.
    package mutating func receive(_ fault: CommandFault) -> ClientAction {
        switch (phase, fault) {
        case (.ended, _): return .none
        case (.refused, _): return .disconnect(.badRequest)
        case (_, .disconnect(let disconnect, detail: _)): return .disconnect(disconnect)
        case (.new, .reply(let id, let error)):
            phase = .refused
            return .reply(Reply(id: id, body: .error(error)))
        case (.connected, .reply(let id, let error)), (.pinged, .reply(let id, let error)):
            return .reply(Reply(id: id, body: .error(error)))
        }
    }

    private mutating func connect(
        _ request: Command.Connect, id: UInt32, at now: Instant, _ isRevoked: RevocationCheck
    ) -> ClientAction {
        guard !refusesConnects else { return .disconnect(.shutdown) }
        var claims: TokenClaims?
        if case .tokens(let verifier) = settings.access {
            guard let token = request.token, !token.isEmpty else {
                return refuse(id, .unauthorized("connect.token is missing"))
            }
            switch Self.judge(token, verifier, at: now, isRevoked) {
            case .fault(.expired): return refuse(id, .tokenExpired)
            case .fault(let fault): return .reject(fault)
            case .claims(let found):
                guard found.channel == nil else { return .reject(.mismatch("channel")) }
                claims = found
            }
        }
        let device: String
        do throws(ReplyError) {
            device = try self.device(of: claims, request.data)
        } catch {
            return refuse(id, error)
        }
        bearer = claims.map(Shared.init)
        phase = .connected(device: device)
        due = firstPing(after: now)
        noteExpiry()
        let result = Reply.Connect(
            client: client, version: settings.version,
            ping: UInt32(clamping: settings.pingSeconds), ttl: Self.ttl(of: claims, at: now))
        return .reply(Reply(id: id, body: .connect(result)))
    }

    /// Answers a connect with an error, after which there is no other one.
    private mutating func refuse(_ id: UInt32, _ error: ReplyError) -> ClientAction {
        phase = .refused
        return .reply(Reply(id: id, body: .error(error)))
    }

    /// The device's id as the client gives it; nil where it gives none.
    func givenDevice(in data: JSONDocument?) throws(ReplyError) -> String? {
        // The application's data may be any JSON; only a member `device` is ours to check.
        guard let value = data?["device"], !value.isNull else { return nil }
        guard let device = value.string else {
            throw .badRequest("connect.data.device must be a string, not \(value.kindName)")
        }
        guard (1...settings.textBytes).contains(device.utf8.count) else {
            throw .badRequest("connect.data.device must have 1–\(settings.textBytes) bytes")
        }
        return device
    }

    private mutating func answer(
        _ command: Command, device: String, at now: Instant, _ isRevoked: RevocationCheck
    ) -> ClientAction {
        do throws(ReplyError) {
            switch try route(command, at: now, isRevoked) {
            case .now(let body): return .reply(Reply(id: command.id, body: body))
            case .reject(let fault): return .reject(fault)
            case .disconnect(let disconnect): return .disconnect(disconnect)
            case .ended(let channels, let reason, let body):
                return .end(
                    end(channels, because: reason), body.map { Reply(id: command.id, body: $0) })
            case .session(let session, let call, let creates):
                unanswered.append(command.id)
                let caller = caller(in: session, as: device)
                // Only now, for the caller still acts in the role that it gives up.
                if case .unsubscribe(let channel, _) = call { subscriptions[channel] = nil }
                return .call(
                    SessionRequest(
                        session: session, caller: caller, command: command.id, call: call),
                    creates: creates)
            }
        } catch {
            return .reply(Reply(id: command.id, body: .error(error)))
        }
    }

    /// The device's stable id; nil before `connect` and after the end.
    var device: String? {
        switch phase {
        case .connected(let device), .pinged(let device, _): device
        case .new, .refused, .ended: nil
        }
    }

    func caller(in session: SessionID) -> Caller? {
        device.map { caller(in: session, as: $0) }
    }

    private func caller(in session: SessionID, as device: String) -> Caller {
        Caller(
            connection: connection, client: client, user: user, device: device,
            role: role(in: session), mayPlace: permission(in: session)?.mayPlace ?? false,
            info: bearer?.value.info)
    }

    /// Whether an earlier command of this id still waits for its session.
    func isUnanswered(_ id: UInt32) -> Bool { unanswered.contains(id) }

    /// A session answered one of this connection's commands.
    package mutating func settle(command: UInt32, body: Reply.Body) {
        guard let place = unanswered.firstIndex(of: command) else { return }
        unanswered.swapAt(place, unanswered.count - 1)
        unanswered.removeLast()
        let isRefused: Bool
        switch body {
        case .error: isRefused = true
        case .subscribe: isRefused = false
        // No other answer decides about a subscription.
        case .connect, .unsubscribe, .publish, .presence, .presenceStats, .history, .rpc, .refresh,
            .subRefresh:
            return
        }
        for (channel, subscription) in subscriptions where subscription.pending == command {
            if isRefused {
                subscriptions[channel] = nil
            } else {
                subscriptions[channel]?.pending = nil
            }
        }
    }
}
