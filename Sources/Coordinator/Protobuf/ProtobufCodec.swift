/// The Protobuf encoding of the message model: each message behind its length (protocol facts:
/// Centrifugal, Protobuf encoding).
///
/// The field numbers are the protocol's; payloads are the same JSON texts as in the JSON encoding.
package enum ProtobufCodec {
    /// A server ping, and a client's pong: an empty message.
    package static let ping: [UInt8] = [0]

    /// Adds a reply behind its length.
    package static func encode(_ reply: Reply, into bytes: inout [UInt8]) {
        delimited(into: &bytes) { output in
            output.number(1, UInt64(reply.id))
            output.body(reply.body)
        }
    }

    /// Adds an error that answers no command, behind its length.
    package static func encode(_ error: ReplyError, into bytes: inout [UInt8]) {
        delimited(into: &bytes) { $0.body(.error(error)) }
    }

    /// Adds a push behind its length.
    package static func encode(_ push: Push, into bytes: inout [UInt8]) {
        delimited(into: &bytes) { output in
            output.message(4) { $0.push(push) }
        }
    }

    private static func delimited(
        into bytes: inout [UInt8], _ write: (inout ProtobufOutput) -> Void
    ) {
        var output = ProtobufOutput(takingOver: &bytes)
        output.delimited(write)
        bytes = output.bytes
    }
}

extension ProtobufOutput {
    fileprivate mutating func push(_ push: Push) {
        switch push {
        case .publication(let channel, let publication):
            text(2, channel)
            message(4) { $0.publication(publication) }
        case .join(let channel, let info):
            text(2, channel)
            message(5) { $0.message(1) { $0.info(info) } }
        case .leave(let channel, let info):
            text(2, channel)
            message(6) { $0.message(1) { $0.info(info) } }
        case .unsubscribe(let channel, let unsubscribe):
            text(2, channel)
            message(7) { $0.code(unsubscribe.code, unsubscribe.reason, from: 2) }
        case .disconnect(let disconnect):
            message(11) { $0.code(disconnect.code, disconnect.reason, from: 1) }
        }
    }

    /// The two messages number their fields differently (protocol facts: Centrifugal, section 13).
    private mutating func code(_ code: UInt32, _ reason: String, from number: Int) {
        self.number(number, UInt64(code))
        text(number + 1, reason)
    }

    private mutating func publication(_ publication: Publication) {
        data(4, publication.data)
        number(6, publication.offset ?? 0)
    }

    private mutating func info(_ info: ClientInfo) {
        text(1, info.user)
        text(2, info.client)
        if let shown = info.info { data(3, shown) }
        data(4, JSONWriter.bytes(of: info.channelInfo))
    }

    fileprivate mutating func body(_ body: Reply.Body) {
        switch body {
        case .error(let error):
            message(2) { output in
                output.number(1, UInt64(error.code))
                output.text(2, error.message)
                output.bool(3, error.temporary)
            }
        case .connect(let result):
            message(5) { output in
                output.text(1, result.client)
                output.text(2, result.version)
                output.bool(3, result.ttl != nil)
                output.number(4, UInt64(result.ttl ?? 0))
                output.number(7, UInt64(result.ping))
                output.bool(8, result.ping > 0)
            }
        case .subscribe(let result): message(6) { $0.subscribe(result) }
        case .unsubscribe: message(7) { _ in }
        case .publish: message(8) { _ in }
        case .presence(let clients):
            message(9) { output in
                for info in clients {
                    output.message(1) { entry in
                        entry.text(1, info.client)
                        entry.message(2) { $0.info(info) }
                    }
                }
            }
        case .presenceStats(let clients, let users):
            message(10) { output in
                output.number(1, UInt64(clients))
                output.number(2, UInt64(users))
            }
        case .history(let result):
            message(11) { output in
                for publication in result.publications {
                    output.message(1) { $0.publication(publication) }
                }
                output.text(2, result.position.epoch)
                output.number(3, result.position.offset)
            }
        case .rpc(let data): message(13) { $0.data(1, data) }
        case .refresh(let ttl):
            message(14) { output in
                output.bool(3, ttl != nil)
                output.number(4, UInt64(ttl ?? 0))
            }
        case .subRefresh(let ttl):
            message(15) { output in
                output.bool(1, ttl != nil)
                output.number(2, UInt64(ttl ?? 0))
            }
        }
    }

    private mutating func subscribe(_ result: Reply.Subscribe) {
        bool(1, result.ttl != nil)
        number(2, UInt64(result.ttl ?? 0))
        if let position = result.position {
            bool(3, true)
            text(6, position.epoch)
        }
        for publication in result.publications {
            message(7) { $0.publication(publication) }
        }
        bool(8, result.recovered)
        if let position = result.position {
            number(9, position.offset)
            bool(10, true)
        }
        if let data = result.data { self.data(11, data) }
        bool(12, result.wasRecovering)
    }
}
