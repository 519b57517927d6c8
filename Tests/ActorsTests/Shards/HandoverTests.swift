import Actors
import Coordinator
import TestSupport
import Testing

/// Connections that move to the loop of their first session.
@Suite(.timeLimit(.minutes(5)))
struct HandoverTests {
    private static let events = 800

    private static let connect = #"{"id":1,"connect":{"data":{"device":"phone"}}}"#

    private static func subscribe(_ name: String) -> String {
        #"{"id":2,"subscribe":{"channel":"session:\#(name)"}}"#
    }

    /// What a client says at once: it does not wait for any answer.
    private static func commands(_ name: String) -> [String] {
        let events = (0..<events).map { number in
            let event = #"{"type":"betslip.update","stake":"\#(number)"}"#
            return #"{"id":\#(number + 10),\#(RawClient.applying(event, to: name))}"#
        }
        let state = #""rpc":{"method":"session.state","data":{"session":"\#(name)"}}"#
        // The one that is no command is answered at once, before what waits for the session.
        return [connect, subscribe(name)] + events
            + [#"{"id":6,"subscribe":{"channel":7}}"#, "{\"id\":5,\(state)}"]
    }

    /// Reads answers up to the last one and gives their ids, and the revisions of the events.
    private func outcome(
        _ next: () throws -> JSONCodec.ServerMessage
    ) throws -> (ids: [UInt32], revisions: [UInt64]) {
        var ids: [UInt32] = []
        var revisions: [UInt64] = []
        while ids.last != 5 {
            switch try next() {
            case .reply(let id, _, let result):
                ids.append(id)
                if let revision = result.unsigned("data", "rev"), id >= 10 {
                    revisions.append(revision)
                }
            case .failure(let id, let error): #expect(id == 6 && error.code == 107)
            case .push(_, let kind, _): #expect(kind == "pub")
            case .ping: break
            }
        }
        return (ids, revisions)
    }

    private func withTLSServer(_ body: (TestServer) async throws -> Void) async throws {
        let certificates = try TestFolder()
        try certificates.write(Array(TestCertificates.chain.utf8), to: "chain")
        try certificates.write(Array(TestCertificates.key.utf8), to: "key")
        try await withServer {
            $0.loops = 2
            $0.server.client.eventsPerSecond = 100_000
            $0.tls = TLSFiles(
                certificate: certificates.file("chain"), key: certificates.file("key"))
        } _: { server in
            try await body(server)
        }
    }

    @Test(arguments: [0, 1], [false, true])
    func `lines that come with the first call are answered in order`(
        place: Int, isTLS: Bool
    ) async throws {
        try await withTLSServer { server in
            var clients: [RawClient] = []
            // They are dealt to the loops in turn.
            for name in LoopNames.at(place, 4) {
                let client = try RawClient(port: isTLS ? server.tlsPort : server.port)
                if isTLS { try client.secure() }
                client.send(Self.commands(name).joined(separator: "\n"))
                let (ids, revisions) = try outcome { try client.message() }
                #expect(ids.prefix(2) == [1, 2])
                #expect(ids.dropFirst(2).dropLast().elementsEqual(10..<UInt32(Self.events) + 10))
                #expect(revisions.elementsEqual(1...UInt64(Self.events)))
                clients.append(client)
            }
            var counts = [0, 0]
            counts[place] = 4
            let found = await server.connectionsByLoop
            #expect(found == counts)
            // Both sides still end in order.
            for client in clients { client.endSending() }
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test(arguments: [0, 1], [false, true])
    func `frames that come with the handshake are answered in order`(
        place: Int, isTLS: Bool
    ) async throws {
        try await withTLSServer { server in
            for name in LoopNames.at(place, 4) {
                let commands = Self.commands(name)
                // The first frame has four commands, of which the second one moves the connection.
                let frames =
                    RawWebSocket.text(commands[..<4].joined(separator: "\n"))
                    + commands[4...].flatMap { RawWebSocket.text($0) }
                    + RawWebSocket.frame(0x89, [7])
                let socket = try RawWebSocket(
                    port: isTLS ? server.tlsPort : server.port, behind: frames, isTLS: isTLS)
                var hasPong = false
                let (ids, revisions) = try outcome {
                    var frame = try socket.frame()
                    if frame == RawWebSocket.Frame(first: 0x8A, payload: [7]) {
                        hasPong = true
                        frame = try socket.frame()
                    }
                    #expect(frame.first == 0x81)
                    return try JSONCodec.decodeServerMessage(frame.payload.span)
                }
                #expect(ids.prefix(2) == [1, 2])
                #expect(ids.dropFirst(2).dropLast().elementsEqual(10..<UInt32(Self.events) + 10))
                #expect(revisions.elementsEqual(1...UInt64(Self.events)))
                while !hasPong { hasPong = try socket.frame().first == 0x8A }
                socket.send(0x88, [0x03, 0xE8])
                #expect(try socket.frame().code == 1000)
                socket.client.close()
            }
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test(arguments: [false, true])
    func `whoever goes while it moves is gone`(resets: Bool) async throws {
        try await withServer {
            $0.loops = 2
        } _: { server in
            for round in 0..<200 {
                let client = try RawClient(port: server.port)
                client.send(Self.connect + "\n" + Self.subscribe(LoopNames.both[round % 2]))
                if resets { client.abort() } else { client.close() }
            }
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            let witness = try RawClient(port: server.port, device: "witness")
            for name in LoopNames.both {
                try witness.subscribe(name)
                let stats = try witness.call(#""presence_stats":{"channel":"session:\#(name)"}"#)
                #expect(stats == .result(["num_clients": 1, "num_users": 1]))
            }
        }
    }

    @Test
    func `a line that is too long behind the first call ends the connection after its answers`()
        async throws
    {
        try await withServer {
            $0.loops = 2
            $0.server.messageBytes = 1024
        } _: { server in
            for name in LoopNames.both + LoopNames.both {
                let client = try RawClient(port: server.port)
                client.send(
                    Self.connect + "\n" + Self.subscribe(name) + "\n"
                        + String(repeating: " ", count: 2000))
                let lines = client.rest().lines
                try #require(lines.count == 3)
                #expect(lines[1].hasPrefix(#"{"id":2,"subscribe":{"#))
                #expect(lines[2].contains(#""code":3501"#))
            }
        }
    }
}
