import Coordinator
import Testing

/// The Protobuf encoding, byte by byte: `tag = number << 3 | wire type`, lengths before contents.
@Suite struct ProtobufCodecTests {
    private func encoded(_ body: Reply.Body, id: UInt32 = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufCodec.encode(Reply(id: id, body: body), into: &bytes)
        return bytes
    }

    private func encoded(_ push: Push) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufCodec.encode(push, into: &bytes)
        return bytes
    }

    /// A field of bytes: tag, length, contents.
    private func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(content.count)] + content
    }

    private func field(_ number: UInt8, _ text: String) -> [UInt8] {
        field(number, Array(text.utf8))
    }

    private func decoded(_ bytes: [UInt8]) throws(CommandFault) -> Command {
        try ProtobufCodec.decode(bytes.span)
    }

    // MARK: What the server sends

    @Test func `results are there also when they are empty`() {
        // id 5 is 08 05; unsubscribe is field 7: 3A 00.
        #expect(encoded(.unsubscribe, id: 5) == [4, 0x08, 5, 0x3A, 0])
        #expect(encoded(.publish, id: 300) == [5, 0x08, 0xAC, 0x02, 0x42, 0])
        #expect(encoded(.rpc(data: [])) == [4, 0x08, 1, 0x6A, 0])
    }

    @Test func `an error has code, message and whether to retry`() {
        let error = field(2, [0x08, 111] + field(2, "too many requests: x") + [0x18, 1])
        let content = [0x08, 1] + error
        #expect(
            encoded(.error(.tooManyRequests("x"))) == [UInt8(content.count)] + content)
    }

    @Test func `a connect result`() {
        let result = field(1, "c1") + field(2, "v") + [0x38, 25, 0x40, 1]
        let content = [0x08, 1] + field(5, result)
        #expect(
            encoded(.connect(Reply.Connect(client: "c1", version: "v", ping: 25)))
                == [UInt8(content.count)] + content)
    }

    @Test func `a subscribe result with its position, publications and snapshot`() {
        let publication = field(4, "{}") + [0x30, 7]
        let result =
            [0x18, 1] + field(6, "ep") + field(7, publication) + [0x40, 1, 0x48, 6, 0x50, 1]
            + field(11, "[]") + [0x60, 1]
        let content = [0x08, 1] + field(6, result)
        let subscribe = Reply.Subscribe(
            position: StreamPosition(epoch: "ep", offset: 6), wasRecovering: true, recovered: true,
            publications: [Publication(offset: 7, data: Array("{}".utf8))], data: Array("[]".utf8))
        #expect(encoded(.subscribe(subscribe)) == [UInt8(content.count)] + content)
    }

    @Test func `a subscribe result of a stage has no position`() {
        let content = [0x08, 1] + field(6, field(11, "[]"))
        let subscribe = Reply.Subscribe(position: nil, data: Array("[]".utf8))
        #expect(encoded(.subscribe(subscribe)) == [UInt8(content.count)] + content)
    }

    @Test func `how long tokens count, and what they show`() {
        #expect(
            encoded(.refresh(ttl: 110), id: 3)
                == [8, 0x08, 3, 0x72, 4, 0x18, 1, 0x20, 110])
        #expect(encoded(.refresh(ttl: nil), id: 3) == [4, 0x08, 3, 0x72, 0])
        #expect(
            encoded(.subRefresh(ttl: 300), id: 3)
                == [9, 0x08, 3, 0x7A, 5, 0x08, 1, 0x10, 0xAC, 0x02])
        let connect = field(1, "c") + field(2, "v") + [0x18, 1, 0x20, 60]
        let connected = [0x08, 1] + field(5, connect)
        #expect(
            encoded(.connect(Reply.Connect(client: "c", version: "v", ping: 0, ttl: 60)))
                == [UInt8(connected.count)] + connected)
        let subscribed = [0x08, 1] + field(6, [0x08, 1, 0x10, 60] + field(11, "[]"))
        let subscribe = Reply.Subscribe(position: nil, data: Array("[]".utf8), ttl: 60)
        #expect(encoded(.subscribe(subscribe)) == [UInt8(subscribed.count)] + subscribed)
        let info =
            field(1, "ann") + field(2, "c") + field(3, "{}")
            + field(4, #"{"device":"d","role":"mirror"}"#)
        let join = field(4, field(2, "session:a") + field(5, field(1, info)))
        let client = ClientInfo(
            user: "ann", client: "c", device: "d", role: .mirror, info: Array("{}".utf8))
        #expect(encoded(.join(channel: "session:a", client)) == [UInt8(join.count)] + join)
    }

    @Test func `presence, its numbers and history`() {
        let info = field(2, "c") + field(4, #"{"device":"d","role":"mirror"}"#)
        let presence = [0x08, 1] + field(9, field(1, field(1, "c") + field(2, info)))
        let client = ClientInfo(client: "c", device: "d", role: .mirror)
        #expect(encoded(.presence([client])) == [UInt8(presence.count)] + presence)
        #expect(
            encoded(.presenceStats(clients: 2, users: 1)) == [
                8, 0x08, 1, 0x52, 4, 0x08, 2, 0x10, 1,
            ])
        let history =
            [0x08, 1] + field(11, field(1, field(4, "1") + [0x30, 2]) + field(2, "e") + [0x18, 2])
        let result = Reply.History(
            position: StreamPosition(epoch: "e", offset: 2),
            publications: [Publication(offset: 2, data: [UInt8(ascii: "1")])])
        #expect(encoded(.history(result)) == [UInt8(history.count)] + history)
    }

    @Test func `a push is field 4 of a reply without an id`() {
        let pub = field(4, field(2, "session:a") + field(4, field(4, "{}") + [0x30, 0x80, 0x01]))
        #expect(
            encoded(
                .publication(
                    channel: "session:a", Publication(offset: 128, data: Array("{}".utf8))))
                == [UInt8(pub.count)] + pub)
        let signal = field(4, field(2, "stage:a") + field(4, field(4, "{}")))
        #expect(
            encoded(
                .publication(channel: "stage:a", Publication(offset: nil, data: Array("{}".utf8))))
                == [UInt8(signal.count)] + signal)
        let gone = field(
            4, field(2, "session:a") + field(7, [0x10, 0xD0, 0x0F] + field(3, "session closed")))
        #expect(
            encoded(.unsubscribe(channel: "session:a", .closed)) == [UInt8(gone.count)] + gone)
        let end = field(4, field(11, [0x08, 0xB9, 0x17] + field(2, "shutdown")))
        #expect(encoded(.disconnect(.shutdown)) == [UInt8(end.count)] + end)
    }

    @Test func `a length over 127 takes two bytes at every level`() {
        let data = [UInt8](repeating: UInt8(ascii: "1"), count: 200)
        let bytes = encoded(.publication(channel: "c", Publication(offset: nil, data: data)))
        // data 3+200, publication 203, push 3+3+203, reply 3+209: 212 = 0xD4 0x01.
        let head: [UInt8] = [
            0xD4, 0x01, 0x22, 0xD1, 0x01, 0x12, 1, UInt8(ascii: "c"), 0x22, 0xCB, 0x01, 0x22, 0xC8,
            0x01,
        ]
        #expect(bytes == head + data)
    }

    // MARK: What a client sends

    @Test func `a ping's answer is an empty message`() throws {
        #expect(try decoded([]) == Command(id: 0, request: .pong))
        #expect(ProtobufCodec.ping == [0])
    }

    @Test func `a connect`() throws {
        let request =
            field(1, "t") + field(2, #"{"device":"tv"}"#) + field(4, "swift") + field(5, "1")
        #expect(
            try decoded([0x08, 1] + field(4, request))
                == Command(
                    id: 1,
                    request: .connect(
                        Command.Connect(
                            token: "t", data: JSONDocument(root: ["device": "tv"]), name: "swift",
                            version: "1"))))
    }

    @Test func `a subscribe with everything`() throws {
        let request =
            field(1, "session:a") + [0x18, 1] + field(6, "ep") + [0x38, 0xAC, 0x02]
            + field(8, #"{"role":"observer"}"#) + [0x48, 1, 0x50, 1, 0x58, 1, 0x70, 3]
        #expect(
            try decoded([0x08, 2] + field(5, request))
                == Command(
                    id: 2,
                    request: .subscribe(
                        Command.Subscribe(
                            channel: "session:a", data: JSONDocument(root: ["role": "observer"]),
                            recover: StreamPosition(epoch: "ep", offset: 300), joinLeave: true,
                            refusesUnrecovered: true))))
    }

    @Test func `the other requests`() throws {
        let cases: [([UInt8], Command.Request)] = [
            (field(6, field(1, "session:a")), .unsubscribe(channel: "session:a")),
            (
                field(7, field(1, "session:a") + field(2, "null")),
                .publish(channel: "session:a", data: JSONDocument(root: .null))
            ),
            (field(8, field(1, "session:a")), .presence(channel: "session:a")),
            (field(9, field(1, "session:a")), .presenceStats(channel: "session:a")),
            (
                field(
                    10,
                    field(1, "session:a") + [0x38] + [UInt8](repeating: 0xFF, count: 9) + [0x01]
                        + field(8, [0x08, 9] + field(2, "e")) + [0x48, 1]),
                .history(
                    Command.History(
                        channel: "session:a", limit: -1,
                        since: StreamPosition(epoch: "e", offset: 9), reverse: true))
            ),
            (field(11, []), .ping), (field(12, field(1, "1")), .send),
            (
                field(13, field(1, "[1]") + field(2, "m")),
                .rpc(method: "m", data: JSONDocument(root: [1]))
            ),
            (field(13, field(2, "m")), .rpc(method: "m", data: nil)),
            (field(14, []), .refresh(token: nil)), (field(14, field(1, "t")), .refresh(token: "t")),
            (
                field(5, field(1, "c") + field(2, "t")),
                .subscribe(Command.Subscribe(channel: "c", token: "t"))
            ),
            (field(15, field(1, "c")), .subRefresh(channel: "c", token: nil)),
            (field(15, field(1, "c") + field(2, "t")), .subRefresh(channel: "c", token: "t")),
        ]
        for (bytes, request) in cases {
            #expect(try decoded([0x08, 3] + bytes) == Command(id: 3, request: request))
        }
    }

    @Test func `the first request in the protocol's order counts, and of a field the last`() throws
    {
        let both = field(13, field(2, "m")) + field(5, field(1, "session:a"))
        #expect(
            try decoded([0x08, 1] + both).request
                == .subscribe(Command.Subscribe(channel: "session:a")))
        #expect(
            try decoded([0x08, 1, 0x08, 2] + field(8, field(1, "a") + field(1, "b")))
                == Command(id: 2, request: .presence(channel: "b")))
    }

    @Test func `fields that are not known are passed over`() throws {
        let unknown: [UInt8] =
            [0xC8, 0x01, 5] + [0xD1, 0x01, 1, 2, 3, 4, 5, 6, 7, 8] + [0xDD, 0x01, 1, 2, 3, 4]
        #expect(
            try decoded([0x08, 1] + unknown + field(8, unknown + field(1, "session:a")))
                == Command(id: 1, request: .presence(channel: "session:a")))
    }

    @Test func `what is missing is an error that names it`() {
        let cases: [([UInt8], String)] = [
            (field(5, []), "subscribe.channel"), (field(6, []), "unsubscribe.channel"),
            (field(7, []), "publish.channel"), (field(7, field(1, "c")), "publish.data"),
            (field(8, []), "presence.channel"), (field(9, []), "presence_stats.channel"),
            (field(10, []), "history.channel"), (field(13, []), "rpc.method"),
            (field(15, []), "sub_refresh.channel"),
        ]
        for (bytes, path) in cases {
            #expect(throws: CommandFault.reply(id: 9, .badRequest("\(path) is missing"))) {
                try decoded([0x08, 9] + bytes)
            }
        }
        #expect(
            throws: CommandFault.reply(id: 9, .badRequest("the command has no known request"))
        ) { try decoded([0x08, 9]) }
    }

    @Test func `a doubled name is an error outside of events`() throws {
        let doubled = #"{"a":1,"a":2}"#
        let fault = CommandFault.reply(
            id: 1, .badRequest("subscribe.data.a: the name stands twice in its object"))
        #expect(throws: fault) {
            try decoded([0x08, 1] + field(5, field(1, "c") + field(8, doubled)))
        }
        let rpc = try decoded([0x08, 1] + field(13, field(1, doubled) + field(2, "m")))
        guard case .rpc(_, let data?) = rpc.request else {
            Issue.record("not an rpc")
            return
        }
        #expect(data.defects.count == 1)
    }

    @Test(
        arguments: [
            [0x00], [0x08], [0x08, 0x80], [0x0A, 5, 1], [0x0B], [0x0C], [0x0E], [0x0F], [0x09, 1],
            [0x0D, 1], [0x08] + [UInt8](repeating: 0xFF, count: 10),
            [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
            // A request that is a number, a method that is no UTF-8, data that is no JSON.
            [0x08, 1, 0x28, 1], [0x08, 1, 0x6A, 3, 0x12, 1, 0xFF],
            [0x08, 1, 0x6A, 3, 0x0A, 1, 0x7B],
            // A request without an id.
            [0x2A, 0],
        ] as [[UInt8]])
    func `bytes that are no command end the connection`(bytes: [UInt8]) {
        do throws(CommandFault) {
            let command = try decoded(bytes)
            Issue.record("read as \(command)")
        } catch {
            guard case .disconnect(.badRequest, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `a frame holds several messages`() throws {
        let bytes: [UInt8] = [0, 2, 0x08, 1, 1, 0x08]
        var frame = ProtobufFrame()
        #expect(try frame.next(in: bytes.span) == 1..<1)
        #expect(try frame.next(in: bytes.span) == 2..<4)
        #expect(try frame.next(in: bytes.span) == 5..<6)
        #expect(try frame.next(in: bytes.span) == nil)
        var cut = ProtobufFrame()
        #expect(throws: CommandFault.self) { try cut.next(in: ([3, 1, 2] as [UInt8]).span) }
    }

    @Test func `payloads nest as deeply as in a line`() throws {
        // In a line the object and the request are two levels of the 32.
        let fits = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        _ = try decoded([0x08, 1] + field(13, field(1, fits) + field(2, "m")))
        #expect(throws: CommandFault.self) {
            try decoded([0x08, 1] + field(13, field(1, "[" + fits + "]") + field(2, "m")))
        }
    }
}
