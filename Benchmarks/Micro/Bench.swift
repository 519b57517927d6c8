internal import Coordinator

/// A session with a slip, a connection that follows it, and what each operation starts from.
///
/// Every operation takes its number and gives a few bytes of its result; stakes alternate, so that
/// each event is a change.
struct Bench {
    private var session: Session
    private var client: Client
    private var output: [UInt8] = []
    private var actions: [SessionAction] = []
    private var time = Instant(milliseconds: 1_700_000_000_000)
    private var lines: [[UInt8]] = []
    private var commands: [Command] = []
    private var calls: [SessionCall] = []
    private var documents: [JSONDocument] = []
    private var parsed: [Event] = []
    private var states: [SessionState] = []
    private var viewing = Viewing()
    private var publication = Publication(offset: 7, data: [])
    private let policy = Policy()
    private let origin = Origin(device: "phone-7", role: .mirror)
    private let caller = Caller(connection: 1, client: "c1", device: "phone-7", role: .mirror)

    init() throws {
        guard let id = SessionID("bench-7") else { preconditionFailure("a valid id") }
        session = Session(id: id, newEpoch: "abcdefgh", settings: SessionSettings(snapshots: nil))
        client = Client(
            settings: ClientSettings(eventsPerSecond: 1_000_000_000), connection: 1,
            client: "c1", at: time, jitter: 0)
        actions = session.start(at: time)
        _ = settle()
        let opening =
            #"{"type":"betslip.open","sportsbookSelectionId":"s1","decimalPrice":"1.85"}"#
        _ = try take(Array(#"{"id":1,"connect":{"data":{"device":"phone-7"}}}"#.utf8))
        _ = try take(Array(#"{"id":2,"subscribe":{"channel":"session:bench-7"}}"#.utf8))
        _ = try take(Array(#"{"id":3,"subscribe":{"channel":"stage:bench-7"}}"#.utf8))
        _ = try take(Self.application(id: 4, of: opening))
        let open = try Event.decode(try JSONParser.parse(text: opening), policy: policy)
        _ = try viewing.apply(open, from: origin, at: time, revision: 1, policy: policy)
        for stake in 1...2 { try prepare(stake) }
    }

    /// What the single operations start from, for one of the two stakes.
    private mutating func prepare(_ stake: Int) throws {
        let event =
            #"{"type":"betslip.update","stake":"\#(stake).50","mark":"0123456789abcdef0123","#
            + #""pad":"abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"}"#
        let line = Self.application(id: 1_234_567, of: event)
        lines.append(line)
        let command = try JSONCodec.decode(line.span)
        commands.append(command)
        var router = client
        guard case .call(let request, creates: _) = router.receive(command, at: time),
            case .apply(let application) = request.call
        else { preconditionFailure("an event is a call") }
        calls.append(request.call)
        documents.append(application.event)
        let change = try Event.decode(application.event, policy: policy)
        parsed.append(change)
        _ = try viewing.apply(change, from: origin, at: time, revision: 2, policy: policy)
        states.append(viewing.state)
        publication.data = Array(
            #"{"rev":7,"at":1700000000000,"by":{"device":"phone-7","role":"player"},"event":"#.utf8)
        publication.data += event.utf8
        publication.data += #","patch":{"betslip":{"revision":7,"stake":"2.50"}}}"#.utf8
    }

    private static func application(id: Int, of event: String) -> [UInt8] {
        Array(
            (#"{"id":\#(id),"rpc":{"method":"session.apply","data":{"session":"bench-7","#
                + #""event":\#(event)}}}"#).utf8)
    }
}

extension Bench {
    func decode(_ number: Int) throws -> Int {
        let line = lines[number & 1]
        return Int(try JSONCodec.decode(line.span).id)
    }

    mutating func route(_ number: Int) -> Int {
        time = time.advanced(byMilliseconds: 1)
        guard case .call(let request, creates: _) = client.receive(commands[number & 1], at: time)
        else { return 0 }
        client.settle(command: request.command, body: .publish)
        return Int(request.command)
    }

    func event(_ number: Int) throws -> Int {
        try Event.decode(documents[number & 1], policy: policy).kind.rawValue
    }

    mutating func apply(_ number: Int) throws -> Int {
        let outcome = try viewing.apply(
            parsed[number & 1], from: origin, at: time, revision: 3, policy: policy)
        return outcome.isDurable ? 1 : 0
    }

    func patch(_ number: Int) -> Int {
        states[number & 1].patchText(from: states[(number + 1) & 1]).count
    }

    mutating func publish(_ number: Int) -> Int {
        time = time.advanced(byMilliseconds: 1)
        actions.removeAll(keepingCapacity: true)
        session.receive(
            .call(calls[number & 1], from: caller, command: 1), at: time, into: &actions)
        guard case .commit(let commit)? = actions.first else { return 0 }
        session.receive(.committed(through: commit.sequence), at: time, into: &actions)
        return actions.count
    }

    mutating func encode(_ number: Int) -> Int {
        output.removeAll(keepingCapacity: true)
        JSONCodec.encode(.publication(channel: "session:bench-7", publication), into: &output)
        JSONCodec.encode(
            Reply(id: UInt32(truncatingIfNeeded: number), body: .rpc(data: Array("{}".utf8))),
            into: &output)
        return output.count
    }

    mutating func all(_ number: Int) throws -> Int {
        time = time.advanced(byMilliseconds: 1)
        return try take(lines[number & 1])
    }
}

extension Bench {
    private mutating func take(_ line: [UInt8]) throws -> Int {
        let command = try JSONCodec.decode(line.span)
        switch client.receive(command, at: time) {
        case .call(let request, creates: _):
            session.receive(
                .call(request.call, from: request.caller, command: request.command), at: time,
                into: &actions)
            return settle()
        case .none, .reply, .disconnect, .reject, .end: return 0
        }
    }

    /// Does what the session asked for, and what it asks for once that is durable.
    private mutating func settle() -> Int {
        var bytes = 0
        while !actions.isEmpty {
            var committed: UInt64?
            for action in actions {
                switch action {
                case .commit(let commit): committed = commit.sequence
                case .publish(let publication):
                    JSONCodec.encode(
                        .publication(channel: "session:bench-7", publication), into: &output)
                case .reply(_, let command, let body):
                    client.settle(command: command, body: body)
                    JSONCodec.encode(Reply(id: command, body: body), into: &output)
                case .admit(_, _, let command, let result),
                    .admitStage(_, let command, let result):
                    client.settle(command: command, body: .subscribe(result))
                case .snapshot, .dismiss, .push, .revokeStage, .disconnect, .presence, .dissolve,
                    .setTimer:
                    break
                }
            }
            bytes += output.count
            output.removeAll(keepingCapacity: true)
            actions.removeAll(keepingCapacity: true)
            if let committed {
                session.receive(.committed(through: committed), at: time, into: &actions)
            }
        }
        return bytes
    }
}
