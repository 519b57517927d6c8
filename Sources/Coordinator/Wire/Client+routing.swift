extension Client {
    /// Where a command is answered.
    enum Target {
        case now(Reply.Body)
        case session(SessionID, SessionCall, creates: Bool)
    }

    /// Bytes of a channel name (protocol facts: Centrifugal, subscribe).
    private static let channelBytes = 255

    mutating func route(_ command: Command, at now: Instant) throws(ReplyError) -> Target {
        switch command.request {
        case .connect, .pong, .send:
            preconditionFailure("decided by the connection's state")
        case .subscribe(let request): return try subscribe(request, id: command.id)
        case .unsubscribe(let name):
            let channel = try channel(name, "unsubscribe")
            guard subscriptions.removeValue(forKey: channel) != nil else {
                return .now(.unsubscribe)
            }
            return .session(channel.session, .unsubscribe(channel), creates: false)
        case .publish(let name, let data):
            guard case .session(let session) = try channel(name, "publish") else {
                throw .permissionDenied("only the session publishes on a stage channel")
            }
            try takeRate(at: now)
            let application = SessionCall.Application(event: data, isPublish: true)
            return .session(session, .apply(application), creates: false)
        case .presence(let name):
            let channel = try channel(name, "presence")
            return .session(channel.session, .presence(channel), creates: false)
        case .presenceStats(let name):
            let channel = try channel(name, "presence_stats")
            return .session(channel.session, .presenceStats(channel), creates: false)
        case .history(let request):
            guard case .session(let session) = try channel(request.channel, "history") else {
                throw .notAvailable("a stage channel has no history")
            }
            return .session(session, .history(request), creates: false)
        case .rpc(let method, let data): return try rpc(method, data, at: now)
        case .refresh, .subRefresh: throw .notAvailable("this server uses no tokens")
        case .ping: throw .notAvailable("a client does not ping")
        }
    }

    private mutating func subscribe(
        _ request: Command.Subscribe, id: UInt32
    ) throws(ReplyError) -> Target {
        let channel = try channel(request.channel, "subscribe")
        guard request.type == 0 else {
            throw .notAvailable("subscribe.type \(request.type): only streams (0) are served")
        }
        guard !request.hasTagsFilter else {
            throw .badRequest("subscribe.tf: publications have no tags to filter by")
        }
        guard subscriptions[channel] == nil else {
            throw .alreadySubscribed(request.channel)
        }
        guard subscriptions.count < settings.subscriptions else {
            throw .limitExceeded("limits.subscriptions is \(settings.subscriptions)")
        }
        let data = try object(request.data, "subscribe.data")
        switch channel {
        case .session(let session):
            let role = try subscriberRole(data?["role"])
            subscriptions[channel] = Subscription(role: role, pending: id)
            let wishes = SessionCall.Subscription(
                role: role, recover: request.recover, joinLeave: request.joinLeave,
                refusesUnrecovered: request.refusesUnrecovered)
            return .session(session, .subscribe(wishes), creates: settings.createsSessions)
        case .stage(let session):
            var facts: JSONDocument?
            if let value = data?["facts"], !value.isNull {
                guard value.object != nil else {
                    throw .badRequest(
                        "subscribe.data.facts must be an object, not \(value.kindName)")
                }
                facts = request.data?.subdocument("facts")
            }
            subscriptions[channel] = Subscription(role: .player, pending: id)
            return .session(session, .attachStage(facts: facts), creates: false)
        }
    }

    private func subscriberRole(_ value: JSON?) throws(ReplyError) -> Role {
        guard let value, !value.isNull else { return .mirror }
        switch value.string {
        case "mirror": return .mirror
        case "observer": return .observer
        default: throw .badRequest("subscribe.data.role must be mirror or observer")
        }
    }

    /// As subscribed, else mirror; who holds the stage is known to the session alone.
    func role(in session: SessionID) -> Role {
        subscriptions[.session(session)]?.role ?? .mirror
    }

    func channel(_ name: String, _ request: String) throws(ReplyError) -> Channel {
        guard name.utf8.count <= Self.channelBytes, let channel = Channel(name) else {
            throw .badRequest(
                "\(request).channel must be session: or stage: and an id of "
                    + "1–\(SessionID.maximumBytes) characters A–Z a–z 0–9 . _ ~ -")
        }
        return channel
    }

    func object(_ document: JSONDocument?, _ path: String) throws(ReplyError) -> JSONObject? {
        guard let document, !document.root.isNull else { return nil }
        guard let object = document.root.object else {
            throw .badRequest("\(path) must be an object, not \(document.root.kindName)")
        }
        return object
    }

    mutating func takeRate(at now: Instant) throws(ReplyError) {
        guard rate.take(at: now) else {
            throw .tooManyRequests("limits.eventsPerSecond is \(settings.eventsPerSecond)")
        }
    }
}
