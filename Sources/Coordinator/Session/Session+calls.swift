extension Session {
    /// Decides one call against the newest state; whatever it says waits at the gate.
    mutating func handle(
        _ call: SessionCall, from caller: Caller, command: UInt32, at now: Instant
    ) {
        // The connection does not know the channel any more, and the deletion may still fail.
        let isLeaving = if case .unsubscribe = call { true } else { false }
        guard !isDeleted || isLeaving else {
            return refuse(
                caller, command, .unknownChannel("session \(id) is being deleted"))
        }
        switch call {
        case .subscribe(let wishes):
            say(
                .admission(
                    caller, command: command, wishes, viewing.state, revision: revision))
        case .attachStage(let facts):
            attachStage(facts, from: caller, command: command, at: now)
        case .unsubscribe(let channel, let reason):
            if case .stage = channel {
                releaseStage(of: caller.connection)
                detachLostStage(at: now)
            }
            say(.dismissal(caller, channel, command: command, because: reason))
        case .apply(let application):
            apply(application, from: caller, command: command, at: now)
        case .state:
            say(
                .state(connection: caller.connection, command: command, data: stateDocument()))
        case .history(let request):
            say(.page(connection: caller.connection, command: command, request))
        case .presence(let channel):
            // Who is connected is known to the host alone; it tells in this one's turn.
            say(.presence(caller, channel, command: command, isCounted: false))
        case .presenceStats(let channel):
            say(.presence(caller, channel, command: command, isCounted: true))
        case .acknowledge(let done, let failed):
            acknowledge(done: done, failed: failed, from: caller, command: command, at: now)
        case .takeStage:
            takeStage(from: caller, command: command, at: now)
        case .close:
            close(from: caller, command: command)
        }
    }

    mutating func refuse(_ caller: Caller, _ command: UInt32, _ error: ReplyError) {
        say(.reply(connection: caller.connection, command: command, .error(error)))
    }

    private mutating func refuse(_ caller: Caller, _ command: UInt32, _ rejection: Rejection) {
        refuse(caller, command, ReplyError(code: rejection.code, message: rejection.message))
    }

    private func origin(of caller: Caller) -> Origin {
        let holdsStage = stageConnection == caller.connection
        return Origin(
            // The API is no device.
            device: caller.role == .api ? nil : caller.device,
            // A caller that lost the stage meanwhile is no player any more.
            role: holdsStage ? .player : caller.role == .player ? .mirror : caller.role,
            holdsStage: holdsStage, mayPlace: caller.mayPlace)
    }

    /// Whether an event was taken before, and is answered as it was then.
    package func remembers(_ application: SessionCall.Application, from caller: Caller) -> Bool {
        firstAnswer(to: key(of: application, from: caller)) != nil
    }

    private func firstAnswer(to key: RequestMemory.Key?) -> JSONObject? {
        key.flatMap { unsettledAnswers[$0] ?? requests.answer(to: $0) }
    }

    private func key(
        of application: SessionCall.Application, from caller: Caller
    ) -> RequestMemory.Key? {
        application.id.map { RequestMemory.Key(device: caller.device, id: $0) }
    }

    /// The checks of an event in the contract's order (domain, section 3); the rate came before.
    private mutating func apply(
        _ application: SessionCall.Application, from caller: Caller, command: UInt32,
        at now: Instant
    ) {
        let key = key(of: application, from: caller)
        if var answer = firstAnswer(to: key) {
            answer["duplicate"] = true
            report = EventReport(application.event, .duplicate)
            return say(
                .reply(
                    connection: caller.connection, command: command,
                    .rpc(data: JSONWriter.bytes(of: .object(answer)))))
        }
        do throws(Rejection) {
            let policy = settings.policy
            let (event, publishable) = try Event.decodeToPublish(
                application.event, policy: policy)
            let origin = origin(of: caller)
            try event.permit(origin, in: viewing)
            if let ifRev = application.ifRev, ifRev != revision {
                throw Rejection(
                    code: 409,
                    message: "revision.conflict: ifRev is \(ifRev), the revision is \(revision)")
            }
            var next = viewing
            let outcome = try next.apply(
                event, from: origin, at: now, revision: revision + 1, policy: policy)
            let answer = adopt(
                next, outcome, origin: origin, event: publishable, key: key, at: now)
            report = EventReport(event.kind, outcome)
            let body = application.isPublish ? Reply.Body.publish : .rpc(data: answer)
            if let key {
                say(.answer(connection: caller.connection, command: command, body, key: key))
            } else {
                say(.reply(connection: caller.connection, command: command, body))
            }
        } catch {
            report = EventReport(application.event, EventReport.Ending(code: error.code))
            refuse(caller, command, error)
        }
    }

    /// Takes over the result of a transition: a revision, a signal, or nothing but memory; gives the
    /// text of the answer.
    ///
    /// `event` is the one that came in, without its secrets.
    @discardableResult
    mutating func adopt(
        _ next: Viewing, _ outcome: Outcome, origin: Origin, event: JSONDocument? = nil,
        key: RequestMemory.Key? = nil, pushesEffects: Bool = true, at now: Instant
    ) -> [UInt8] {
        let isRevision = outcome.kind == .revision
        var memory = Commit.MemoryChange.unchanged
        if isRevision || outcome.isDurable {
            if !next.hasSameMemory(as: viewing) {
                memory = .changed(from: viewing.memory, to: next.memory)
            }
            viewing = next
        }
        if isRevision { revision += 1 }
        let answer = answer(to: outcome)
        var first: Commit.Answer?
        if let key {
            let tree = (try? JSONParser.parse(answer.span))?.root.object ?? JSONObject()
            first = Commit.Answer(key: key, answer: tree)
            unsettledAnswers[key] = tree
        }
        var publication: Publication?
        if outcome.kind != .unchanged {
            publication = Publication(
                offset: isRevision ? revision : nil,
                data: document(of: outcome, event: event, origin: origin, at: now))
        }
        if isRevision || outcome.isDurable || key != nil {
            commitUpdate(
                publication: isRevision ? publication : nil, memory: memory, answer: first)
        }
        if let publication { say(.publication(publication)) }
        if pushesEffects, !outcome.effects.isEmpty, let stageConnection {
            say(.effects(outcome.effects, connection: stageConnection))
        }
        return answer
    }

    /// The result of `session.apply` (contract: protocol, Methods).
    private func answer(to outcome: Outcome) -> [UInt8] {
        var writer = JSONWriter(capacity: 32)
        writer.raw("{\"rev\":")
        writer.integer(revision)
        for member in outcome.answer.members {
            writer.raw(",")
            writer.string(member.key)
            writer.raw(":")
            writer.write(member.value)
        }
        writer.warnings(of: outcome)
        writer.raw("}")
        return writer.bytes
    }

    /// Bytes of a publication's `data` beside its event, its patch and its device; about.
    private static let usualBytes = 128

    /// The `data` of a publication on the session's channel (contract: protocol, Channels).
    private func document(
        of outcome: Outcome, event: JSONDocument?, origin: Origin, at now: Instant
    ) -> [UInt8] {
        var writer = JSONWriter(
            capacity: Self.usualBytes + (event?.byteCount ?? 0) + outcome.patchText.count
                + (origin.device?.utf8.count ?? 0))
        if outcome.kind == .revision {
            writer.raw("{\"rev\":")
            writer.integer(revision)
            writer.raw(",\"at\":")
        } else {
            writer.raw("{\"at\":")
        }
        writer.integer(now.milliseconds)
        if let device = origin.device {
            writer.raw(",\"by\":{\"device\":")
            writer.string(device)
            writer.raw(",\"role\":")
        } else {
            writer.raw(",\"by\":{\"role\":")
        }
        writer.string(origin.role.rawValue)
        writer.raw("},\"event\":")
        if let own = outcome.published {
            writer.write(own)
        } else if let event {
            writer.raw(event.bytes)
        } else {
            writer.raw("null")
        }
        if outcome.kind == .revision {
            writer.raw(",\"patch\":")
            writer.raw(outcome.patchText)
        }
        writer.warnings(of: outcome)
        writer.raw("}")
        return writer.bytes
    }
}

