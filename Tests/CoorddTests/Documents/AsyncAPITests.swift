import Coordinator
import Testing

/// `Docs/asyncapi.json` says what the codecs read and write, and nothing else.
@Suite struct AsyncAPITests {
    private func document() throws -> JSON {
        let bytes = Array(try ProjectFile("Docs/asyncapi.json").text().utf8)
        return try JSONParser.parse(bytes.span, maximumDepth: 64).root
    }

    /// The messages of a sort, with their examples.
    private func messages(_ sort: String) throws -> [String: [JSON]] {
        var found: [String: [JSON]] = [:]
        for member in try document()["components"]?["messages"]?.object?.members ?? []
        where member.key.hasPrefix(sort) {
            #expect(member.value["name"]?.string == String(member.key.dropFirst(sort.count)))
            let examples = member.value["examples"]?.array?.compactMap { $0["payload"] }
            found[String(member.key.dropFirst(sort.count))] = examples ?? []
        }
        return found
    }

    private enum CommandName: String, CaseIterable {
        case connect, subscribe, unsubscribe, publish, presence
        case presenceStats = "presence_stats"
        case history, rpc, send, refresh
        case subRefresh = "sub_refresh"
        case ping, pong

        init(_ request: Coordinator.Command.Request) {
            self =
                switch request {
                case .connect: .connect
                case .subscribe: .subscribe
                case .unsubscribe: .unsubscribe
                case .publish: .publish
                case .presence: .presence
                case .presenceStats: .presenceStats
                case .history: .history
                case .rpc: .rpc
                case .send: .send
                case .refresh: .refresh
                case .subRefresh: .subRefresh
                case .ping: .ping
                case .pong: .pong
                }
        }
    }

    @Test func `every command is there, and its examples are read as that command`() throws {
        let messages = try messages("command.")
        #expect(Set(messages.keys) == Set(CommandName.allCases.map(\.rawValue)))
        for (name, examples) in messages {
            #expect(!examples.isEmpty)
            for example in examples {
                let command = try JSONCodec.decode(JSONWriter.bytes(of: example).span)
                #expect(CommandName(command.request).rawValue == name)
            }
        }
    }

    @Test func `every method is there`() throws {
        let methods = try document()["components"]?["messages"]?["command.rpc"]?["payload"]?[
            "properties"]?["rpc"]?["properties"]?["method"]?["enum"]?.array
        let examples = try messages("command.")["rpc"] ?? []
        #expect(examples.compactMap { $0["rpc"]?["method"] } == methods)
    }

    private enum ReplyName: String, CaseIterable {
        case error, connect, subscribe, unsubscribe, publish, presence
        case presenceStats = "presence_stats"
        case history, rpc, refresh
        case subRefresh = "sub_refresh"

        init(_ body: Reply.Body) {
            self =
                switch body {
                case .error: .error
                case .connect: .connect
                case .subscribe: .subscribe
                case .unsubscribe: .unsubscribe
                case .publish: .publish
                case .presence: .presence
                case .presenceStats: .presenceStats
                case .history: .history
                case .rpc: .rpc
                case .refresh: .refresh
                case .subRefresh: .subRefresh
                }
        }
    }

