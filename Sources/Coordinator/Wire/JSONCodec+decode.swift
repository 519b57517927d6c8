extension JSONCodec {
    /// Decodes one line of a client, without its end.
    ///
    /// - Throws: ``CommandFault``; a missing or mistyped field of a command whose id is known is an
    ///   error reply, everything else ends the connection.
    package static func decode(_ line: Span<UInt8>) throws(CommandFault) -> Command {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONParser.parse(line)
        } catch {
            throw .disconnect(.badRequest, detail: error.description)
        }
        guard document.kind == .object else {
            throw .disconnect(.badRequest, detail: "not an object but \(document.kindName)")
        }
        let id = try id(of: document)
        if document.hasDefects, document.defects.contains(where: { $0.path == ["id"] }) {
            throw .disconnect(.badRequest, detail: "the id is doubled")
        }
        let name = RequestName.allCases.first { name in
            document.tape.present(name.rawValue, of: document.place) != nil
        }
        guard let name else {
            guard id == 0 else {
                throw .reply(id: id, .badRequest("the command has no known request"))
            }
            if let defect = document.defects.first {
                throw .disconnect(.badRequest, detail: "\(defect.kind)")
            }
            return Command(id: 0, request: .pong)
        }
        guard id > 0 || name == .send else {
            throw .disconnect(.badRequest, detail: "\(name.rawValue) without an id")
        }
        do throws(ReplyError) {
            let fields = try RequestFields(document, request: name)
            return Command(id: id, request: try request(name, fields))
        } catch {
            // Only `send` may come without an id, and then there is nothing to answer.
            guard id > 0 else { throw .disconnect(.badRequest, detail: error.message) }
            throw .reply(id: id, error)
        }
    }

    private static func id(of object: JSONDocument) throws(CommandFault) -> UInt32 {
        guard let place = object.tape.present("id", of: object.place) else { return 0 }
        guard let number = object.tape.unsigned(at: place), let id = UInt32(exactly: number) else {
            throw .disconnect(.badRequest, detail: "id is not an unsigned 32-bit integer")
        }
        return id
    }

    private static func request(
        _ name: RequestName, _ fields: RequestFields
    ) throws(ReplyError) -> Command.Request {
        switch name {
        case .connect:
            return .connect(
                Command.Connect(
                    token: try fields.string("token"), data: fields.document("data"),
                    name: try fields.string("name"), version: try fields.string("version")))
        case .subscribe: return .subscribe(try subscribe(fields))
        case .unsubscribe: return .unsubscribe(channel: try fields.channel())
        case .publish:
            guard try fields.signed("type") ?? 0 == 0 else {
                throw .notAvailable("publish.type: only streams (0) are served")
            }
            return .publish(
                channel: try fields.channel(), data: try fields.requiredDocument("data"))
        case .presence: return .presence(channel: try fields.channel())
        case .presenceStats: return .presenceStats(channel: try fields.channel())
        case .history: return .history(try history(fields))
        case .rpc:
            return .rpc(
                method: try fields.required("method", fields.string("method")),
                data: fields.document("data"))
        case .send: return .send
        case .refresh: return .refresh(token: try fields.string("token"))
        case .subRefresh:
            return .subRefresh(
                channel: try fields.channel(), token: try fields.string("token"))
        case .ping: return .ping
        }
    }

    private static func subscribe(
        _ fields: RequestFields
    ) throws(ReplyError) -> Command.Subscribe {
        let position = StreamPosition(
            epoch: try fields.string("epoch") ?? "", offset: try fields.unsigned("offset") ?? 0)
        let isRecovering = try fields.bool("recover") ?? false
        return Command.Subscribe(
            channel: try fields.channel(), token: try fields.string("token"),
            data: fields.document("data"),
            recover: isRecovering ? position : nil,
            joinLeave: try fields.bool("join_leave") ?? false,
            refusesUnrecovered: (try fields.signed("flag") ?? 0) & 2 != 0,
            hasTagsFilter: fields.has("tf"), type: try fields.signed("type") ?? 0)
    }

    private static func history(_ fields: RequestFields) throws(ReplyError) -> Command.History {
        var since: StreamPosition?
        if let position = try fields.nested("since") {
            since = StreamPosition(
                epoch: try position.string("epoch") ?? "",
                offset: try position.unsigned("offset") ?? 0)
        }
        return Command.History(
            channel: try fields.channel(), limit: try fields.signed("limit") ?? 0, since: since,
            reverse: try fields.bool("reverse") ?? false)
    }
}
