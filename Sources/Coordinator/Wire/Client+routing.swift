extension Client {
    /// Where a command is answered.
    enum Target {
        case now(Reply.Body)
        case session(SessionID, SessionCall, creates: Bool)
        /// Subscriptions have ended; answered with the body, if there is one.
        case ended([Channel], because: Unsubscribe, Reply.Body?)
        case disconnect(Disconnect)
        case reject(TokenFault)
    }

    /// Bytes of a channel name (protocol facts: Centrifugal, subscribe).
    private static let channelBytes = 255

    mutating func route(
        _ command: Command, at now: Instant, _ isRevoked: RevocationCheck
    ) throws(ReplyError) -> Target {
        try checkID(of: command)
        try requireLiveToken(for: command.request, at: now)
        switch command.request {
        case .connect, .pong, .send:
            preconditionFailure("decided by the connection's state")
        case .subscribe(let request):
            return try subscribe(request, id: command.id, at: now, isRevoked)
        case .unsubscribe(let name):
            let channel = try channel(name, "unsubscribe")
            guard subscriptions[channel] != nil else {
                return .now(.unsubscribe)
            }
            return .session(channel.session, .unsubscribe(channel), creates: false)
        case .publish(let name, let data):
            guard case .session(let session) = try channel(name, "publish") else {
                throw .permissionDenied("only the session publishes on a stage channel")
            }
            try requirePermission(in: session)
            try takeRate(at: now)
            let application = SessionCall.Application(event: data, isPublish: true)
            return .session(session, .apply(application), creates: false)
        case .presence(let name):
            let channel = try channel(name, "presence")
            try requirePermission(in: channel.session)
            return .session(channel.session, .presence(channel), creates: false)
        case .presenceStats(let name):
            let channel = try channel(name, "presence_stats")
            try requirePermission(in: channel.session)
            return .session(channel.session, .presenceStats(channel), creates: false)
        case .history(let request):
            guard case .session(let session) = try channel(request.channel, "history") else {
                throw .notAvailable("a stage channel has no history")
            }
            guard !request.reverse || request.since?.offset != 0 else {
                throw .badRequest("history.since.offset must not be 0 in reverse")
            }
            try requirePermission(in: session)
            return .session(session, .history(request), creates: false)
        case .rpc(let method, let data): return try rpc(method, data, at: now)
        case .refresh(let token): return try refresh(token, at: now, isRevoked)
        case .subRefresh(let name, let token):
            return try subRefresh(name, token, at: now, isRevoked)
        case .ping: throw .notAvailable("a client does not ping")
        }
    }

    /// Refuses an id that would make it unknown which answer decides about a subscription.
    private func checkID(of command: Command) throws(ReplyError) {
        guard isUnanswered(command.id) else { return }
        var decides = subscriptions.values.contains { $0.pending == command.id }
        if case .subscribe = command.request { decides = true }
        guard !decides else {
            throw .badRequest("id: \(command.id) belongs to a command without an answer yet")
        }
    }

    func channel(_ name: String, _ request: String) throws(ReplyError) -> Channel {
        guard name.utf8.count <= Self.channelBytes, let channel = Channel(name) else {
            throw .badRequest(
                "\(request).channel must be session: or stage: and an id of "
                    + "1–\(SessionID.maximumBytes) characters A–Z a–z 0–9 . _ ~ -")
        }
        return channel
    }

    func object(_ document: JSONDocument?, _ path: String) throws(ReplyError) -> JSONDocument? {
        guard let document, !document.isNull else { return nil }
        guard document.kind == .object else {
            throw .badRequest("\(path) must be an object, not \(document.kindName)")
        }
        return document
    }

    mutating func takeRate(at now: Instant) throws(ReplyError) {
        guard rate.take(at: now) else {
            throw .tooManyRequests("limits.eventsPerSecond is \(settings.eventsPerSecond)")
        }
    }
}