    /// What the first example of each reply says.
    private static let replies: [Reply] = [
        Reply(
            id: 5,
            body: .error(
                ReplyError(
                    code: 409,
                    message: "revision.conflict: ifRev is 2, the revision is 3"))),
        Reply(
            id: 1,
            body: .connect(
                .init(
                    client: "0bc8c49c-7cc8-cebc-3531-9ab7101bcfe6", version: "coordd 0.1.0",
                    ping: 25))),
        Reply(
            id: 2,
            body: .subscribe(
                .init(
                    position: StreamPosition(epoch: "cICnKMxc", offset: 42),
                    data: Array(#"{"rev":42,"state":{"player":{"phase":"idle"}}}"#.utf8)))),
        Reply(id: 5, body: .unsubscribe), Reply(id: 6, body: .publish),
        Reply(
            id: 7, body: .presence([ClientInfo(client: "c1", device: "tv-1", role: .observer)])),
        Reply(id: 8, body: .presenceStats(clients: 3, users: 1)),
        Reply(
            id: 9,
            body: .history(
                .init(
                    position: StreamPosition(epoch: "cICnKMxc", offset: 43),
                    publications: [Publication(offset: 43, data: Array(#"{"rev":43}"#.utf8))]))),
        Reply(id: 10, body: .rpc(data: Array(#"{"rev":43}"#.utf8))),
        Reply(id: 15, body: .refresh(ttl: 900)), Reply(id: 16, body: .subRefresh(ttl: 300)),
    ]

    @Test func `every reply is there, as it is written`() throws {
        let messages = try messages("reply.")
        #expect(Set(messages.keys) == Set(ReplyName.allCases.map(\.rawValue)))
        #expect(Set(Self.replies.map { ReplyName($0.body) }) == Set(ReplyName.allCases))
        for reply in Self.replies {
            var line: [UInt8] = []
            JSONCodec.encode(reply, into: &line)
            let written = try JSONParser.parse(line.span).root
            #expect(messages[ReplyName(reply.body).rawValue]?.first == written)
        }
    }

    private enum PushName: String, CaseIterable {
        case pub, join, leave, unsubscribe, disconnect

        init(_ push: Push) {
            self =
                switch push {
                case .publication: .pub
                case .join: .join
                case .leave: .leave
                case .unsubscribe: .unsubscribe
                case .disconnect: .disconnect
                }
        }
    }

    private static let revision =
        #"{"rev":43,"at":1767225600123,"by":{"device":"iphone-1","role":"player"},"#
        + #""event":{"type":"betslip.update","stake":"10.00"},"#
        + #""patch":{"betslip":{"stake":"10.00","revision":8}}}"#

    /// What the first example of each push says.
    private static let pushes: [Push] = [
        .publication(
            channel: "session:match-1", Publication(offset: 43, data: Array(revision.utf8))),
        .join(
            channel: "session:match-1", ClientInfo(client: "c1", device: "tv-1", role: .observer)),
        .leave(
            channel: "session:match-1", ClientInfo(client: "c1", device: "tv-1", role: .observer)),
        .unsubscribe(channel: "session:match-1", .closed), .disconnect(.shutdown),
    ]

    @Test func `every push is there, as it is written, and the ping`() throws {
        var messages = try messages("push.")
        #expect(messages.removeValue(forKey: "ping") == [[:]])
        #expect(Set(messages.keys) == Set(PushName.allCases.map(\.rawValue)))
        #expect(Set(Self.pushes.map { PushName($0) }) == Set(PushName.allCases))
        for push in Self.pushes {
            var line: [UInt8] = []
            JSONCodec.encode(push, into: &line)
            let written = try JSONParser.parse(line.span).root
            #expect(messages[PushName(push).rawValue]?.first == written)
        }
    }

    @Test func `the codes are those of the tables`() throws {
        let schemas = try document()["components"]?["schemas"]
        for (name, codes) in [
            ("ErrorCode", ReplyError.codes), ("DisconnectCode", Disconnect.codes),
            ("UnsubscribeCode", Unsubscribe.codes),
        ] {
            #expect(schemas?[name]?["enum"] == .array(codes.map { .integer($0) }), "\(name)")
        }
    }

    /// Every number in the sources stands behind `code:`.
    @Test func `the tables have every code of the sources`() throws {
        let text = try ProjectFile("Sources/Coordinator/Wire/Code.swift").text()
        var codes: Set<UInt32> = []
        for part in text.components(after: "code: ") {
            if let code = UInt32(part.prefix { $0.isNumber }) { codes.insert(code) }
        }
        // Those of events are rejections: 409, 422, and 423 of a taken stage.
        let all = Set(ReplyError.codes + Disconnect.codes + Unsubscribe.codes)
        #expect(codes.union([409, 422, 423]) == all)
    }

    @Test func `every message is in the channel and in an operation`() throws {
        let document = try document()
        let names = document["components"]?["messages"]?.object?.members.map(\.key) ?? []
        let channel = document["channels"]?["connection"]?["messages"]?.object?.members ?? []
        #expect(channel.map(\.key) == names)
        #expect(
            channel.map { $0.value["$ref"]?.string }
                == names.map { "#/components/messages/\($0)" })
        let commands = document["operations"]?["commands"]
        let used = [
            commands?["messages"], commands?["reply"]?["messages"],
            document["operations"]?["pushes"]?["messages"],
        ].flatMap { $0?.array ?? [] }.compactMap { $0["$ref"]?.string }
        #expect(used == names.map { "#/channels/connection/messages/\($0)" })
    }

    @Test func `every reference leads somewhere`() throws {
        let document = try document()
        for name in References.all(in: document) {
            #expect(References.find(name, in: document) != nil, "\(name)")
        }
    }
}

extension String {
    /// The texts behind each place where `mark` stands.
    fileprivate func components(after mark: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = Substring(self)
        while let index = rest.indices.first(where: { rest[$0...].hasPrefix(mark) }) {
            rest = rest[index...].dropFirst(mark.count)
            parts.append(rest)
        }
        return parts
    }
}
