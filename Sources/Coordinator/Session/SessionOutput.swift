/// Something a session has decided to say and that waits at the gate.
enum SessionOutput: Sendable {
    case reply(connection: UInt64, command: UInt32, Reply.Body)
    /// The state as a document.
    case state(connection: UInt64, command: UInt32, data: [UInt8])
    /// The answer to an accepted event with an idempotency id, remembered from now on.
    case answer(connection: UInt64, command: UInt32, Reply.Body, key: RequestMemory.Key)
    case publication(Publication)
    case effects([Effect], connection: UInt64)
    /// A subscriber of `session:<id>`, with the state and revision it was decided at.
    indirect case admission(
        Caller, command: UInt32, SessionCall.Subscription, SessionState, revision: UInt64)
    indirect case stageAdmission(Caller, command: UInt32, pending: [Effect])
    indirect case page(connection: UInt64, command: UInt32, Command.History)
    indirect case dismissal(Caller, Channel, command: UInt32, because: Unsubscribe?)
    indirect case presence(Caller, Channel, command: UInt32, isCounted: Bool)
    case revocation(connection: UInt64, Unsubscribe)
    case disconnection(connection: UInt64, Disconnect)
    case dissolution

    /// Whether it answers somebody who changes nothing.
    var isReading: Bool {
        switch self {
        case .state, .page, .admission, .presence: true
        case .reply, .answer, .publication, .effects, .stageAdmission, .dismissal, .revocation,
            .disconnection, .dissolution:
            false
        }
    }

    /// What is still done when the change before it could not be made durable.
    func failed(_ refusal: ReplyError) -> SessionAction? {
        switch self {
        case .reply(let connection, let command, _), .state(let connection, let command, _),
            .answer(let connection, let command, _, _),
            .page(let connection, let command, _):
            .reply(connection: connection, command: command, .error(refusal))
        case .admission(let caller, let command, _, _, _),
            .stageAdmission(let caller, let command, _), .presence(let caller, _, let command, _):
            .reply(connection: caller.connection, command: command, .error(refusal))
        case .dismissal(let caller, let channel, let command, let reason):
            .dismiss(caller, channel, command: command, because: reason)
        case .publication, .effects, .revocation, .disconnection, .dissolution: nil
        }
    }
}

extension Session {
    /// Turns an output that may leave into the host's action.
    mutating func perform(_ output: SessionOutput, at now: Instant) {
        switch output {
        case .reply(let connection, let command, let body):
            actions.append(.reply(connection: connection, command: command, body))
        case .state(let connection, let command, let data):
            actions.append(.reply(connection: connection, command: command, .rpc(data: data)))
        case .answer(let connection, let command, let body, let key):
            if let answer = unsettledAnswers.removeValue(forKey: key) {
                requests.remember(answer, for: key)
            }
            actions.append(.reply(connection: connection, command: command, body))
        case .publication(let publication):
            if publication.offset != nil { history.append(publication, at: now) }
            actions.append(.publish(publication))
        case .effects(let effects, let connection):
            actions.append(.push(effects.map(\.publication), connection: connection))
        case .admission(let caller, let command, let wishes, let state, let revision):
            admit(caller, command, wishes, state, revision: revision, at: now)
        case .stageAdmission(let caller, let command, let pending):
            var writer = JSONWriter()
            writer.write(["pending": .array(pending.map(\.json))])
            actions.append(
                .admitStage(
                    caller, command: command,
                    Reply.Subscribe(position: nil, data: writer.bytes)))
        case .page(let connection, let command, let request):
            actions.append(
                .reply(connection: connection, command: command, page(request, at: now)))
        case .dismissal(let caller, let channel, let command, let reason):
            actions.append(.dismiss(caller, channel, command: command, because: reason))
        case .presence(let caller, let channel, let command, let isCounted):
            actions.append(.presence(caller, channel, command: command, isCounted: isCounted))
        case .revocation(let connection, let unsubscribe):
            actions.append(.revokeStage(connection: connection, unsubscribe))
        case .disconnection(let connection, let disconnect):
            actions.append(.disconnect(connection: connection, disconnect))
        case .dissolution:
            actions.append(.dissolve)
        }
    }
}

extension Effect {
    /// The effect as an item of `stage:<id>`.
    fileprivate var publication: Publication {
        Publication(offset: nil, data: JSONWriter.bytes(of: json))
    }
}
