// The entry of a libFuzzer run over the way of a client's bytes: framer, codec, client machine and
// back into JSON. It is built without the package manager, together with the sources it is about:
//
// swiftc -parse-as-library -package-name coordd -swift-version 6 -O -sanitize=fuzzer,address \
//     Sources/Coordinator/{JSON,Identity,Wire}/*.swift \
//     Sources/Coordinator/Session/SessionCall.swift Tests/Fuzz/FuzzCommand.swift -o fuzz-command

/// Feeds one input; the first byte says where the reads are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommand(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let input = Array(bytes.dropFirst())
    let step = max(1, Int(first))
    var whole = FuzzedConnection()
    whole.receive(input.span)
    var cut = FuzzedConnection()
    for begin in stride(from: 0, to: input.count, by: step) where cut.isOpen {
        cut.receive(input.span.extracting(begin..<min(begin + step, input.count)))
    }
    precondition(whole.actions == cut.actions, "the cuts change what the client is told")
    return 0
}

/// One connection as its host would run it.
private struct FuzzedConnection {
    private var framer = LineFramer(maximumBytes: 4096)
    private var client = Client(
        settings: ClientSettings(eventsPerSecond: 5, subscriptions: 3, outstanding: 8),
        connection: 1, client: "c-1", at: Instant(milliseconds: 0), jitter: 0.5)
    private var now = Instant(milliseconds: 0)
    private var output = OutboundQueue(limit: 1 << 20)
    private(set) var actions: [ClientAction] = []
    private(set) var isOpen = true

    mutating func receive(_ bytes: Span<UInt8>) {
        var connection = self
        let fits = framer.consume(bytes) { line in
            connection.receive(line: line)
            return connection.isOpen
        }
        connection.framer = framer
        self = connection
        if !fits, isOpen {
            actions.append(.disconnect(.messageTooLarge))
            isOpen = false
        }
    }

    private mutating func receive(line: Span<UInt8>) {
        roundTrip(line)
        now = now.advanced(byMilliseconds: 50)
        if client.deadline <= now { _ = client.tick(at: now) }
        let action: ClientAction
        do throws(CommandFault) {
            let command = try JSONCodec.decode(line)
            checkEncoding(of: command)
            action = client.receive(command, at: now)
        } catch {
            action = client.receive(error)
        }
        actions.append(action)
        perform(action)
        precondition(client.outstanding >= 0 && client.followedSessions.count <= 3)
    }

    private mutating func perform(_ action: ClientAction) {
        switch action {
        case .none: break
        case .reply(let reply): send { JSONCodec.encode(reply, into: &$0) }
        case .disconnect(let disconnect):
            client.beginDisconnect()
            send { JSONCodec.encode(.disconnect(disconnect), into: &$0) }
            isOpen = false
        case .reject:
            client.beginDisconnect()
            send { JSONCodec.encode(.disconnect(.invalidToken), into: &$0) }
            isOpen = false
        case .end(let requests, let reply):
            if let reply { send { JSONCodec.encode(reply, into: &$0) } }
            precondition(requests.allSatisfy { $0.command == 0 }, "nobody asked for an end")
        case .call(let request, creates: _):
            // Every third answer is left open, and some are errors.
            if request.command % 3 == 0 { break }
            let body = Self.answer(request)
            client.settle(command: request.command, body: body)
            send { JSONCodec.encode(Reply(id: request.command, body: body), into: &$0) }
            if request.command % 7 == 0 { client.removed(.session(request.session)) }
        }
    }

    private static func answer(_ request: SessionRequest) -> Reply.Body {
        if request.command % 5 == 0 { return .error(.unknownChannel("\(request.session)")) }
        switch request.call {
        case .subscribe:
            return .subscribe(
                Reply.Subscribe(position: StreamPosition(epoch: "e", offset: 0)))
        case .attachStage(let facts):
            return .subscribe(
                Reply.Subscribe(
                    position: nil, data: JSONWriter.bytes(of: facts?.root ?? .null)))
        case .unsubscribe: return .unsubscribe
        case .apply(let application):
            return .rpc(data: JSONWriter.bytes(of: application.event.root))
        case .state, .takeStage, .close, .acknowledge: return .rpc(data: Array("{}".utf8))
        case .history:
            return .history(
                Reply.History(position: StreamPosition(epoch: "e", offset: 0), publications: []))
        case .presence:
            return .presence([
                ClientInfo(
                    client: request.caller.client, device: request.caller.device,
                    role: request.caller.role)
            ])
        case .presenceStats: return .presenceStats(clients: 1, users: 0)
        }
    }

    /// What is sent must be lines that a client can read.
    private mutating func send(_ encode: (inout [UInt8]) -> Void) {
        guard output.append(encode) else { preconditionFailure("one line overflows the queue") }
        let bytes = output.take().own
        check(line: bytes)
        output.completed()
    }

    private func check(line bytes: [UInt8]) {
        precondition(bytes.last == UInt8(ascii: "\n") && bytes.count(where: { $0 == 0x0A }) == 1)
        do throws(JSONError) {
            _ = try JSONCodec.decodeServerMessage(bytes.span)
        } catch {
            preconditionFailure("a client cannot read: \(error)")
        }
    }

    /// Writing what was parsed and parsing it again gives the same value.
    private func roundTrip(_ line: Span<UInt8>) {
        guard let parsed = try? JSONParser.parse(line) else { return }
        let written = JSONWriter.bytes(of: parsed.root)
        precondition(parsed.bytes.elementsEqual(written), "the shortest spelling is another one")
        guard let again = try? JSONParser.parse(written.span) else {
            preconditionFailure("what was written is not JSON")
        }
        // Half a surrogate pair became a character; doubled keys stay.
        precondition(JSONWriter.bytes(of: again.root) == written)
    }

    /// A decoded command that is encoded again is the same command.
    private func checkEncoding(of command: Command) {
        var bytes: [UInt8] = []
        JSONCodec.encode(command, into: &bytes)
        guard let again = try? JSONCodec.decode(bytes.span) else {
            preconditionFailure("an encoded command is none")
        }
        var second: [UInt8] = []
        JSONCodec.encode(again, into: &second)
        precondition(second == bytes, "a command changes when it is encoded")
    }
}
