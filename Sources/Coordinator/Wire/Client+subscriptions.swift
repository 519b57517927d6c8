extension Client {
    /// Checks a subscription and keeps it until its session decides.
    mutating func subscribe(
        _ request: Command.Subscribe, id: UInt32, at now: Instant, _ isRevoked: RevocationCheck
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
        var permission = ownPermission(in: channel.session)
        var claims: TokenClaims?
        if case .tokens(let verifier) = settings.access, let token = request.token,
            !token.isEmpty
        {
            switch try grant(token, for: channel, verifier, at: now, isRevoked) {
            case .reject(let fault): return .reject(fault)
            case .claims(let granted):
                claims = granted
                permission = permission?.joined(with: granted.permission) ?? granted.permission
            }
        }
        guard let permission else { throw Self.outOfScope(channel.session) }
        let token = claims.map(Shared.init)
        defer { if token != nil { noteExpiry() } }
        switch channel {
        case .session(let session):
            let role = try subscriberRole(data?["role"], permission)
            subscriptions[channel] = Subscription(role: role, pending: id, token: token)
            let wishes = SessionCall.Subscription(
                role: role, recover: request.recover, joinLeave: request.joinLeave,
                refusesUnrecovered: request.refusesUnrecovered)
            return .session(session, .subscribe(wishes), creates: permission.mayCreate)
        case .stage(let session):
            guard permission.role == .player else {
                throw Self.roleTooLow(permission, for: "player")
            }
            var facts: JSONDocument?
            if let value = data?["facts"], !value.isNull {
                guard value.kind == .object else {
                    throw .badRequest(
                        "subscribe.data.facts must be an object, not \(value.kindName)")
                }
                facts = value
            }
            subscriptions[channel] = Subscription(role: .player, pending: id, token: token)
            return .session(session, .attachStage(facts: facts), creates: false)
        }
    }

    /// The role that is asked for; without one, the highest of a second screen's that is allowed.
    private func subscriberRole(
        _ value: JSONDocument?, _ permission: Permission
    ) throws(ReplyError) -> Role {
        guard let value, !value.isNull else {
            return Role.mirror.isAtMost(permission.role) ? .mirror : permission.role
        }
        switch value.string {
        case "mirror":
            guard Role.mirror.isAtMost(permission.role) else {
                throw Self.roleTooLow(permission, for: "mirror")
            }
            return .mirror
        case "observer": return .observer
        default: throw .badRequest("subscribe.data.role must be mirror or observer")
        }
    }

    /// Player while the stage is admitted, else as subscribed, else mirror (contract: protocol,
    /// Channels); a token may allow less than it did when the client subscribed.
    func role(in session: SessionID) -> Role {
        if let stage = subscriptions[.stage(session)], stage.pending == nil { return .player }
        let role = subscriptions[.session(session)]?.role ?? .mirror
        let limit = permission(in: session)?.role ?? .observer
        return role.isAtMost(limit) ? role : limit
    }

    /// The server ended a subscription.
    ///
    /// What a session sends is in order, so an end that comes before the answer to a newer
    /// subscribe belongs to the subscription before it; to forget the newer one would leave the
    /// session with a subscriber that nobody takes back.
    package mutating func removed(_ channel: Channel) {
        guard subscriptions[channel]?.pending == nil else { return }
        subscriptions[channel] = nil
    }
}
