internal import Coordinator
import Glibc

/// The processor time of one event in the pure core, without sockets, loop and store: a line is
/// decoded, checked, applied, committed and rendered as in the workload W2 of `make bench`.
///
/// `bench-micro [EVENTS]` prints nanoseconds per event. For instructions run it under
/// `valgrind --tool=callgrind` with two numbers of events and divide the difference.
private struct MicroBenchmark {
    private var session: Session
    private var client: Client
    private var output: [UInt8] = []
    private var time = Instant(milliseconds: 1_700_000_000_000)
    /// Bytes that came out, so that no work can be left out.
    private(set) var bytes = 0

    init() throws(CommandFault) {
        guard let id = SessionID("bench-7") else { preconditionFailure("a valid id") }
        session = Session(id: id, newEpoch: "abcdefgh", settings: SessionSettings(snapshots: nil))
        client = Client(
            settings: ClientSettings(eventsPerSecond: 1_000_000_000), connection: 1,
            client: "c1", at: time, jitter: 0)
        settle(session.start(at: time))
        try take(#"{"id":1,"connect":{"data":{"device":"phone-7"}}}"#)
        try take(#"{"id":2,"subscribe":{"channel":"session:bench-7"}}"#)
        try take(#"{"id":3,"subscribe":{"channel":"stage:bench-7"}}"#)
        try take(
            #"{"id":4,"rpc":{"method":"session.apply","data":{"session":"bench-7","event":"#
                + #"{"type":"betslip.open","sportsbookSelectionId":"s1","decimalPrice":"1.85"}}}}"#)
    }

    mutating func update(_ number: Int) throws(CommandFault) {
        let pad = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"
        try take(
            #"{"id":\#(number + 5),"rpc":{"method":"session.apply","data":{"session":"bench-7","#
                + #""event":{"type":"betslip.update","stake":"\#(number % 1000 + 1).50","#
                + #""mark":"0123456789abcdef0123","pad":"\#(pad)"}}}}"#)
    }

    private mutating func take(_ line: String) throws(CommandFault) {
        time = time.advanced(byMilliseconds: 1)
        let command = try JSONCodec.decode(line.utf8Span.span)
        switch client.receive(command, at: time) {
        case .call(let request, creates: _):
            settle(
                session.receive(
                    .call(request.call, from: request.caller, command: request.command), at: time))
        case .none, .reply, .disconnect, .reject, .end: break
        }
    }

    private mutating func settle(_ actions: [SessionAction]) {
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
            case .admit(_, _, let command, let result), .admitStage(_, let command, let result):
                client.settle(command: command, body: .subscribe(result))
            case .snapshot, .dismiss, .push, .revokeStage, .disconnect, .presence, .dissolve,
                .setTimer:
                break
            }
        }
        bytes += output.count
        output.removeAll(keepingCapacity: true)
        if let committed { settle(session.receive(.committed(through: committed), at: time)) }
    }
}

private let arguments = CommandLine.arguments.dropFirst()
if let first = arguments.first, PathRun.names.contains(first) {
    try PathRun.run(first, count: arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000)
    exit(0)
}
private let events = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
private var benchmark = try MicroBenchmark()
private let clock = ContinuousClock()
private let start = clock.now
for number in 0..<events { try benchmark.update(number) }
private let elapsed = clock.now - start
print("\(elapsed / events) per event, \(benchmark.bytes) bytes")
