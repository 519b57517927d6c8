/// The machine of one connection: who it is, what it follows, what it may send and how fast.
///
/// It decides about a command without looking at any session; what a session must decide becomes a
/// ``SessionRequest``.
package struct Client: Sendable {
    let settings: ClientSettings
    let connection: UInt64
    let client: String
    private let jitter: Double

    private var state = State.new
    private var refusesConnects = false
    var rate: RateLimit
    /// The subscriptions of the connection, and the answer that each may still wait for.
    var subscriptions: [Channel: Subscription] = [:]

    /// Commands handed to sessions and not answered yet.
    package private(set) var outstanding = 0
    /// When ``tick(at:)`` has something to do.
    package private(set) var deadline: Instant

    private enum State {
        /// Nothing valid yet; next `connected` or `ended`.
        case new
        /// Known by its device id; next `ended`.
        case connected(device: String, awaitingPong: Bool)
        /// Takes no more commands.
        case ended
    }

    struct Subscription: Sendable, Equatable {
        var role: Role
        /// The subscribe command whose answer decides; nil when it is admitted.
        var pending: UInt32?
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
        deadline = now.advanced(bySeconds: settings.connectSeconds)
    }

    /// Whether so many answers are outstanding that nothing more should be read.
    package var isSaturated: Bool { outstanding >= settings.outstanding }

    /// The sessions of all subscriptions, those still pending included.
    package var followedSessions: [SessionID] {
        Array(Set(subscriptions.keys.map(\.session)))
    }

    /// Turns new clients away: the server is about to stop.
    package mutating func refuseConnects() {
        refusesConnects = true
    }

    /// Takes no further command; answers to earlier ones are still counted.
    package mutating func beginDisconnect() {
        state = .ended
    }

    /// Decides about one command.
    package mutating func receive(_ command: Command, at now: Instant) -> ClientAction {
        switch state {
        case .ended: return .none
        case .new:
            guard case .connect(let request) = command.request else {
                return .disconnect(.badRequest)
            }
            return connect(request, id: command.id, at: now)
        case .connected(let device, let awaitingPong):
            switch command.request {
            case .connect: return .disconnect(.badRequest)
            case .pong:
                guard awaitingPong else { return .disconnect(.badRequest) }
                state = .connected(device: device, awaitingPong: false)
                deadline = deadline.advanced(
                    byMilliseconds: settings.pingSeconds * 1000 - settings.pongMilliseconds)
                return .none
            case .send: return .disconnect(.notAvailable)
            default: return answer(command, device: device, at: now)
            }
        }
    }

    private mutating func connect(
        _ request: Command.Connect, id: UInt32, at now: Instant
    ) -> ClientAction {
        guard !refusesConnects else { return .disconnect(.shutdown) }
        let device: String
        do throws(ReplyError) {
            device = try self.device(in: request.data)
        } catch {
            return .reply(Reply(id: id, body: .error(error)))
        }
        state = .connected(device: device, awaitingPong: false)
        let firstPing = Double(settings.pingSeconds * 1000) * (0.5 + jitter / 2)
        deadline =
            settings.pingSeconds > 0
            ? now.advanced(byMilliseconds: Int64(firstPing)) : Instant(milliseconds: .max)
        return .reply(
            Reply(
                id: id,
                body: .connect(
                    Reply.Connect(
                        client: client, version: settings.version,
                        ping: UInt32(settings.pingSeconds)))))
    }

    /// The device's stable id, or the connection's own where it gives none.
    private func device(in data: JSONDocument?) throws(ReplyError) -> String {
        guard let data else { return client }
        guard let object = data.root.object else {
            throw .badRequest("connect.data must be an object, not \(data.root.kindName)")
        }
        guard let value = object["device"], !value.isNull else { return client }
        guard let device = value.string else {
            throw .badRequest("connect.data.device must be a string, not \(value.kindName)")
        }
        guard (1...settings.deviceBytes).contains(device.utf8.count) else {
            throw .badRequest("connect.data.device must have 1–\(settings.deviceBytes) bytes")
        }
        return device
    }

    private mutating func answer(
        _ command: Command, device: String, at now: Instant
    ) -> ClientAction {
        do throws(ReplyError) {
            let target = try route(command, at: now)
            switch target {
            case .now(let body): return .reply(Reply(id: command.id, body: body))
            case .session(let session, let call, let creates):
                outstanding += 1
                let caller = Caller(
                    connection: connection, client: client, device: device,
                    role: role(in: session))
                return .call(
                    SessionRequest(
                        session: session, caller: caller, command: command.id, call: call),
                    creates: creates)
            }
        } catch {
            return .reply(Reply(id: command.id, body: .error(error)))
        }
    }
}

/// What the host does about a command.
package enum ClientAction: Sendable, Equatable {
    /// Nothing.
    case none
    /// Answer at once.
    case reply(Reply)
    /// Answer what is outstanding, then end the connection.
    case disconnect(Disconnect)
    /// Ask a session, which is made for it when it does not exist and `creates` holds.
    case call(SessionRequest, creates: Bool)
}

/// What the host does because time has passed.
package enum ClientTick: Sendable, Equatable {
    /// Nothing.
    case none
    /// Send a ping.
    case ping
    /// End the connection.
    case disconnect(Disconnect)
}

extension Client {
    /// Looks at the clock; to be called when ``deadline`` has come.
    package mutating func tick(at now: Instant) -> ClientTick {
        guard deadline <= now else { return .none }
        switch state {
        case .ended: return .none
        case .new: return .disconnect(.stale)
        case .connected(_, awaitingPong: true): return .disconnect(.noPong)
        case .connected(let device, awaitingPong: false):
            state = .connected(device: device, awaitingPong: true)
            deadline = now.advanced(byMilliseconds: settings.pongMilliseconds)
            return .ping
        }
    }

    /// A session answered one of this connection's commands.
    package mutating func settle(command: UInt32, body: Reply.Body) {
        outstanding = max(0, outstanding - 1)
        for (channel, subscription) in subscriptions where subscription.pending == command {
            if case .error = body {
                subscriptions[channel] = nil
            } else {
                subscriptions[channel]?.pending = nil
            }
        }
    }

    /// The server ended a subscription.
    package mutating func removed(_ channel: Channel) {
        subscriptions[channel] = nil
    }
}
