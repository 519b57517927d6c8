import Actors
import Coordinator
import Testing
import coordd

/// A server that answers each line as a script says, on the loop of the client under test.
private final class ScriptedServer {
    /// What to do with a line: texts to send back.
    typealias Script = (_ command: JSON, _ server: ScriptedServer) -> [String]

    private(set) var address = ""
    private(set) var received: [JSON] = []
    private(set) var streams: [UVStream] = []
    private var listener: UVListener?
    private var framers: [LineFramer] = []

    init(loop: UVEventLoop, script: @escaping Script) throws {
        let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
        try listener.listen { [unowned self] stream in
            let index = streams.count
            streams.append(stream)
            framers.append(LineFramer(maximumBytes: 65_536))
            stream.startReading { event in
                guard case .bytes(let bytes) = event else { return stream.close() }
                _ = self.framers[index].consume(bytes) { line in
                    guard let command = try? JSONParser.parse(line).root else { return false }
                    self.received.append(command)
                    for text in script(command, self) { stream.write(Array(text.utf8)) { _ in } }
                    return true
                }
            }
        } onError: { _ in
        }
        self.listener = listener
        address = listener.boundAddress
    }

    func close() {
        listener?.close()
        for stream in streams { stream.close() }
    }
}

private struct Failure: Error {}

