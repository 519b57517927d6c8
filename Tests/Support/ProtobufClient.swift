package import Coordinator

/// The client's side of the Protobuf encoding, written from the protocol's field numbers and apart
/// from the server's codec (protocol facts: Centrifugal, section 13).
package enum ProtobufClient {
    /// What a server says.
    package enum Message: Equatable {
        /// The empty message, to be answered with the same.
        case ping
        /// The answer to a command.
        case reply(Reply)
        /// Something unasked.
        case push(Push)
    }

    /// What cannot be read.
    package struct Fault: Error, CustomStringConvertible {
        /// What was expected.
        package var description: String
    }

    // MARK: Commands

    /// A command behind its length.
    package static func encode(_ command: Coordinator.Command) -> [UInt8] {
        var message = ProtobufMessage()
        message.set(1, UInt64(command.id))
        switch command.request {
        case .connect(let connect):
            var fields = ProtobufMessage()
            fields.set(1, connect.token)
            fields.set(2, bytes: connect.data.map(json))
            fields.set(4, connect.name)
            fields.set(5, connect.version)
            message.set(4, fields)
        case .subscribe(let subscribe): message.set(5, encode(subscribe))
        case .unsubscribe(let name): message.set(6, channel(name))
        case .publish(let name, let data):
            var fields = channel(name)
            fields.set(2, bytes: json(data))
            message.set(7, fields)
        case .presence(let name): message.set(8, channel(name))
        case .presenceStats(let name): message.set(9, channel(name))
        case .history(let history): message.set(10, encode(history))
        case .ping: message.set(11, ProtobufMessage())
        case .send: message.set(12, ProtobufMessage())
        case .rpc(let method, let data):
            var fields = ProtobufMessage()
            fields.set(1, bytes: data.map(json))
            fields.set(2, method)
            message.set(13, fields)
        case .refresh(let token):
            var fields = ProtobufMessage()
            fields.set(1, token)
            message.set(14, fields)
        case .subRefresh(let name, let token):
            var fields = channel(name)
            fields.set(2, token)
            message.set(15, fields)
        case .pong: break
        }
        return message.prefixed
    }

    private static func encode(_ subscribe: Coordinator.Command.Subscribe) -> ProtobufMessage {
        var fields = channel(subscribe.channel)
        fields.set(2, subscribe.token)
        if let position = subscribe.recover {
            fields.set(3, true)
            fields.set(6, position.epoch)
            fields.set(7, position.offset)
        }
        fields.set(8, bytes: subscribe.data.map(json))
        fields.set(11, subscribe.joinLeave)
        if subscribe.hasTagsFilter { fields.set(13, ProtobufMessage()) }
        fields.set(14, subscribe.refusesUnrecovered ? 2 : 0)
        fields.set(15, UInt64(bitPattern: subscribe.type))
        return fields
    }

    private static func encode(_ history: Coordinator.Command.History) -> ProtobufMessage {
        var fields = channel(history.channel)
        fields.set(7, UInt64(bitPattern: history.limit))
        if let since = history.since {
            var position = ProtobufMessage()
            position.set(1, since.offset)
            position.set(2, since.epoch)
            fields.set(8, position)
        }
        fields.set(9, history.reverse)
        return fields
    }

    private static func channel(_ name: String) -> ProtobufMessage {
        var fields = ProtobufMessage()
        fields.set(1, name)
        return fields
    }

    private static func json(_ document: JSONDocument) -> [UInt8] {
        JSONWriter.bytes(of: document.root)
    }

    // MARK: Replies and pushes

    /// The messages of a binary frame.
    ///
    /// - Throws: ``Fault``.
    package static func decode(_ frame: [UInt8]) throws(Fault) -> [Message] {
        do throws(ProtobufMessage.Fault) {
            var messages: [Message] = []
            for bytes in try ProtobufMessage.messages(in: frame) {
                messages.append(bytes.isEmpty ? .ping : try message(ProtobufMessage(bytes)))
            }
            return messages
        } catch {
            throw Fault(description: "no Protobuf: \(frame.prefix(200))")
        }
    }

    private static func message(
        _ message: ProtobufMessage
    ) throws(ProtobufMessage.Fault) -> Message {
        if let fields = try message.message(4) { return .push(try push(fields)) }
        let id = UInt32(truncatingIfNeeded: message.number(1))
        return .reply(Reply(id: id, body: try body(message)))
    }

    private static func body(
        _ message: ProtobufMessage
    ) throws(ProtobufMessage.Fault) -> Reply.Body {
        if let error = try message.message(2) {
            return .error(
                ReplyError(
                    code: code(error, 1), message: error.text(2), temporary: error.flag(3)))
        }
        if let result = try message.message(5) {
            return .connect(
                .init(
                    client: result.text(1), version: result.text(2),
                    ping: UInt32(truncatingIfNeeded: result.number(7)),
                    ttl: ttl(result, expires: 3, seconds: 4)))
        }
        if let result = try message.message(6) {
            let isPositioned = result.flag(3) || result.flag(10)
            let position = StreamPosition(epoch: result.text(6), offset: result.number(9))
            return .subscribe(
                .init(
                    position: isPositioned ? position : nil, wasRecovering: result.flag(12),
                    recovered: result.flag(8),
                    publications: try result.messages(7).map(publication),
                    data: result.bytes(11), ttl: ttl(result, expires: 1, seconds: 2)))
        }
        if try message.message(7) != nil { return .unsubscribe }
        if try message.message(8) != nil { return .publish }
        if let result = try message.message(9) {
            var present: [ClientInfo] = []
            for entry in try result.messages(1) {
                guard let fields = try entry.message(2) else { throw ProtobufMessage.Fault() }
                present.append(info(fields))
            }
            return .presence(present)
        }
        if let result = try message.message(10) {
            return .presenceStats(
                clients: Int(result.number(1)), users: Int(result.number(2)))
        }
        if let result = try message.message(11) {
            return .history(
                .init(
                    position: .init(epoch: result.text(2), offset: result.number(3)),
                    publications: try result.messages(1).map(publication)))
        }
        if let result = try message.message(13) { return .rpc(data: result.bytes(1) ?? []) }
        if let result = try message.message(14) {
            return .refresh(ttl: ttl(result, expires: 3, seconds: 4))
        }
        if let result = try message.message(15) {
            return .subRefresh(ttl: ttl(result, expires: 1, seconds: 2))
        }
        throw ProtobufMessage.Fault()
    }

    /// Seconds until a token is over; nil when it is never.
    private static func ttl(_ fields: ProtobufMessage, expires: Int, seconds: Int) -> UInt32? {
        fields.flag(expires) ? code(fields, seconds) : nil
    }

    private static func push(_ fields: ProtobufMessage) throws(ProtobufMessage.Fault) -> Push {
        let channel = fields.text(2)
        if let item = try fields.message(4) {
            return .publication(channel: channel, publication(item))
        }
        if let joined = try fields.message(5)?.message(1) {
            return .join(channel: channel, info(joined))
        }
        if let left = try fields.message(6)?.message(1) {
            return .leave(channel: channel, info(left))
        }
        if let why = try fields.message(7) {
            var unsubscribe = Unsubscribe.closed
            unsubscribe.code = code(why, 2)
            unsubscribe.reason = why.text(3)
            return .unsubscribe(channel: channel, unsubscribe)
        }
        guard let why = try fields.message(11) else { throw ProtobufMessage.Fault() }
        return .disconnect(Disconnect(code: code(why, 1), reason: why.text(2)))
    }

    private static func publication(_ fields: ProtobufMessage) -> Publication {
        let offset = fields.number(6)
        return Publication(offset: offset == 0 ? nil : offset, data: fields.bytes(4) ?? [])
    }

    private static func info(_ fields: ProtobufMessage) -> ClientInfo {
        let bytes = fields.bytes(4) ?? []
        let data = (try? JSONParser.parse(bytes.span).root) ?? .null
        return ClientInfo(
            user: fields.text(1), client: fields.text(2), device: data["device"]?.string ?? "",
            role: data["role"]?.string.flatMap(Role.init(rawValue:)) ?? .observer,
            info: fields.bytes(3))
    }

    private static func code(_ fields: ProtobufMessage, _ name: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: fields.number(name))
    }
}
