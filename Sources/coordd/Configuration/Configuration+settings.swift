import Actors
package import Coordinator

// The configuration as the parts of the daemon want it: each gets its own numbers and no others.
extension Configuration {
    /// What the rules of a session need.
    package var policy: Policy {
        var policy = Policy()
        policy.betslipConfirm = betslip.confirm == .auto ? .auto : .host
        policy.betslipDeadlineSeconds = Int64(betslip.deadlineSeconds)
        policy.stageGraceSeconds = Int64(stage.graceSeconds)
        policy.effectDeadlineSeconds = Int64(effects.deadlineSeconds)
        policy.outboxLimit = bounds.outbox
        policy.outboxBytes = min(bounds.outboxBytes, limits.outboundBytes / 2)
        policy.selectionLimit = bounds.selections
        policy.placementLimit = bounds.placements
        policy.placementSeconds = Int64(bounds.placementSeconds)
        policy.toastMilliseconds = Int64(bounds.toastMilliseconds)
        policy.stateBytes = bounds.stateBytes
        policy.contentBytes = bounds.contentBytes
        policy.textBytes = bounds.textBytes
        policy.secretQueryParameters = Set(secrets.queryParameters.map { $0.lowercased() })
        policy.handlers = handlers.compactMapValues { Vendor(rawValue: $0) }
        policy.genius.template = vendors.genius.page.template
        policy.genius.fullscreenSelector = vendors.genius.fullscreenSelector
        policy.sauceflex.pipUseDelayMilliseconds = vendors.sauceflex.pipUseDelayMilliseconds
        policy.sauceflex.shareField = vendors.sauceflex.shareField
        policy.sportradar.template = vendors.sportradar.page.template
        policy.bambuser.openURLPatterns = vendors.bambuser.openURLPatterns
        return policy
    }

    /// What a session needs.
    var sessionSettings: SessionSettings {
        SessionSettings(
            policy: policy, historySize: history.size, historySeconds: Int64(history.seconds),
            recoveryBytes: limits.outboundBytes / 2, idempotencyIDs: bounds.idempotencyIds,
            idempotencyDevices: bounds.idempotencyDevices,
            // Without a journal a session is written when it is passivated, and then whole.
            snapshots: durability == .memory
                ? nil
                : SnapshotSettings(
                    revisions: snapshot.revisions, seconds: Int64(snapshot.seconds)),
            settlesAtOnce: durability == .memory)
    }

    /// How many event loops there are.
    package var loopCount: Int {
        loops ?? min(Post.maximumCount, max(1, UVEventLoop.availableCores))
    }

    /// What all loops are made with.
    func options(_ log: Log, _ health: Health) -> Shards.Options {
        var options = Shards.Options(log: log)
        options.session = sessionSettings
        options.server = serverSettings
        options.idleSeconds = Int64(sessions.idleSeconds)
        options.maximumSessions = limits.sessions
        options.sessionsPerUser = limits.sessionsPerUser
        options.health = health
        return options
    }

    /// What the store may keep waiting and must leave free.
    var storeLimits: StoreLimits {
        var limits = StoreLimits()
        limits.queueCommits = store.queueCommits
        limits.queueBytes = store.queueBytes
        limits.stallSeconds = Int64(store.stallSeconds)
        limits.minimumFreeBytes = Int64(store.minimumFreeBytes)
        limits.ballastBytes = Int64(store.ballastBytes)
        return limits
    }

    /// How long what nobody uses is kept.
    var retention: RetentionPlan {
        RetentionPlan(
            retainSeconds: Int64(sessions.retainSeconds),
            retainEmptySeconds: Int64(sessions.retainEmptySeconds),
            placementSeconds: Int64(bounds.placementSeconds))
    }

    /// Every address to listen on, with its key.
    package var listenAddresses: [(key: String, address: ListenAddress)] {
        [("listen", listen)] + (tls.listen.map { [("tls.listen", $0)] } ?? [])
    }

    /// The certificate and key of the TLS side; nil without one.
    var tlsFiles: TLSFiles? {
        guard tls.listen != nil, let certificate = tls.certificate, let key = tls.key else {
            return nil
        }
        return TLSFiles(certificate: certificate, key: key)
    }

    /// What the listening side needs.
    var serverSettings: ServerSettings {
        var client = ClientSettings()
        client.eventsPerSecond = limits.eventsPerSecond
        client.subscriptions = limits.subscriptions
        client.connectSeconds = Int64(limits.connectSeconds)
        client.pingSeconds = Int64(ping.intervalSeconds ?? 0)
        client.pongMilliseconds = Int64(ping.pongMilliseconds)
        client.access = access
        client.textBytes = bounds.textBytes
        client.version = "coordd \(Version.text)"
        var settings = ServerSettings()
        settings.messageBytes = limits.messageBytes
        settings.outboundBytes = limits.outboundBytes
        settings.connections = limits.connections
        settings.connectionsPerAddress = limits.connectionsPerAddress
        settings.drainSeconds = Int64(drain.seconds)
        settings.origins = OriginRule(allowed: auth.allowedOrigins)
        settings.apiKey = auth.apiKey
        settings.isExposed = listenAddresses.contains { !$0.address.isLoopback }
        settings.http = HTTPLimits(
            headBytes: limits.headBytes, headFields: limits.headFields,
            bodyBytes: limits.messageBytes)
        settings.revocations = limits.revocations
        settings.client = client
        return settings
    }

    /// Who may do what.
    package var access: Access {
        guard auth.usesTokens else { return .open(createsSessions: auth.createSessions) }
        do throws(TokenVerifier.KeyFault) {
            return .tokens(
                try TokenVerifier(
                    secret: auth.secret.map { Array($0.utf8) },
                    publicKey: auth.publicKey.pem.map { Array($0.utf8) },
                    audience: auth.audience, issuer: auth.issuer))
        } catch {
            preconditionFailure("the loader let a bad key through: \(error)")
        }
    }
}

extension Configuration.PageFile {
    /// The template.
    fileprivate var template: PageTemplate {
        do throws(PageTemplate.Problem) {
            return try PageTemplate(text)
        } catch {
            preconditionFailure("the loader let a bad template through: \(error)")
        }
    }
}
