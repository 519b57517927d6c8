internal import Coordinator
package import Distributed

/// One viewing session as an actor on its loop: it holds the pure machine and does what that says.
///
/// Clients' calls enter synchronously from the loop's own callbacks; no task and no thread hop lies
/// between a socket and a session (decision: executor).
package distributed actor ViewingSession {
    package typealias ActorSystem = SessionSystem

    private var session: Session
    private var audience: Audience
    private var timer: (any LoopTimer)?
    /// Counts inputs, to notice that nothing happened for a while.
    private var inputs: UInt64 = 0
    private var idleTimer: (any LoopTimer)?
    private var stage: Caller?
    /// Whose call is being worked on, which most of what is said then is for.
    private var asker: (any SessionPeer)?
    /// Whether the system counts it among those with clients.
    private var isAttached = false
    private var meter: SessionMeter

    init(_ session: Session, actorSystem: SessionSystem) {
        self.session = session
        self.audience = Audience(session: session.id, turn: actorSystem.turn)
        meter = SessionMeter(
            actorSystem.metrics, settlesAtOnce: actorSystem.settings.settlesAtOnce)
        self.actorSystem = actorSystem
    }

    /// The loop named in the actor's id.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe actorSystem.executor(of: id)
    }

    /// Starts a session that was just made or loaded.
    nonisolated func start() {
        assumeIsolated { actor in
            actor.meter.inputArrived()
            actor.perform(actor.session.start(at: actor.actorSystem.loop.turnTime))
            actor.watchIdleness()
        }
    }

    /// A client's call, on the loop; `asker` is the caller's peer, where that is at hand.
    nonisolated func receive(_ request: SessionRequest, from asker: (any SessionPeer)? = nil) {
        assumeIsolated { actor in
            actor.inputs &+= 1
            actor.asker = asker
            actor.take(.call(request.call, from: request.caller, command: request.command))
            actor.asker = nil
        }
    }

    /// Whether the answer to a call would have to wait for the disk; one that gives something up is
    /// always taken.
    nonisolated func wouldWait(_ call: SessionCall) -> Bool {
        switch call {
        case .apply, .acknowledge, .takeStage, .attachStage, .close: true
        case .subscribe, .state, .history, .presence, .presenceStats:
            // The next call makes a session whose making failed.
            assumeIsolated { $0.session.hasUnsettled || !$0.session.isStored }
        case .unsubscribe: false
        }
    }

    /// Whether a call asks for a change, however small; a repeated event is answered as before.
    nonisolated func wouldCommit(_ request: SessionRequest) -> Bool {
        switch request.call {
        case .apply(let application):
            assumeIsolated { !$0.session.remembers(application, from: request.caller) }
        case .acknowledge, .takeStage, .attachStage, .close: true
        case .subscribe, .state, .history, .presence, .presenceStats:
            assumeIsolated { !$0.session.isStored && !$0.session.hasUnsettled }
        case .unsubscribe: false
        }
    }

    /// Refuses what was asked to be read and waits for a change under way, on the loop.
    nonisolated func giveUpReading(_ reason: String) {
        assumeIsolated { actor in
            actor.perform(actor.session.giveUpReading(reason))
        }
    }

    /// Whether a call asks for a change that takes room; a repeated one is answered as before.
    ///
    /// A device that comes back to its stage is no such change: only its player may close a session.
    nonisolated func needsRoom(_ request: SessionRequest) -> Bool {
        switch request.call {
        case .apply(let application):
            assumeIsolated { !$0.session.remembers(application, from: request.caller) }
        case .takeStage: true
        case .attachStage, .acknowledge, .close, .subscribe, .unsubscribe, .state, .history,
            .presence, .presenceStats:
            false
        }
    }

    /// What is durable of the session, and how many connections follow it or hold its stage, on the
    /// loop; nil before anything is durable.
    nonisolated var outline: (SessionOutline, clients: Int)? {
        assumeIsolated { actor in
            guard let outline = actor.session.outline else { return nil }
            let isApart = actor.stage.map { !actor.audience.has($0.connection) } ?? false
            return (outline, actor.audience.count + (isApart ? 1 : 0))
        }
    }

    /// A commit settled, on the loop.
    nonisolated func receive(_ settlement: Settlement) {
        assumeIsolated { actor in
            actor.meter.settled(settlement)
            switch settlement {
            case .committed(_, through: let sequence):
                actor.take(.committed(through: sequence))
            case .failed(_, from: let sequence, let reason):
                actor.take(.commitFailed(from: sequence, reason: reason))
            case .snapshotFailed:
                actor.take(.snapshotFailed)
            }
        }
    }

    /// A connection is gone, on the loop.
    nonisolated func connectionLost(_ connection: UInt64) {
        assumeIsolated { actor in
            actor.inputs &+= 1
            actor.audience.remove(connection)
            if actor.stage?.connection == connection { actor.stage = nil }
            actor.take(.connectionLost(connection))
        }
    }

    /// Tells the system when the first client has come or the last one has gone.
    private func countClients() {
        let isAttachedNow = stage != nil || !audience.isEmpty
        guard isAttachedNow != isAttached else { return }
        isAttached = isAttachedNow
        actorSystem.attached(isAttached ? 1 : -1)
    }

    private func take(_ input: SessionInput) {
        meter.inputArrived()
        var actions = actorSystem.spareActions.withValue { spare in
            var actions: [SessionAction] = []
            swap(&actions, &spare)
            return actions
        }
        session.receive(input, at: actorSystem.loop.turnTime, into: &actions)
        meter.decided(session.report)
        perform(actions)
        guard actions.capacity <= SessionSystem.spareActions else { return }
        actions.removeAll(keepingCapacity: true)
        actorSystem.spareActions.withValue { swap(&actions, &$0) }
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .commit(let commit):
                meter.appended(commit)
                actorSystem.append(commit, for: session.id)
            case .snapshot(let stored):
                actorSystem.snapshot(session.id, stored)
            case .reply(let connection, let command, let body):
                peer(connection)?.reply(to: command, body)
            case .admit(let caller, let joinLeave, let command, let result):
                guard let peer = peer(caller.connection) else { continue }
                peer.reply(to: command, .subscribe(result))
                meter.admitted(result)
                audience.admit(peer, as: info(of: caller), joinLeave: joinLeave)
            case .admitStage(let caller, let command, let result):
                guard let peer = peer(caller.connection) else { continue }
                // Whoever holds the stage is a player, whatever it subscribed as.
                stage = caller
                stage?.role = .player
                peer.reply(to: command, .subscribe(result))
            case .dismiss(let caller, let channel, let command, let reason):
                dismiss(caller, from: channel)
                let peer = peer(caller.connection)
                if let reason {
                    peer?.unsubscribe(from: channel, reason)
                } else {
                    peer?.reply(to: command, .unsubscribe)
                }
            case .presence(let caller, let channel, let command, let isCounted):
                peer(caller.connection)?
                    .reply(to: command, isCounted ? counts(of: channel) : presence(of: channel))
            case .publish(let publication):
                audience.publish(publication)
                meter.published(publication, to: audience.count)
            case .push(let effects, let connection):
                push(effects, to: connection)
            case .revokeStage(let connection, let unsubscribe):
                if stage?.connection == connection { stage = nil }
                peer(connection)?
                    .unsubscribe(from: .stage(session.id), unsubscribe)
            case .disconnect(let connection, let disconnect):
                peer(connection)?.disconnect(disconnect)
            case .dissolve:
                dissolve()
            case .setTimer(let instant):
                setTimer(instant)
            }
        }
        countClients()
    }

    private func push(_ effects: [Publication], to connection: UInt64) {
        guard let peer = peer(connection) else { return }
        let channel = Channel.stage(session.id).description
        for effect in effects {
            var push = SharedPush(
                .publication(channel: channel, effect), in: actorSystem.turn)
            push.send(to: peer, in: peer.encoding)
        }
    }

    private func peer(_ connection: UInt64) -> (any SessionPeer)? {
        if let asker, asker.number == connection { return asker }
        return actorSystem.peer(connection)
    }

    private func dismiss(_ caller: Caller, from channel: Channel) {
        switch channel {
        case .session: audience.remove(caller.connection)
        case .stage: if stage?.connection == caller.connection { stage = nil }
        }
    }

    private func dissolve() {
        if let stage {
            peer(stage.connection)?.unsubscribe(from: .stage(session.id), .closed)
        }
        stage = nil
        audience.dissolve(.closed)
        timer?.cancel()
        idleTimer?.cancel()
        actorSystem.forget(session.id)
    }

    private func setTimer(_ instant: Instant?) {
        timer?.cancel()
        timer = nil
        guard let instant else { return }
        let delay = max(0, instant.milliseconds(since: actorSystem.loop.now))
        timer = actorSystem.loop.schedule(afterMilliseconds: delay) { [weak self] in
            self?.timerFired()
        }
    }

    private nonisolated func timerFired() {
        assumeIsolated { $0.take(.timerFired) }
    }
}

