extension Client {
    /// Bytes of an idempotency id (contract: protocol, Methods).
    private static let idBytes = 1...64

    /// Bytes of an unknown method's name that an error repeats.
    private static let quotedBytes = 64

    /// Checks the fields of a method; what they mean is the session's decision.
    mutating func rpc(
        _ name: String, _ data: JSONDocument?, at now: Instant
    ) throws(ReplyError) -> Target {
        guard let method = Method(rawValue: name) else {
            // A name of any length would come back whole.
            let quoted = name.utf8.count > Self.quotedBytes ? "of that name" : name
            throw .methodNotFound("there is no rpc method \(quoted)")
        }
        guard let data else { throw .badRequest("rpc.data is missing") }
        let isApply = method == .apply
        if data.hasDefects {
            let outside = isApply ? data.defects(outside: ["event"]) : data.defects
            if let defect = outside.first {
                throw .badRequest("\(defect.location(from: "rpc.data")): \(defect.kind)")
            }
        }
        let fields = try RequestFields(data, path: "rpc.data")
        let text = try fields.required("session", fields.string("session"))
        guard let session = SessionID(text) else {
            throw .badRequest("rpc.data.session is not a session id")
        }
        let permission = try requirePermission(in: session)
        if method == .takeStage, permission.role != .player {
            throw Self.roleTooLow(permission, for: "player")
        }
        if isApply { try takeRate(at: now) }
        return .session(session, try call(method, fields), creates: false)
    }

    /// The methods of `rpc` (contract: protocol, Methods).
    private enum Method: String {
        case apply = "session.apply"
        case state = "session.state"
        case acknowledge = "effects.ack"
        case takeStage = "stage.take"
        case close = "session.close"
    }

    private func call(
        _ method: Method, _ fields: RequestFields
    ) throws(ReplyError) -> SessionCall {
        switch method {
        case .apply: return .apply(try application(fields))
        case .state: return .state
        case .acknowledge:
            return .acknowledge(done: try done(fields), failed: try failed(fields))
        case .takeStage: return .takeStage
        case .close: return .close
        }
    }

    private func application(
        _ fields: RequestFields
    ) throws(ReplyError) -> SessionCall.Application {
        guard let event = fields.document("event") else {
            throw .badRequest("rpc.data.event is missing")
        }
        let id = try fields.string("id")
        if let id, !Self.idBytes.contains(id.utf8.count) {
            throw .badRequest("rpc.data.id must have 1–64 bytes")
        }
        return SessionCall.Application(
            event: event, id: id, ifRev: try fields.unsigned("ifRev"))
    }

    private func done(_ fields: RequestFields) throws(ReplyError) -> [UInt64] {
        var done: [UInt64] = []
        guard let elements = try fields.array("done") else { return done }
        for element in elements {
            guard let seq = element.value.unsigned else {
                throw .badRequest("rpc.data.done[\(done.count)] must be an unsigned integer")
            }
            done.append(seq)
        }
        return done
    }

    private func failed(_ fields: RequestFields) throws(ReplyError) -> [EffectFailure] {
        var failed: [EffectFailure] = []
        guard let elements = try fields.array("failed") else { return failed }
        for element in elements {
            let failure = try RequestFields(
                element.value, path: "rpc.data.failed[\(failed.count)]")
            failed.append(
                EffectFailure(
                    seq: try failure.required("seq", failure.unsigned("seq")),
                    code: try failure.required("code", failure.string("code")),
                    message: try failure.required("message", failure.string("message"))))
        }
        return failed
    }
}
