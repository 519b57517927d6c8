import Actors
import Coordinator
import TestSupport
import Testing

/// Trouble with connections, by the numbers of Docs/Cases.md.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionCaseTests {
    private static let connect = #""connect":{"data":{"device":"tv"}}"#

    /// The value of a series of the metrics.
    private func metric(_ name: String, _ server: TestServer) throws -> Double {
        let page = try PrometheusText(RawClient(port: server.port).get("/metrics").body)
        return page.values["coordd_" + name] ?? -1
    }

    // MARK: C44

    @Test func `C44: readers that have stopped cost bounded memory and nobody else anything`()
        async throws
    {
        let bound = 256 * 1024
        try await withServer {
            $0.server.outboundBytes = bound
            $0.server.client.eventsPerSecond = 10_000
            $0.server.client.pingSeconds = 120
        } _: { server in
            let phone = try RawClient(port: server.port, device: "phone")
            let epoch = try phone.subscribe("a").result["epoch"]?.string ?? ""
            #expect(try phone.attach("a").code == nil)
            var lines: [RawClient] = []
            var sockets: [RawWebSocket] = []
            for number in 0..<6 {
                // Every third will read nothing; what its kernel takes is small.
                let stopped: Int32? = number % 3 == 0 ? 4096 : nil
                let line = try RawClient(
                    port: server.port, device: "line-\(number)", receiveBytes: stopped)
                try line.subscribe("a")
                let socket = try RawWebSocket(port: server.port, receiveBytes: stopped)
                try socket.call(Self.connect)
                try socket.call(#""subscribe":{"channel":"session:a"}"#)
                lines.append(line)
                sockets.append(socket)
            }
            let before = await server.connectionCount
            let text = String(repeating: "x", count: 60_000)
            var revision: UInt64 = 1
            // Signals until the four are gone, with a revision between them now and then.
            for round in 1...2000 {
                if round % 10 == 1 {
                    revision += 1
                    let stake = #"{"type":"betslip.update","stake":\#(revision)}"#
                    #expect(try phone.apply(stake, to: "a") == .result(["rev": .integer(revision)]))
                } else {
                    let noise = #"{"type":"bridge","handler":"page","body":"\#(text)"}"#
                    phone.send("{\"id\":\(100_000 + round),\(Self.applying(noise))}")
                    _ = try phone.answer(to: UInt32(100_000 + round))
                }
                for number in 0..<6 where number % 3 != 0 {
                    let push = try lines[number].push().payload
                    let framed = try sockets[number].text()
                    #expect(push.unsigned("offset") == (round % 10 == 1 ? revision : nil))
                    #expect(framed.contains(#""offset":\#(revision)}"#) == (round % 10 == 1))
                }
                let waiting = try metric("outbound_queue_bytes", server)
                #expect(waiting <= Double(4 * bound))
                let connections = await server.connectionCount
                if connections <= before - 4 { break }
            }
            #expect(await server.settled(before - 4) { await $0.connectionCount } == before - 4)
            #expect(try metric("slow_disconnects_total", server) == 4)
            #expect(try metric("outbound_queue_bytes", server) == 0)
            // One that is back has missed nothing.
            let back = try RawClient(port: server.port, device: "line-0")
            let position = #","recover":true,"epoch":"\#(epoch)","offset":0"#
            let result = try back.subscribe("a", position).result
            #expect(result["recovered"]?.bool == true)
            #expect(result["publications"]?.array?.count == Int(revision))
        }
    }

    private static func applying(_ event: String) -> String {
        RawClient.applying(event, to: "a")
    }

    // MARK: C45

    @Test func `C45: dead sockets give their places back and sessions are kept`() async throws {
        let limit = 8
        try await withServer {
            $0.server.connections = limit
            $0.server.client.pingSeconds = 1
            $0.server.client.pongMilliseconds = 500
        } _: { server in
            // They say nothing from now on, and their sockets stay open.
            let dead = try (0..<limit).map { number in
                let phone = try RawClient(port: server.port, device: "phone-\(number)")
                try phone.subscribe("s\(number)")
                #expect(try phone.attach("s\(number)").code == nil)
                return phone
            }
            let refused = try RawClient(port: server.port)
            #expect(try refused.line().contains(#""code":106"#))
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            let late = try RawClient(port: server.port, device: "late")
            for number in 0..<limit {
                let state = try late.rpc("session.state", "s\(number)").result
                // Attached, and lost: one revision each.
                #expect(state.unsigned("rev") == 2)
                #expect(state.at("state", "stage", "connected")?.bool == false)
            }
            for phone in dead {
                #expect(phone.rest().lines.last?.contains(#""code":3012"#) == true)
            }
        }
    }

    // MARK: C48

    @Test func `C48: everybody at once is served, and health answers meanwhile`() async throws {
        try await withServer { server in
            let clients = try (0..<400).map { number in
                let client = try RawClient(port: server.port)
                client.send(
                    #"{"id":1,"connect":{"data":{"device":"d\#(number)"}}}"# + "\n"
                        + #"{"id":2,"subscribe":{"channel":"session:s\#(number % 100)"}}"#)
                return client
            }
            // One in ten does not wait.
            for number in stride(from: 0, to: 400, by: 10) { clients[number].abort() }
            #expect(try RawClient(port: server.port).get("/healthz").status == 200)
            for number in 0..<400 where number % 10 != 0 {
                #expect(try clients[number].line().hasPrefix(#"{"id":1,"connect":"#))
                #expect(try clients[number].line().hasPrefix(#"{"id":2,"subscribe":"#))
            }
            #expect(await server.settled(360) { await $0.connectionCount } == 360)
            #expect(await server.storedSessions == 100)
            // Who has gone is in no presence.
            let stats = try clients[1].call(#""presence_stats":{"channel":"session:s0"}"#)
            #expect(stats.result.unsigned("num_clients") == 0)
        }
    }

    @Test func `C48: a session is read from the store once, however many come`() throws {
        let rig = try StoreRig()
        let ids = try (0..<20).map { try StoreRig.id("s\($0)") }
        for id in ids { try rig.subscribe(rig.peer(), to: id) }
        let cold = try rig.restarted()
        let peers = (0..<200).map { _ in cold.peer() }
        for (index, peer) in peers.enumerated() {
            cold.post(
                peer, 1, .subscribe(SessionCall.Subscription()), to: ids[index % ids.count],
                creates: true)
        }
        cold.hear(200, by: peers)
        #expect(cold.system.activeCount == 20)
        cold.close()
    }

    // MARK: C49

    @Test func `C49: nobody who has left stays in a roster`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        print("rosters with seed \(seed)")
        var random = SplitMix(seed: seed)
        for round in 0..<1000 {
            let (leaving, watching) = (rig.peer(), rig.peer())
            try rig.subscribe(leaving, to: session)
            // The loss comes before, between or behind the subscribe and the question.
            let wishes = SessionCall.Subscription(joinLeave: true)
            var steps = [0, 1]
            steps.insert(2, at: Int.random(in: 0...2, using: &random))
            for step in steps {
                switch step {
                case 0: rig.post(watching, 1, .subscribe(wishes), to: session)
                case 1: rig.post(watching, 2, .presence(.session(session)), to: session)
                default: rig.system.connectionLost(leaving.number, following: [session])
                }
            }
            rig.settle()
            var present: Set<String> = []
            for line in watching.heard() {
                switch try JSONCodec.decodeServerMessage([UInt8](line.utf8).span) {
                case .reply(2, _, let result):
                    present = Set(result["presence"]?.object?.members.map(\.key) ?? [])
                case .push(_, "join", let push):
                    present.insert(push.at("info", "client")?.string ?? "")
                case .push(_, "leave", let push):
                    present.remove(push.at("info", "client")?.string ?? "")
                case .ping, .reply, .failure, .push: break
                }
            }
            #expect(present == ["c\(watching.number)"], "round \(round), steps \(steps)")
            rig.system.connectionLost(watching.number, following: [session])
        }
        rig.close()
    }

    @Test func `C49: after a crash nobody is present but who came back`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        for _ in 0..<3 { try rig.subscribe(rig.peer(), to: session) }
        rig.settle()
        let again = try rig.crashed()
        let one = again.peer()
        let heard = try again.subscribe(one, to: session)
        #expect(heard.pushes.isEmpty)
        let roster = try again.ask(one, .presence(.session(session)), to: session)
        #expect(roster.answer?["presence"]?.object?.members.map(\.key) == ["c\(one.number)"])
        again.close()
        rig.close()
    }
}
