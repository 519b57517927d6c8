import Actors
import Coordinator
import TestSupport
import Testing

/// What a turn publishes is written once and shared, whoever reads it, how and how fast.
@Suite(.timeLimit(.minutes(5)))
struct SharedOutputTests {
    /// A server whose clients are streams that take as much as a test says, on a loop that stands still.
    private final class Rig {
        let loop = ManualEventLoop()
        let server: Server

        init(outboundBytes: Int = 1 << 20) {
            let system = SessionSystem(
                loop: loop, store: MemoryStore(loop: loop), settings: SessionSettings(),
                idleSeconds: 60, maximumSessions: 100)
            var settings = ServerSettings()
            settings.outboundBytes = outboundBytes
            server = Server(
                loop: loop, sessions: system, settings: settings,
                log: Log(level: .error, sink: MemoryLogSink()))
        }

        /// A client that has sent lines, and whose answers were taken.
        func client(_ lines: String...) -> ScriptedStream {
            let stream = ScriptedStream()
            server.accepted(stream)
            for line in lines { send(line, on: stream) }
            loop.run()
            _ = stream.takeAll()
            return stream
        }

        /// A client that follows the session `a`.
        func follower(_ device: String) -> ScriptedStream {
            client(
                #"{"id":1,"connect":{"data":{"device":"\#(device)"}}}"#,
                #"{"id":2,"subscribe":{"channel":"session:a"}}"#)
        }

        func send(_ line: String, on stream: ScriptedStream) {
            stream.arrive(Array((line + "\n").utf8))
        }
    }

    private static func stake(_ number: Int, id: Int) -> String {
        #"{"id":\#(id),"#
            + RawClient.applying(
                #"{"type":"betslip.update","stake":\#(number)}"#, to: "a") + "}"
    }

    private static func offsets(_ bytes: [UInt8]) -> [UInt64] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard
                case .push(_, "pub", let publication)? =
                    try? JSONCodec.decodeServerMessage(Array(line).span)
            else { return nil }
            return publication.unsigned("offset")
        }
    }

    @Test func `who takes a turn's output in pieces gets the same bytes`() {
        let rig = Rig()
        let phone = rig.client(#"{"id":1,"connect":{"data":{"device":"phone"}}}"#)
        let quick = rig.follower("quick")
        let rooms = [0, 1, 7, 500, 700]
        let slow = rooms.map { _ in rig.follower("slow") }
        for (stream, room) in zip(slow, rooms) { stream.room = room }
        for turn in 0..<8 {
            for event in 0..<3 {
                rig.send(Self.stake(3 * turn + event + 1, id: 10), on: phone)
            }
            rig.loop.run()
            for (stream, room) in zip(slow, rooms) where turn % 3 == 2 {
                stream.give(room: room + 1)
                rig.loop.run()
            }
        }
        for stream in slow {
            stream.give(room: 1 << 30)
            rig.loop.run()
        }
        let expected = quick.takeAll()
        #expect(Self.offsets(expected) == Array(1...24))
        for stream in slow {
            let bytes = stream.takeAll()
            #expect(bytes == expected)
        }
    }

    @Test func `answers stay between the publications that they belong to`() {
        let rig = Rig()
        let own = rig.follower("own")
        let other = rig.follower("other")
        rig.send(Self.stake(1, id: 11) + "\n" + Self.stake(2, id: 12), on: own)
        rig.loop.run()
        let lines = own.takeAll().split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.count == 4)
        #expect(lines.map { $0.hasPrefix("{\"push\":") } == [true, false, true, false])
        #expect(lines.map { $0.hasPrefix("{\"id\":1") } == [false, true, false, true])
        #expect(Self.offsets(other.takeAll()) == [1, 2])
    }