@Suite(.timeLimit(.minutes(5))) struct ClientLineClientTests {
    private static let opened =
        #"{"id":1,"connect":{"client":"c1","version":"t","ping":25,"pong":true}}"#

    /// What must live as long as a test on the loop.
    private final class Bench {
        var server: ScriptedServer?
        var client: LineClient?
    }

    /// Connects a client to a scripted server; `done` ends the test with a result.
    private static func run<Result: Sendable>(
        script: @escaping @Sendable (JSON) -> [String],
        handler:
            @escaping @Sendable (
                _ event: LinkEvent, _ client: LineClient?, _ server: [JSON],
                _ done: @escaping (Result) -> Void
            ) -> Void
    ) async -> Result? {
        let outcome = Locked<Result?>(nil)
        _ = await ToolLoop.run { loop, finish in
            let bench = Bench()
            do {
                let server = try ScriptedServer(loop: loop) { command, _ in script(command) }
                bench.server = server
                bench.client = LineClient(loop: loop, address: server.address, device: "d") {
                    [weak bench] event in
                    handler(event, bench?.client, server.received) { result in
                        outcome.withLock { $0 = result }
                        bench?.client?.close()
                        bench?.server?.close()
                        finish(0)
                    }
                }
            } catch {
                finish(1)
            }
            return .init(owner: bench)
        }
        return outcome.withLock { $0 }
    }

    @Test func `it connects as its device and answers reach their requests, in any order`() async {
        let result: [String]? = await Self.run { command in
            if command["connect"] != nil { return [Self.opened + "\n"] }
            // The answers come once both are there, the second one first, cut in odd places.
            guard command["id"] == 3 else { return [] }
            return [
                #"{"id":3,"rpc":{"data":{"n":2}}}"# + "\n" + #"{"id":2,"#,
                #""rpc":{"data":1}}"# + "\r\n",
            ]
        } handler: { event, client, received, done in
            guard case .opened(let reply) = event else { return }
            #expect(reply == Reply.Connect(client: "c1", version: "t", ping: 25))
            #expect(received[0]["connect"]?["data"] == ["device": "d"])
            let answers = Answers()
            for name in ["a", "b"] {
                client?.request(.rpc(method: name, data: nil)) { result in
                    guard case .success(.rpc(let data)) = result else { return }
                    answers.list.append("\(name) \(String(decoding: data, as: UTF8.self))")
                    if answers.list.count == 2 { done(answers.list) }
                }
            }
        }
        #expect(result == [#"b {"n":2}"#, "a 1"])
    }

    private final class Answers {
        var list: [String] = []
    }

    @Test func `an error reply is a refusal`() async {
        let result: ReplyError? = await Self.run { command in
            if command["connect"] != nil { return [Self.opened + "\n"] }
            return [#"{"id":2,"error":{"code":409,"message":"betslip.busy: x"}}"# + "\n"]
        } handler: { event, client, _, done in
            guard case .opened = event else { return }
            client?.request(.rpc(method: "m", data: nil)) { result in
                guard case .failure(.refused(let error)) = result else { return }
                done(error)
            }
        }
        #expect(result == ReplyError(code: 409, message: "betslip.busy: x"))
    }

    @Test func `a ping is answered and a push is passed on`() async {
        let result: [JSON]? = await Self.run { command in
            if command["connect"] != nil { return [Self.opened + "\n{}\n"] }
            // The pong is the only other line that the client sends.
            return [#"{"push":{"channel":"session:s","pub":{"data":{"rev":1},"offset":1}}}"# + "\n"]
        } handler: { event, _, received, done in
            guard case .push(let push) = event else { return }
            let publication = Publication(offset: 1, data: Array(#"{"rev":1}"#.utf8))
            #expect(push == .publication(channel: "session:s", publication))
            done(received)
        }
        #expect(result?.count == 2)
        #expect(result?.last == [:])
    }

    @Test func `a disconnect push is the end and open requests are lost`() async {
        let result: [String]? = await Self.run { command in
            if command["connect"] != nil { return [Self.opened + "\n"] }
            return [#"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"# + "\n"]
        } handler: { event, client, _, done in
            switch event {
            case .opened:
                client?.request(.rpc(method: "m", data: nil)) { result in
                    #expect(result == .failure(.lost))
                }
            case .push: Issue.record("a disconnect is not passed on as a push")
            case .ended(let end):
                #expect(end == .disconnected(.shutdown))
                done([end.description])
            }
        }
        #expect(result == ["disconnected by the server: 3001 shutdown"])
    }

    @Test(arguments: [
        ("not json\n", "not the coordd protocol: a value is expected at byte 0"),
        (
            #"{"id":9,"rpc":{}}"# + "\n",
            "not the coordd protocol: a reply to 9, which was not asked"
        ),
        (
            #"{"error":{"code":107,"message":"bad request: x"}}"# + "\n",
            "connect refused: 107 bad request: x"
        ),
    ])
    func `what is no answer to connect is the end`(line: String, words: String) async {
        let result: String? = await Self.run { _ in
            [line]
        } handler: { event, _, _, done in
            guard case .ended(let end) = event else { return }
            done(end.description)
        }
        #expect(result == words)
    }

    @Test func `an address where nobody listens is unreachable`() async {
        let words = Locked<String?>(nil)
        let code = await ToolLoop.run { loop, finish in
            let bench = Bench()
            do {
                // The port was free a moment ago, so nobody else will have it.
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                listener.close()
                bench.client = LineClient(
                    loop: loop, address: listener.boundAddress, device: "d"
                ) { event in
                    if case .ended(.unreachable(let why)) = event {
                        words.withLock { $0 = why }
                        finish(7)
                    }
                }
            } catch {
                finish(1)
            }
            return .init(owner: bench)
        }
        #expect(code == 7)
        #expect(words.withLock { $0 }?.contains("ECONNREFUSED") == true)
    }
}

@Suite struct ClientServerMessageTests {
    private static func message(_ text: String) throws(ServerMessageFault) -> ServerMessage {
        let bytes = Array(text.utf8)
        return try ServerMessage(line: bytes.span)
    }

    @Test func `the protocol's examples decode`() throws {
        #expect(try Self.message("{}") == .ping)
        let recovered =
            #"{"id":9,"subscribe":{"recoverable":true,"positioned":true,"epoch":"kQ","#
            + #""offset":17,"recovered":true,"was_recovering":true,"publications":"#
            + #"[{"data":{"pip":true},"offset":18}]}}"#
        #expect(
            try Self.message(recovered)
                == .reply(
                    Reply(
                        id: 9,
                        body: .subscribe(
                            .init(
                                position: .init(epoch: "kQ", offset: 17), wasRecovering: true,
                                recovered: true,
                                publications: [
                                    Publication(offset: 18, data: Array(#"{"pip":true}"#.utf8))
                                ])))))
        let unsubscribe =
            #"{"push":{"channel":"c","unsubscribe":{"code":2500,"reason":"insufficient state"}}}"#
        #expect(
            try Self.message(unsubscribe)
                == .push(.unsubscribe(channel: "c", .insufficientState)))
        #expect(try Self.message(#"{"push":{"message":{"data":1}}}"#) == .unknown)
    }

    @Test(arguments: [
        "[]", "{", #"{"id":1}"#, #"{"id":0,"rpc":{}}"#, #"{"id":1,"error":{"code":1}}"#,
        #"{"push":{"channel":"c","pub":{}}}"#, #"{"push":{"disconnect":{"code":1}}}"#, "null",
    ])
    func `what the protocol does not know is a fault`(text: String) {
        #expect(throws: ServerMessageFault.self) { try Self.message(text) }
    }

    @Test func `a client reads what the daemon's encoder writes`() throws {
        let info = ClientInfo(user: "7", client: "c", device: "tv", role: .mirror)
        let pushes: [Push] = [
            .publication(channel: "session:s", .init(offset: 4, data: Array("{}".utf8))),
            .publication(channel: "stage:s", .init(offset: nil, data: Array("[1.80]".utf8))),
            .join(channel: "session:s", info), .leave(channel: "session:s", info),
            .unsubscribe(channel: "session:s", .stageTaken), .disconnect(.slow),
        ]
        for push in pushes {
            var bytes: [UInt8] = []
            JSONCodec.encode(push, into: &bytes)
            let message = try ServerMessage(line: bytes.span.extracting(0..<(bytes.count - 1)))
            #expect(message == .push(push))
        }
    }
}
