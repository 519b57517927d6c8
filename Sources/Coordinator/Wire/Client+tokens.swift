// MARK: - Who it is

extension Client {
    /// Whether a token was taken back, as the host knows.
    package typealias RevocationCheck = (TokenClaims) -> Bool

    /// How a token is judged.
    enum Judgement {
        case claims(TokenClaims)
        case fault(TokenFault)
    }

    static func judge(
        _ token: String, _ verifier: TokenVerifier, at now: Instant, _ isRevoked: RevocationCheck
    ) -> Judgement {
        do throws(TokenFault) {
            let claims = try verifier.verify(token, at: now)
            return isRevoked(claims) ? .fault(.revoked) : .claims(claims)
        } catch {
            return .fault(error)
        }
    }

    /// The user; empty without tokens.
    var user: String { bearer?.value.user ?? "" }

    /// The device's stable id, which a token gives, or ties to its user.
    func device(
        of claims: TokenClaims?, _ data: JSONDocument?
    ) throws(ReplyError) -> String {
        if let device = claims?.device {
            guard device.utf8.count <= settings.textBytes else {
                throw .badRequest(
                    "connect.token: device must have 1–\(settings.textBytes) bytes")
            }
            return device
        }
        let given = try givenDevice(in: data) ?? client
        guard let claims else { return given }
        let device = claims.deviceID(of: given)
        guard device.utf8.count <= settings.textBytes else {
            throw .badRequest(
                "connect.data.device must have 1–\(settings.textBytes) bytes together with the "
                    + "user's name")
        }
        return device
    }

    /// Whether a token that the connection stands on was taken back, so that it must end.
    package func stands(on isRevoked: RevocationCheck) -> Bool {
        if let bearer, isRevoked(bearer.value) { return true }
        return subscriptions.values.contains { $0.token.map { isRevoked($0.value) } ?? false }
    }
}

// MARK: - What it may do

extension Client {
    /// What the connection may do in a session; nil for nothing.
    func permission(in session: SessionID) -> Permission? {
        if case .open = settings.access { return ownPermission(in: session) }
        var permission = ownPermission(in: session)
        for channel in [Channel.session(session), .stage(session)] {
            guard let granted = subscriptions[channel]?.token?.value.permission else { continue }
            permission = permission?.joined(with: granted) ?? granted
        }
        return permission
    }

    /// What the connection's own token, or the lack of any, lets it do.
    func ownPermission(in session: SessionID) -> Permission? {
        switch settings.access {
        case .open(let createsSessions):
            return Permission(role: .player, mayCreate: createsSessions, mayPlace: true)
        case .tokens:
            guard let bearer, bearer.value.sessions.contains(where: { $0.contains(session) })
            else { return nil }
            return bearer.value.permission
        }
    }

    /// Refuses whoever may not do anything in a session, in words that do not tell whether there is
    /// one.
    @discardableResult
    func requirePermission(in session: SessionID) throws(ReplyError) -> Permission {
        guard let permission = permission(in: session) else {
            throw Self.outOfScope(session)
        }
        return permission
    }

    static func outOfScope(_ session: SessionID) -> ReplyError {
        .permissionDenied("the token does not allow the session \(session)")
    }

    static func roleTooLow(_ permission: Permission, for what: String) -> ReplyError {
        .permissionDenied("the token allows the role \(permission.role.rawValue), not \(what)")
    }
}

// MARK: - Subscription tokens

extension Client {
    /// The claims of a token for a channel.
    enum Grant {
        case claims(TokenClaims)
        case reject(TokenFault)
    }

    /// Looks at a subscription token; one of another user or channel ends the connection (protocol
    /// facts: Centrifugal, tokens).
    func grant(
        _ token: String, for channel: Channel, _ verifier: TokenVerifier, at now: Instant,
        _ isRevoked: RevocationCheck
    ) throws(ReplyError) -> Grant {
        switch Self.judge(token, verifier, at: now, isRevoked) {
        case .fault(.expired): throw .tokenExpired
        case .fault(let fault): throw .permissionDenied("\(fault)")
        case .claims(let claims):
            guard claims.channel?.hasSameBytes(as: channel.description) == true else {
                return .reject(.mismatch("channel"))
            }
            guard claims.user.hasSameBytes(as: user) else { return .reject(.mismatch("sub")) }
            return .claims(claims)
        }
    }

    /// Adds to a subscribe's answer when its token is over.
    package func completed(
        _ body: Reply.Body, of command: UInt32, at now: Instant
    ) -> Reply.Body {
        guard case .tokens = settings.access, case .subscribe(var result) = body else {
            return body
        }
        let subscription = subscriptions.values.first { $0.pending == command }
        result.ttl = Self.ttl(of: subscription?.token?.value, at: now)
        return .subscribe(result)
    }
}

// MARK: - Renewal

