package import Coordinator

/// The lines that a client writes.
package enum ClientLine {
    /// The answer to a ping.
    package static let pong: [UInt8] = Array("{}\n".utf8)

    /// One command and its line end (protocol facts: Centrifugal, commands).
    package static func encode(_ command: Coordinator.Command) -> [UInt8] {
        if command.request == .pong { return pong }
        var object = JSONObject()
        if command.id > 0 { object.append("id", .integer(command.id)) }
        let (name, fields) = members(of: command.request)
        object.append(name, .object(fields))
        return JSONWriter.bytes(of: .object(object)) + [UInt8(ascii: "\n")]
    }

    private static func members(
        of request: Coordinator.Command.Request
    ) -> (name: String, fields: JSONObject) {
        var fields = JSONObject()
        switch request {
        case .connect(let connect):
            fields.append("token", ifPresent: connect.token.map { .string($0) })
            fields.append("data", ifPresent: connect.data?.root)
            fields.append("name", ifPresent: connect.name.map { .string($0) })
            fields.append("version", ifPresent: connect.version.map { .string($0) })
            return ("connect", fields)
        case .subscribe(let subscribe): return ("subscribe", self.fields(of: subscribe))
        case .unsubscribe(let channel):
            fields.append("channel", .string(channel))
            return ("unsubscribe", fields)
        case .publish(let channel, let data):
            fields.append("channel", .string(channel))
            fields.append("data", data.root)
            return ("publish", fields)
        case .presence(let channel):
            fields.append("channel", .string(channel))
            return ("presence", fields)
        case .presenceStats(let channel):
            fields.append("channel", .string(channel))
            return ("presence_stats", fields)
        case .history(let history):
            fields.append("channel", .string(history.channel))
            if history.limit != 0 { fields.append("limit", .integer(history.limit)) }
            fields.append("since", ifPresent: history.since.map(position))
            if history.reverse { fields.append("reverse", true) }
            return ("history", fields)
        case .rpc(let method, let data):
            fields.append("method", .string(method))
            fields.append("data", ifPresent: data?.root)
            return ("rpc", fields)
        case .subRefresh(let channel):
            fields.append("channel", .string(channel))
            return ("sub_refresh", fields)
        case .send: return ("send", fields)
        case .refresh: return ("refresh", fields)
        case .ping, .pong: return ("ping", fields)
        }
    }

    private static func fields(of subscribe: Coordinator.Command.Subscribe) -> JSONObject {
        var fields = JSONObject()
        fields.append("channel", .string(subscribe.channel))
        fields.append("data", ifPresent: subscribe.data?.root)
        if let recover = subscribe.recover {
            fields.append("recover", true)
            fields.append("epoch", .string(recover.epoch))
            fields.append("offset", .integer(recover.offset))
        }
        if subscribe.joinLeave { fields.append("join_leave", true) }
        if subscribe.refusesUnrecovered { fields.append("flag", 2) }
        return fields
    }

    private static func position(_ position: StreamPosition) -> JSON {
        ["offset": .integer(position.offset), "epoch": .string(position.epoch)]
    }
}
