/// The client's side of the encoding, for the tools and the tests.
extension JSONCodec {
    /// Adds a command and its line end; fields with zero values are left out.
    package static func encode(_ command: Command, into bytes: inout [UInt8]) {
        var line = JSONObject()
        if command.id > 0 { line.append("id", .integer(command.id)) }
        if let (name, fields) = command.request.encoded {
            line.append(name.rawValue, .object(fields))
        }
        var writer = JSONWriter(takingOver: &bytes)
        writer.write(line)
        writer.raw("\n")
        bytes = writer.bytes
    }

    /// Decodes one line of a server, without its end.
    ///
    /// - Throws: ``JSONError`` when it is not JSON (snapshots may be nested deeper than commands) or
    ///   no message of the protocol.
    package static func decodeServerMessage(
        _ line: Span<UInt8>
    ) throws(JSONError) -> ServerMessage {
        let root = try JSONParser.parse(line, maximumDepth: maximumServerDepth).root
        guard let message = root.object else { throw .message("an object is expected") }
        if let push = message["push"] { return try ServerMessage(push: push) }
        if let error = message["error"] {
            return .failure(id: try message.id, try ReplyError(json: error))
        }
        guard let result = message.members.first(where: { $0.key != "id" }) else {
            guard message.isEmpty else { throw .message("a reply has no result") }
            return .ping
        }
        return .reply(id: try message.id, kind: result.key, result: result.value)
    }

    /// Levels of what the server sends: an event of 32 levels lies a few deep in its publication.
    private static let maximumServerDepth = 64
}

extension JSONError {
    fileprivate static func message(_ what: String) -> JSONError {
        JSONError(kind: .syntax, message: what, offset: 0)
    }
}

extension JSONObject {
    fileprivate var id: UInt32 {
        get throws(JSONError) {
            guard let value = self["id"] else { return 0 }
            guard let number = value.number?.unsigned, let id = UInt32(exactly: number) else {
                throw .message("an id is expected")
            }
            return id
        }
    }

    fileprivate mutating func append(_ key: String, unlessEmpty text: String) {
        if !text.isEmpty { append(key, .string(text)) }
    }

    fileprivate mutating func append(_ key: String, ifTrue truth: Bool) {
        if truth { append(key, true) }
    }

    fileprivate mutating func append(_ key: String, unlessZero number: some BinaryInteger) {
        if number != 0 { append(key, .integer(number)) }
    }

    fileprivate mutating func append(_ position: StreamPosition) {
        append("epoch", unlessEmpty: position.epoch)
        append("offset", unlessZero: position.offset)
    }
}

extension ReplyError {
    fileprivate init(json: JSON) throws(JSONError) {
        guard let number = json["code"]?.number?.unsigned, let code = UInt32(exactly: number),
            let message = json["message"]?.string
        else { throw .message("an error needs a code and a message") }
        self.init(code: code, message: message, temporary: json["temporary"]?.bool ?? false)
    }
}

extension JSONCodec.ServerMessage {
    fileprivate init(push: JSON) throws(JSONError) {
        guard let fields = push.object else { throw .message("a push must be an object") }
        guard let payload = fields.members.first(where: { $0.key != "channel" }) else {
            throw .message("a push has no payload")
        }
        self = .push(
            channel: fields["channel"]?.string, kind: payload.key, payload: payload.value)
    }
}

extension Command.Request {
    /// The request's name and fields; nil for the pong.
    fileprivate var encoded: (RequestName, JSONObject)? {
        var fields = JSONObject()
        switch self {
        case .connect(let request):
            fields.append("token", ifPresent: request.token.map { .string($0) })
            fields.append("data", ifPresent: request.data?.root)
            fields.append("name", ifPresent: request.name.map { .string($0) })
            fields.append("version", ifPresent: request.version.map { .string($0) })
            return (.connect, fields)
        case .subscribe(let request): return (.subscribe, request.encoded)
        case .unsubscribe(let channel):
            fields.append("channel", .string(channel))
            return (.unsubscribe, fields)
        case .publish(let channel, let data):
            fields.append("channel", .string(channel))
            fields.append("data", data.root)
            return (.publish, fields)
        case .presence(let channel):
            fields.append("channel", .string(channel))
            return (.presence, fields)
        case .presenceStats(let channel):
            fields.append("channel", .string(channel))
            return (.presenceStats, fields)
        case .history(let request): return (.history, request.encoded)
        case .rpc(let method, let data):
            fields.append("method", .string(method))
            fields.append("data", ifPresent: data?.root)
            return (.rpc, fields)
        case .send: return (.send, fields)
        case .refresh(let token):
            fields.append("token", ifPresent: token.map { .string($0) })
            return (.refresh, fields)
        case .subRefresh(let channel, let token):
            fields.append("channel", .string(channel))
            fields.append("token", ifPresent: token.map { .string($0) })
            return (.subRefresh, fields)
        case .ping: return (.ping, fields)
        case .pong: return nil
        }
    }
}

extension Command.Subscribe {
    fileprivate var encoded: JSONObject {
        var fields = JSONObject()
        fields.append("channel", .string(channel))
        fields.append("token", ifPresent: token.map { .string($0) })
        fields.append("data", ifPresent: data?.root)
        if let recover {
            fields.append("recover", true)
            fields.append(recover)
        }
        fields.append("join_leave", ifTrue: joinLeave)
        if refusesUnrecovered { fields.append("flag", 2) }
        if hasTagsFilter { fields.append("tf", [:]) }
        fields.append("type", unlessZero: type)
        return fields
    }
}

extension Command.History {
    fileprivate var encoded: JSONObject {
        var fields = JSONObject()
        fields.append("channel", .string(channel))
        fields.append("limit", unlessZero: limit)
        if let since {
            var position = JSONObject()
            position.append(since)
            fields.append("since", .object(position))
        }
        fields.append("reverse", ifTrue: reverse)
        return fields
    }
}
