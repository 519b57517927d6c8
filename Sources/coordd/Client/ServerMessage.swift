package import Coordinator

/// What a server says on one line.
package enum ServerMessage: Sendable, Equatable {
    /// The empty object, to be answered with the same.
    case ping
    /// The answer to a command.
    case reply(Reply)
    /// Something unasked.
    case push(Push)
    /// An error that answers no command; the connection ends.
    case error(ReplyError)
    /// A push of a kind that is not known here, to be passed over.
    case unknown
}

/// A line of a server that is not the protocol.
package struct ServerMessageFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was expected.
    package var description: String
}

extension ServerMessage {
    /// Levels of a line: those of a client's line, and what the server puts around it.
    private static let maximumDepth = JSONParser.maximumDepth + 8

    /// Decodes one line without its end (protocol facts: Centrifugal, envelope).
    ///
    /// Written apart from the daemon's codec, as ``Fold`` is: it reads what the protocol says, not
    /// what the daemon's encoder writes.
    ///
    /// - Throws: ``ServerMessageFault`` for anything that the protocol does not know.
    package init(line: Span<UInt8>) throws(ServerMessageFault) {
        let root: JSON
        do throws(JSONError) {
            root = try JSONParser.parse(line, maximumDepth: Self.maximumDepth).root
        } catch {
            throw ServerMessageFault(description: error.description)
        }
        guard let object = root.object else {
            throw ServerMessageFault(description: "not an object but \(root.kindName)")
        }
        if object.isEmpty {
            self = .ping
        } else if let push = object["push"] {
            self = try Self.push(push).map { .push($0) } ?? .unknown
        } else if let id = object["id"]?.number?.unsigned.flatMap(UInt32.init(exactly:)), id > 0 {
            self = .reply(Reply(id: id, body: try Self.body(object)))
        } else if let error = object["error"] {
            self = .error(try Self.error(error))
        } else {
            throw ServerMessageFault(description: "neither a reply nor a push")
        }
    }

    private static func body(_ object: JSONObject) throws(ServerMessageFault) -> Reply.Body {
        if let error = object["error"] { return .error(try self.error(error)) }
        if let result = object["connect"] {
            guard let client = result["client"]?.string else { throw missing("connect.client") }
            let ping = result["ping"]?.number?.unsigned ?? 0
            return .connect(
                .init(
                    client: client, version: result["version"]?.string ?? "",
                    ping: UInt32(clamping: ping)))
        }
        if let result = object["subscribe"] { return .subscribe(try subscribe(result)) }
        if let result = object["rpc"] {
            // A result that is absent is null.
            return .rpc(data: JSONWriter.bytes(of: result["data"] ?? .null))
        }
        if let result = object["history"] {
            return .history(
                .init(position: position(result), publications: try publications(result)))
        }
        if object["publish"] != nil { return .publish }
        if object["unsubscribe"] != nil { return .unsubscribe }
        throw missing("a result that was asked for")
    }

    private static func error(_ value: JSON) throws(ServerMessageFault) -> ReplyError {
        guard let code = value["code"]?.number?.unsigned.flatMap(UInt32.init(exactly:)),
            let message = value["message"]?.string
        else { throw missing("error.code or error.message") }
        return ReplyError(
            code: code, message: message, temporary: value["temporary"]?.bool ?? false)
    }

    private static func subscribe(_ value: JSON) throws(ServerMessageFault) -> Reply.Subscribe {
        var position: StreamPosition?
        if value["positioned"]?.bool == true || value["recoverable"]?.bool == true {
            position = Self.position(value)
        }
        return Reply.Subscribe(
            position: position, wasRecovering: value["was_recovering"]?.bool ?? false,
            recovered: value["recovered"]?.bool ?? false, publications: try publications(value),
            data: value["data"].map(JSONWriter.bytes(of:)))
    }

    private static func position(_ value: JSON) -> StreamPosition {
        StreamPosition(
            epoch: value["epoch"]?.string ?? "", offset: value["offset"]?.number?.unsigned ?? 0)
    }

    private static func publications(_ value: JSON) throws(ServerMessageFault) -> [Publication] {
        var publications: [Publication] = []
        for item in value["publications"]?.array ?? [] {
            publications.append(try publication(item))
        }
        return publications
    }

    private static func publication(_ value: JSON) throws(ServerMessageFault) -> Publication {
        guard let data = value["data"] else { throw missing("pub.data") }
        let offset = value["offset"]?.number?.unsigned
        return Publication(offset: offset == 0 ? nil : offset, data: JSONWriter.bytes(of: data))
    }

    private static func push(_ value: JSON) throws(ServerMessageFault) -> Push? {
        let channel = value["channel"]?.string ?? ""
        if let item = value["pub"] {
            return .publication(channel: channel, try publication(item))
        }
        if let info = value["join"]?["info"] {
            return .join(channel: channel, try clientInfo(info))
        }
        if let info = value["leave"]?["info"] {
            return .leave(channel: channel, try clientInfo(info))
        }
        if let why = value["unsubscribe"] {
            let (code, reason) = try codeAndReason(why)
            var unsubscribe = Unsubscribe.closed
            unsubscribe.code = code
            unsubscribe.reason = reason
            return .unsubscribe(channel: channel, unsubscribe)
        }
        if let why = value["disconnect"] {
            let (code, reason) = try codeAndReason(why)
            return .disconnect(Disconnect(code: code, reason: reason))
        }
        return nil
    }

    private static func clientInfo(_ value: JSON) throws(ServerMessageFault) -> ClientInfo {
        guard let client = value["client"]?.string else { throw missing("info.client") }
        let role = value["chan_info"]?["role"]?.string.flatMap(Role.init(rawValue:))
        return ClientInfo(
            user: value["user"]?.string ?? "", client: client,
            device: value["chan_info"]?["device"]?.string ?? "", role: role ?? .mirror)
    }

    private static func codeAndReason(
        _ value: JSON
    ) throws(ServerMessageFault) -> (UInt32, String) {
        guard let code = value["code"]?.number?.unsigned.flatMap(UInt32.init(exactly:)),
            let reason = value["reason"]?.string
        else { throw missing("code or reason") }
        return (code, reason)
    }

    private static func missing(_ what: String) -> ServerMessageFault {
        ServerMessageFault(description: "\(what) is missing")
    }
}
