internal import Actors
internal import Coordinator
internal import Security

/// The way of an event from the bytes that were read to the bytes that are written, in the daemon's own loop,
/// with its store of durability `memory`; only the sockets are not real.
final class PathBench {
    /// How many sessions there are, how many follow each, and how many events each has in a turn.
    struct Shape {
        var sessions: Int
        var subscribers: Int
        var eventsInTurn: Int
    }

    /// The shapes of the workloads of `make bench`, by name.
    static let shapes: [(name: String, shape: Shape)] = [
        ("path-w1", Shape(sessions: 1000, subscribers: 2, eventsInTurn: 1)),
        ("path-w2", Shape(sessions: 100, subscribers: 10, eventsInTurn: 4)),
        ("path-w3", Shape(sessions: 1, subscribers: 1000, eventsInTurn: 4)),
    ]

    private let shape: Shape
    private let loop: UVEventLoop
    private let server: Server
    private var publishers: [SinkStream] = []
    private var subscribers: [SinkStream] = []
    private var lines: [[UInt8]] = []
    private var opening: (any LoopTimer)?

    /// Makes sessions and their clients in a new data folder at `folder`, before the loop runs.
    init(_ shape: Shape, on loop: UVEventLoop, folder: String) throws {
        self.shape = shape
        self.loop = loop
        let settings = SessionSettings(snapshots: nil, settlesAtOnce: true)
        let store = try SQLiteStore(
            path: folder + "/sessions.sqlite",
            key: SealingKey(bytes: [UInt8](repeating: 7, count: 32)), durability: .memory,
            settings: settings, loop: loop)
        let sessions = SessionSystem(
            loop: loop, store: store, settings: settings, idleSeconds: 3600,
            maximumSessions: 1_000_000)
        var options = ServerSettings()
        options.connections = 1_000_000
        options.client.eventsPerSecond = 1_000_000_000
        server = Server(
            loop: loop, sessions: sessions, settings: options,
            log: Log(level: .error, sink: Silence()))
        for session in 0..<shape.sessions {
            publishers.append(client("phone", of: session, isPublisher: true))
            for number in 0..<shape.subscribers {
                subscribers.append(client("tv-\(number)", of: session, isPublisher: false))
            }
        }
    }

    /// Connects a client that follows its session, or only sends to it.
    private func client(_ device: String, of session: Int, isPublisher: Bool) -> SinkStream {
        let stream = SinkStream()
        stream.expected = isPublisher ? 4 : 2
        server.accepted(stream)
        stream.arrive(#"{"id":1,"connect":{"data":{"device":"\#(device)"}}}"# + "\n")
        if isPublisher {
            // The session exists from then on; the publisher does not follow it.
            stream.arrive(#"{"id":2,"subscribe":{"channel":"session:bench-\#(session)"}}"# + "\n")
            stream.arrive(#"{"id":3,"unsubscribe":{"channel":"session:bench-\#(session)"}}"# + "\n")
            stream.arrive(
                #"{"id":4,"rpc":{"method":"session.apply","data":{"session":"bench-\#(session)","event":"#
                    + #"{"type":"betslip.open","sportsbookSelectionId":"s1","decimalPrice":"1.85"}}}}"#
                    + "\n")
        } else {
            stream.arrive(#"{"id":2,"subscribe":{"channel":"session:bench-\#(session)"}}"# + "\n")
        }
        return stream
    }

    /// The events of one turn of a session, in two variants that change each other's stake.
    private func makeLines() {
        let pad = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"
        for session in 0..<shape.sessions {
            for half in 0..<2 {
                var text = ""
                for number in 0..<shape.eventsInTurn {
                    let stake = (half * shape.eventsInTurn + number) % 90 + 10
                    text +=
                        #"{"id":\#(1_234_567 + number),"rpc":{"method":"session.apply","data":{"session":"#
                        + #""bench-\#(session)","event":{"type":"betslip.update","stake":"\#(stake).50","#
                        + #""mark":"0123456789abcdef0123","pad":"\#(pad)"}}}}"# + "\n"
                }
                lines.append(Array(text.utf8))
            }
        }
    }

    /// Has every session take `count` turns of events, then calls `completion` with the number of events and
    /// of bytes that were written for them.
    func run(turns count: Int, _ completion: @escaping (Int, Int) -> Void) {
        guard (publishers + subscribers).allSatisfy({ $0.expected == 0 }) else {
            // The store looks for the sessions on its own thread.
            opening = loop.schedule(afterMilliseconds: 10) { [self] in run(turns: count, completion)
            }
            return
        }
        makeLines()
        afterTurn { [self] in
            for stream in publishers + subscribers { stream.written = 0 }
            turn(0, of: count, completion)
        }
    }

    private func turn(_ number: Int, of count: Int, _ completion: @escaping (Int, Int) -> Void) {
        guard number < count else {
            let bytes = (publishers + subscribers).reduce(0) { $0 + $1.written }
            return completion(number * shape.sessions * shape.eventsInTurn, bytes)
        }
        for session in 0..<shape.sessions {
            publishers[session].arrive(lines[2 * session + (number & 1)])
        }
        afterTurn { [self] in turn(number + 1, of: count, completion) }
    }

    /// Runs `action` when everything that comes of the present turn has been written.
    private func afterTurn(_ action: @escaping () -> Void) {
        loop.atTurnEnd { [loop] in
            loop.atTurnEnd { loop.atTurnEnd { action() } }
        }
    }
}

/// A socket that takes everything at once and keeps nothing.
private final class SinkStream: ByteStream {
    let peerAddress: SocketAddress? = SocketAddress(host: "127.0.0.1", port: 9)
    private var onRead: ((borrowing UVStream.ReadEvent) -> Void)?
    var written = 0
    /// Lines that are still to come before the measuring begins.
    var expected = 0

    func arrive(_ text: String) { arrive(Array(text.utf8)) }

    func arrive(_ bytes: [UInt8]) { onRead?(.bytes(bytes.span)) }

    func startReading(onRead: @escaping (borrowing UVStream.ReadEvent) -> Void) {
        self.onRead = onRead
    }

    func stopReading() { onRead = nil }

    func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        written += bytes.count
        if expected > 0 {
            for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { expected -= 1 }
        }
        return bytes.count
    }

    func write(
        _ bytes: consuming [UInt8], from start: Int, _ completion: @escaping (UVError?) -> Void
    ) {
        preconditionFailure("everything is taken at once")
    }

    func shutdown(_ completion: @escaping (UVError?) -> Void) {}
    func close(_ onClosed: (() -> Void)?) {}
    func reset(_ onClosed: (() -> Void)?) {}
}

/// Where the log goes.
private struct Silence: LogSink {
    func write(_ record: LogRecord) {}
}
