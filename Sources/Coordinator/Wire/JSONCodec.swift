/// The JSON encoding of the message model: one object a line.
///
/// Zero values are left out, results never are (protocol facts: Centrifugal, framing).
package enum JSONCodec {
    /// A server ping, and a client's pong.
    package static let ping: [UInt8] = Array("{}\n".utf8)

    /// Adds a reply and its line end.
    package static func encode(_ reply: Reply, into bytes: inout [UInt8]) {
        var writer = JSONWriter(takingOver: &bytes)
        writer.raw("{\"id\":")
        writer.integer(reply.id)
        writer.raw(",")
        writer.body(reply.body)
        writer.raw("}\n")
        bytes = writer.bytes
    }

    /// Adds an error that answers no command, and its line end.
    package static func encode(_ error: ReplyError, into bytes: inout [UInt8]) {
        var writer = JSONWriter(takingOver: &bytes)
        writer.raw("{")
        writer.body(.error(error))
        writer.raw("}\n")
        bytes = writer.bytes
    }

    /// About as many bytes as a push has, for the memory that it needs.
    package static func sizeHint(of push: Push) -> Int {
        switch push {
        case .publication(let channel, let publication):
            publication.data.count + channel.utf8.count + 80
        case .join, .leave, .unsubscribe, .disconnect: 256
        }
    }

    /// Adds a push and its line end.
    package static func encode(_ push: Push, into bytes: inout [UInt8]) {
        var writer = JSONWriter(takingOver: &bytes)
        writer.raw("{\"push\":{")
        switch push {
        case .publication(let channel, let publication):
            writer.channel(channel)
            writer.raw(",\"pub\":")
            writer.publication(publication)
        case .join(let channel, let info):
            writer.channel(channel)
            writer.raw(",\"join\":{\"info\":")
            writer.info(info)
            writer.raw("}")
        case .leave(let channel, let info):
            writer.channel(channel)
            writer.raw(",\"leave\":{\"info\":")
            writer.info(info)
            writer.raw("}")
        case .unsubscribe(let channel, let unsubscribe):
            writer.channel(channel)
            writer.raw(",\"unsubscribe\":")
            writer.code(unsubscribe.code, unsubscribe.reason)
        case .disconnect(let disconnect):
            writer.raw("\"disconnect\":")
            writer.code(disconnect.code, disconnect.reason)
        }
        writer.raw("}}\n")
        bytes = writer.bytes
    }
}

extension ClientInfo {
    /// What a channel's presence says of the device beside its ids.
    var channelInfo: JSON { ["device": .string(device), "role": .string(role.rawValue)] }
}

extension JSONWriter {
    fileprivate mutating func channel(_ name: String) {
        raw("\"channel\":")
        string(name)
    }

    fileprivate mutating func code(_ code: UInt32, _ reason: String) {
        raw("{\"code\":")
        integer(code)
        raw(",\"reason\":")
        string(reason)
        raw("}")
    }

    /// The entry as a presence and a join show it.
    fileprivate mutating func info(_ info: ClientInfo) {
        raw("{\"user\":")
        string(info.user)
        raw(",\"client\":")
        string(info.client)
        if let shown = info.info {
            raw(",\"conn_info\":")
            raw(shown)
        }
        raw(",\"chan_info\":")
        write(info.channelInfo)
        raw("}")
    }

    fileprivate mutating func publication(_ publication: Publication) {
        raw("{\"data\":")
        raw(publication.data)
        if let offset = publication.offset, offset > 0 {
            raw(",\"offset\":")
            integer(offset)
        }
        raw("}")
    }

    fileprivate mutating func publications(_ publications: [Publication]) {
        raw("[")
        for (index, item) in publications.enumerated() {
            if index > 0 { raw(",") }
            publication(item)
        }
        raw("]")
    }

    fileprivate mutating func body(_ body: Reply.Body) {
        switch body {
        case .error(let error):
            raw("\"error\":{\"code\":")
            integer(error.code)
            raw(",\"message\":")
            string(error.message)
            if error.temporary { raw(",\"temporary\":true") }
            raw("}")
        case .connect(let result): connect(result)
        case .subscribe(let result): subscribe(result)
        case .unsubscribe: raw("\"unsubscribe\":{}")
        case .publish: raw("\"publish\":{}")
        case .presence(let clients):
            raw("\"presence\":{\"presence\":{")
            for (index, client) in clients.enumerated() {
                if index > 0 { raw(",") }
                string(client.client)
                raw(":")
                info(client)
            }
            raw("}}")
        case .presenceStats(let clients, let users):
            raw("\"presence_stats\":{\"num_clients\":")
            integer(clients)
            raw(",\"num_users\":")
            integer(users)
            raw("}")
        case .history(let result):
            raw("\"history\":{\"publications\":")
            publications(result.publications)
            raw(",\"epoch\":")
            string(result.position.epoch)
            raw(",\"offset\":")
            integer(result.position.offset)
            raw("}")
        case .rpc(let data):
            raw("\"rpc\":{")
            if !data.isEmpty {
                raw("\"data\":")
                raw(data)
            }
            raw("}")
        case .refresh(let ttl):
            raw("\"refresh\":{")
            expiry(ttl)
            raw("}")
        case .subRefresh(let ttl):
            raw("\"sub_refresh\":{")
            expiry(ttl)
            raw("}")
        }
    }

    /// When a token is over, if it ever is.
    @discardableResult
    private mutating func expiry(_ ttl: UInt32?) -> Bool {
        guard let ttl else { return false }
        raw("\"expires\":true,\"ttl\":")
        integer(ttl)
        return true
    }

    private mutating func connect(_ result: Reply.Connect) {
        raw("\"connect\":{\"client\":")
        string(result.client)
        raw(",\"version\":")
        string(result.version)
        if result.ttl != nil {
            raw(",")
            expiry(result.ttl)
        }
        if result.ping > 0 {
            raw(",\"ping\":")
            integer(result.ping)
            raw(",\"pong\":true")
        }
        raw("}")
    }

    private mutating func subscribe(_ result: Reply.Subscribe) {
        raw("\"subscribe\":{")
        var separator: StaticString = expiry(result.ttl) ? "," : ""
        if let position = result.position {
            raw(separator)
            raw("\"recoverable\":true,\"positioned\":true,\"epoch\":")
            string(position.epoch)
            raw(",\"offset\":")
            integer(position.offset)
            separator = ","
        }
        if result.recovered {
            raw(separator)
            raw("\"recovered\":true")
            separator = ","
        }
        if result.wasRecovering {
            raw(separator)
            raw("\"was_recovering\":true")
            separator = ","
        }
        if !result.publications.isEmpty {
            raw(separator)
            raw("\"publications\":")
            publications(result.publications)
            separator = ","
        }
        if let data = result.data {
            raw(separator)
            raw("\"data\":")
            raw(data)
        }
        raw("}")
    }
}