    @Test func `who follows two sessions gets both`() {
        let rig = Rig()
        let both = rig.follower("both")
        rig.send(#"{"id":3,"subscribe":{"channel":"session:b"}}"#, on: both)
        let second = rig.client(#"{"id":1,"connect":{"data":{"device":"second"}}}"#)
        rig.loop.run()
        _ = both.takeAll()
        for number in 1...3 {
            rig.send(Self.stake(number, id: 10), on: second)
            rig.send(
                #"{"id":20,"#
                    + RawClient.applying(
                        #"{"type":"betslip.update","stake":\#(number)}"#, to: "b") + "}",
                on: second)
            rig.loop.run()
        }
        #expect(Self.offsets(both.takeAll()) == [1, 1, 2, 2, 3, 3])
    }

    @Test func `what a slow reader keeps is its own and bounded, and others get everything`() {
        let rig = Rig(outboundBytes: 8000)
        let phone = rig.client(#"{"id":1,"connect":{"data":{"device":"phone"}}}"#)
        let quick = rig.follower("quick")
        let slow = rig.follower("slow")
        slow.room = 0
        var turns = 0
        while !slow.isReset, turns < 100 {
            turns += 1
            rig.send(Self.stake(turns, id: 10), on: phone)
            rig.loop.run()
        }
        // Some 200 bytes each.
        #expect((20...60).contains(turns))
        #expect(slow.takeAll() == [])
        #expect(Self.offsets(quick.takeAll()) == (1...turns).map(UInt64.init))
    }

    @Test func `lines, WebSockets in both encodings and TLS get the same`() async throws {
        let folder = try TestFolder()
        try folder.write(Array(TestCertificates.chain.utf8), to: "chain.pem")
        try folder.write(Array(TestCertificates.key.utf8), to: "key.pem")
        try await withServer {
            $0.tls = TLSFiles(certificate: folder.file("chain.pem"), key: folder.file("key.pem"))
        } _: { server in
            let phone = try RawClient(port: server.port, device: "phone")
            let line = try RawClient(port: server.port, device: "line")
            let secured = try RawClient(port: server.tlsPort)
            try secured.secure()
            _ = try secured.call(#""connect":{"data":{"device":"tls"}}"#)
            let socket = try RawWebSocket(port: server.port)
            try socket.call(#""connect":{"data":{"device":"ws"}}"#)
            let binary = try RawWebSocket(
                port: server.tlsPort, "Sec-WebSocket-Protocol: centrifuge-protobuf", isTLS: true)
            binary.send(0x82, try Self.protobuf(1, .connect(device: "pb")))
            #expect(try binary.frame().first == 0x82)
            try line.subscribe("a")
            try secured.subscribe("a")
            try socket.call(#""subscribe":{"channel":"session:a"}"#)
            binary.send(0x82, try Self.protobuf(2, .subscribe("session:a")))
            #expect(try binary.frame().first == 0x82)

            // In few packets, so that several are published in one turn.
            let lines = (1...40).map { Self.stake($0, id: $0 + 10) }
            phone.send(lines.joined(separator: "\n"))
            for offset in 1...40 {
                let text = try line.line()
                #expect(Self.offsets(Array(text.utf8)) == [UInt64(offset)])
                #expect(try secured.line() == text)
                #expect(try socket.text() == text)
                guard
                    case .push(.publication(_, let publication))? =
                        try ProtobufClient.decode(binary.frame().payload).first
                else { return #expect(Bool(false), "no publication in Protobuf") }
                #expect(publication.offset == UInt64(offset))
                #expect(text.contains(String(decoding: publication.data, as: UTF8.self)))
            }
        }
    }

    private enum Asked { case connect(device: String), subscribe(String) }

    private static func protobuf(_ id: UInt32, _ asked: Asked) throws -> [UInt8] {
        let line =
            switch asked {
            case .connect(let device): #"{"id":\#(id),"connect":{"data":{"device":"\#(device)"}}}"#
            case .subscribe(let channel): #"{"id":\#(id),"subscribe":{"channel":"\#(channel)"}}"#
            }
        return ProtobufClient.encode(try JSONCodec.decode(line.utf8Span.span))
    }
}