extension Client {
    mutating func refresh(
        _ token: String?, at now: Instant, _ isRevoked: RevocationCheck
    ) throws(ReplyError) -> Target {
        guard case .tokens(let verifier) = settings.access, let bearer, let device else {
            throw .notAvailable("this server uses no tokens")
        }
        guard let token, !token.isEmpty else { throw .badRequest("refresh.token is missing") }
        switch Self.judge(token, verifier, at: now, isRevoked) {
        // An SDK that is told of an expired token in an answer gives up (protocol facts:
        // Centrifugal, codes).
        case .fault(.expired): return .disconnect(.connectionExpired)
        case .fault(let fault): return .reject(fault)
        case .claims(let claims):
            guard claims.channel == nil else { return .reject(.mismatch("channel")) }
            guard claims.user.hasSameBytes(as: bearer.value.user) else {
                return .reject(.mismatch("sub"))
            }
            guard claims.device?.hasSameBytes(as: device) ?? true else {
                return .reject(.mismatch("device"))
            }
            self.bearer = Shared(claims)
            noteExpiry()
            return .ended(
                subscriptions.keys.filter { !maySubscribe($0) }, because: .notAllowed,
                .refresh(ttl: Self.ttl(of: claims, at: now)))
        }
    }

    mutating func subRefresh(
        _ name: String, _ token: String?, at now: Instant, _ isRevoked: RevocationCheck
    ) throws(ReplyError) -> Target {
        guard case .tokens(let verifier) = settings.access else {
            throw .notAvailable("this server uses no tokens")
        }
        let channel = try channel(name, "sub_refresh")
        guard let token, !token.isEmpty else { throw .badRequest("sub_refresh.token is missing") }
        guard subscriptions[channel] != nil else {
            throw .permissionDenied("there is no subscription to renew")
        }
        let claims: TokenClaims
        do throws(ReplyError) {
            switch try grant(token, for: channel, verifier, at: now, isRevoked) {
            case .reject(let fault): return .reject(fault)
            case .claims(let granted): claims = granted
            }
        } catch {
            guard error == .tokenExpired else { throw error }
            // In place of an answer, for the reason that refresh has.
            return .ended([channel], because: .expired, nil)
        }
        subscriptions[channel]?.token = Shared(claims)
        noteExpiry()
        return .ended(
            maySubscribe(channel) ? [] : [channel], because: .notAllowed,
            .subRefresh(ttl: Self.ttl(of: claims, at: now)))
    }

    /// Whether what the client subscribed to is still allowed.
    private func maySubscribe(_ channel: Channel) -> Bool {
        var permission = ownPermission(in: channel.session)
        if let granted = subscriptions[channel]?.token?.value.permission {
            permission = permission?.joined(with: granted) ?? granted
        }
        switch channel {
        case .session: return permission != nil
        case .stage: return permission?.role == .player
        }
    }

    /// Forgets subscriptions; gives what their sessions are told.
    mutating func end(_ channels: [Channel], because reason: Unsubscribe) -> [SessionRequest] {
        let sorted = channels.sorted { $0.description < $1.description }
        let requests = sorted.compactMap { channel -> SessionRequest? in
            guard let caller = caller(in: channel.session) else { return nil }
            return SessionRequest(
                session: channel.session, caller: caller, command: 0,
                call: .unsubscribe(channel, because: reason))
        }
        for channel in sorted { subscriptions[channel] = nil }
        return requests
    }
}

// MARK: - Expiry

extension Client {
    /// Seconds that a client has for a new token after the old one is over (protocol facts:
    /// Centrifugal, tokens).
    static let expiryGraceSeconds: Int64 = 25

    /// Whole seconds until a token is over; at least one, which SDKs need, and nil for never.
    static func ttl(of claims: TokenClaims?, at now: Instant) -> UInt32? {
        guard let expires = claims?.expires else { return nil }
        return UInt32(clamping: max(1, expires.milliseconds(since: now) / 1000))
    }

    /// Seconds after a token's end from which its bearer is asked nothing but for a new one: clocks
    /// differ, and an SDK renews a token when it is over.
    static let expiryLeewaySeconds: Int64 = 5

    /// Refuses what a token was needed for that is over.
    func requireLiveToken(for request: Command.Request, at now: Instant) throws(ReplyError) {
        guard let expires = bearer?.value.expires,
            expires.advanced(bySeconds: Self.expiryLeewaySeconds) <= now
        else { return }
        switch request {
        case .refresh, .subRefresh, .unsubscribe, .ping, .connect, .pong, .send: break
        case .subscribe, .publish, .presence, .presenceStats, .history, .rpc:
            throw .tokenExpired
        }
    }

    /// Whether the connection's token, and the time for a new one, is over.
    func isExpired(at now: Instant) -> Bool {
        bearer.map { Self.end(of: $0.value) <= now } ?? false
    }

    /// The subscriptions whose tokens, and the time for new ones, are over.
    func expiredSubscriptions(at now: Instant) -> [Channel] {
        subscriptions.compactMap { channel, subscription in
            guard let token = subscription.token, Self.end(of: token.value) <= now else {
                return nil
            }
            return channel
        }
    }

    /// Finds out when the next token is over, after any of them has changed.
    mutating func noteExpiry() {
        var earliest = bearer.map { Self.end(of: $0.value) } ?? .never
        for case let token? in subscriptions.values.map(\.token) {
            earliest = min(earliest, Self.end(of: token.value))
        }
        expiry = earliest
    }

    private static func end(of claims: TokenClaims) -> Instant {
        claims.expires?.advanced(bySeconds: expiryGraceSeconds) ?? .never
    }
}
