extension ProtobufCodec {
    /// The numbers of the requests in a command, in the order in which the first one counts.
    private static let requests: [(number: UInt64, name: RequestName)] = [
        (4, .connect), (5, .subscribe), (6, .unsubscribe), (7, .publish), (8, .presence),
        (9, .presenceStats), (10, .history), (13, .rpc), (12, .send), (14, .refresh),
        (15, .subRefresh), (11, .ping),
    ]

    /// Decodes one message of a client, without its length.
    ///
    /// - Throws: ``CommandFault``; a missing field of a command whose id is known is an error reply,
    ///   everything else ends the connection.
    package static func decode(_ bytes: Span<UInt8>) throws(CommandFault) -> Command {
        let command = try ProtobufRequest(bytes)
        let id = UInt32(truncatingIfNeeded: try command.varint(1))
        guard let (number, name) = requests.first(where: { command.has($0.number) }),
            let range = try command.range(number)
        else {
            guard id == 0 else {
                throw .reply(id: id, .badRequest("the command has no known request"))
            }
            return Command(id: 0, request: .pong)
        }
        guard id > 0 || name == .send else {
            throw .disconnect(.badRequest, detail: "\(name.rawValue) without an id")
        }
        let body = bytes.extracting(range)
        let fields = try ProtobufRequest(body)
        return Command(id: id, request: try request(name, id, fields, body))
    }

    private static func request(
        _ name: RequestName, _ id: UInt32, _ fields: borrowing ProtobufRequest, _ body: Span<UInt8>
    ) throws(CommandFault) -> Command.Request {
        func channel() throws(CommandFault) -> String {
            let channel = try fields.string(1, body)
            guard !channel.isEmpty else { throw missing("channel") }
            return channel
        }
        func missing(_ field: String) -> CommandFault {
            .reply(id: id, .badRequest("\(name.rawValue).\(field) is missing"))
        }
        switch name {
        case .connect:
            return .connect(
                Command.Connect(
                    token: try fields.string(1, body).ifNotEmpty,
                    data: try data(2, id, name, fields, body),
                    name: try fields.string(4, body).ifNotEmpty,
                    version: try fields.string(5, body).ifNotEmpty))
        case .subscribe:
            let position = StreamPosition(
                epoch: try fields.string(6, body), offset: try fields.varint(7))
            let isRecovering = try fields.bool(3)
            let token = try fields.string(2, body).ifNotEmpty
            let data = try data(8, id, name, fields, body)
            return .subscribe(
                Command.Subscribe(
                    channel: try channel(), token: token, data: data,
                    recover: isRecovering ? position : nil,
                    joinLeave: try fields.bool(11),
                    refusesUnrecovered: try fields.signed(14) & 2 != 0,
                    hasTagsFilter: fields.has(13), type: try fields.signed(15)))
        case .unsubscribe: return .unsubscribe(channel: try channel())
        case .publish:
            guard try fields.signed(3) == 0 else {
                throw .reply(
                    id: id, .notAvailable("publish.type: only streams (0) are served"))
            }
            // What is no JSON ends the connection, whatever else is missing.
            let data = try fields.document(2, body)
            let channel = try channel()
            guard let data else { throw missing("data") }
            return .publish(channel: channel, data: data)
        case .presence: return .presence(channel: try channel())
        case .presenceStats: return .presenceStats(channel: try channel())
        case .history: return .history(try history(fields, body, channel: try channel()))
        case .rpc:
            let data = try fields.document(1, body)?.ifNotNull
            let method = try fields.string(2, body)
            guard !method.isEmpty else { throw missing("method") }
            return .rpc(method: method, data: data)
        case .send: return .send
        case .refresh: return .refresh(token: try fields.string(1, body).ifNotEmpty)
        case .subRefresh:
            let channel = try channel()
            return .subRefresh(
                channel: channel, token: try fields.string(2, body).ifNotEmpty)
        case .ping: return .ping
        }
    }

    /// A payload that must be without defects, as everything is outside of events.
    private static func data(
        _ number: UInt64, _ id: UInt32, _ name: RequestName,
        _ fields: borrowing ProtobufRequest, _ body: Span<UInt8>
    ) throws(CommandFault) -> JSONDocument? {
        guard let document = try fields.document(number, body)?.ifNotNull else { return nil }
        if let defect = document.defects.first {
            let place = defect.location(from: "\(name.rawValue).data")
            throw .reply(id: id, .badRequest("\(place): \(defect.kind)"))
        }
        return document
    }

    private static func history(
        _ fields: borrowing ProtobufRequest, _ body: Span<UInt8>, channel: String
    ) throws(CommandFault) -> Command.History {
        var since: StreamPosition?
        if let range = try fields.range(8) {
            let position = body.extracting(range)
            let fields = try ProtobufRequest(position)
            since = StreamPosition(
                epoch: try fields.string(2, position), offset: try fields.varint(1))
        }
        // A number of 32 bits.
        let limit = Int32(truncatingIfNeeded: try fields.signed(7))
        return Command.History(
            channel: channel, limit: Int64(limit), since: since, reverse: try fields.bool(9))
    }
}

extension String {
    fileprivate var ifNotEmpty: String? { isEmpty ? nil : self }
}

extension JSONDocument {
    /// `null` counts as absent, as in the JSON encoding.
    fileprivate var ifNotNull: JSONDocument? { isNull ? nil : self }
}