extension ViewingSession {
    private func info(of caller: Caller) -> ClientInfo {
        ClientInfo(
            user: caller.user, client: caller.client, device: caller.device, role: caller.role,
            info: caller.info)
    }

    private func presence(of channel: Channel) -> Reply.Body {
        let clients =
            switch channel {
            case .session:
                audience.presence.clients.map { client in
                    // Whoever holds the stage is a player, whatever it joined as.
                    var client = client
                    if client.device == stage?.device { client.role = .player }
                    return client
                }
            case .stage: stage.map { [info(of: $0)] } ?? []
            }
        return .presence(clients)
    }

    private func counts(of channel: Channel) -> Reply.Body {
        let counts =
            switch channel {
            case .session: (audience.presence.clientCount, audience.presence.userCount)
            case .stage: stage == nil ? (0, 0) : (1, 1)
            }
        return .presenceStats(clients: counts.0, users: counts.1)
    }

    /// Gives the session back to the store after a full idle interval without any input.
    private func watchIdleness() {
        let seen = inputs
        idleTimer = actorSystem.loop.schedule(
            afterMilliseconds: actorSystem.idleMilliseconds
        ) { [weak self] in
            self?.passivate(unlessInputsDifferFrom: seen)
        }
    }

    private nonisolated func passivate(unlessInputsDifferFrom seen: UInt64) {
        assumeIsolated { actor in
            guard actor.inputs == seen, actor.audience.isEmpty, actor.session.isQuiet else {
                return actor.watchIdleness()
            }
            actor.retire()
        }
    }

    /// Ends the activation; a session whose creation never became durable is forgotten.
    private func retire() {
        timer?.cancel()
        idleTimer?.cancel()
        if session.isStored {
            actorSystem.passivate(session.id, session.stored)
        } else {
            actorSystem.abandon(session.id)
        }
    }

    /// Ends the activation because the server ends, whatever timers run.
    nonisolated func retireForEnd() {
        assumeIsolated { actor in
            if !actor.session.hasUnsettled { actor.retire() }
        }
    }
}