extension JSONWriter {
    /// Adds the member `warnings` behind others, where there are any.
    fileprivate mutating func warnings(of outcome: Outcome) {
        guard !outcome.warnings.isEmpty else { return }
        raw(",\"warnings\":")
        write(.array(outcome.warnings.map(\.json)))
    }
}

extension Session {
    private mutating func attachStage(
        _ facts: JSONDocument?, from caller: Caller, command: UInt32, at now: Instant
    ) {
        do throws(Rejection) {
            if let defect = facts?.defects.first {
                throw Rejection(
                    code: 422,
                    message: "event.invalid: \(defect.location(from: "facts")): \(defect.kind)")
            }
            var next = viewing
            let outcome = try next.attachStage(
                device: caller.device, facts: facts?.root, at: now, revision: revision + 1,
                policy: settings.policy)
            let replaced = stageConnection
            stageConnection = caller.connection
            let pending = next.pendingEffects(after: outcome)
            adopt(next, outcome, origin: .system, pushesEffects: false, at: now)
            if let replaced, replaced != caller.connection {
                say(.disconnection(connection: replaced, .replaced))
            }
            say(.stageAdmission(caller, command: command, pending: pending))
        } catch {
            refuse(caller, command, error)
        }
    }

    private mutating func acknowledge(
        done: [UInt64], failed: [EffectFailure], from caller: Caller, command: UInt32,
        at now: Instant
    ) {
        guard stageConnection == caller.connection else {
            return refuse(caller, command, .permissionDenied("only the stage acknowledges effects"))
        }
        var next = viewing
        let outcome = next.acknowledge(
            done: done, failed: failed, at: now, revision: revision + 1, policy: settings.policy)
        adopt(next, outcome, origin: .system, at: now)
        say(.reply(connection: caller.connection, command: command, .rpc(data: Self.empty)))
    }

    private mutating func takeStage(from caller: Caller, command: UInt32, at now: Instant) {
        guard caller.role != .observer else {
            return refuse(caller, command, .permissionDenied("an observer cannot take the stage"))
        }
        do throws(Rejection) {
            var next = viewing
            let takeover = try next.takeStage(
                device: caller.device, at: now, revision: revision + 1, policy: settings.policy)
            let previous = takeover.outcome.kind == .revision ? stageConnection : nil
            if previous != nil { stageConnection = nil }
            adopt(next, takeover.outcome, origin: .system, pushesEffects: false, at: now)
            if let previous {
                say(.effects(takeover.farewell, connection: previous))
                say(.revocation(connection: previous, .stageTaken))
            }
            say(.reply(connection: caller.connection, command: command, .rpc(data: Self.empty)))
        } catch {
            refuse(caller, command, error)
        }
    }

    private mutating func close(from caller: Caller, command: UInt32) {
        guard [.player, .api].contains(origin(of: caller).role) else {
            return refuse(
                caller, command, .permissionDenied("only the player may close a session"))
        }
        isDeleted = true
        commitDeletion()
        say(.dissolution)
        say(.reply(connection: caller.connection, command: command, .rpc(data: Self.empty)))
    }

    private static let empty = Array("{}".utf8)
}
