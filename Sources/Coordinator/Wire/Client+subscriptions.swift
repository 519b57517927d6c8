extension Client {
    /// Checks a subscription and keeps it until its session decides.
    mutating func subscribe(
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

    /// Player while the stage is admitted, else as subscribed, else mirror (contract: protocol,
    /// Channels).
    func role(in session: SessionID) -> Role {
        if let stage = subscriptions[.stage(session)], stage.pending == nil { return .player }
        return subscriptions[.session(session)]?.role ?? .mirror
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
