import Actors
import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LimitsTests {
    private static let stale = #"{"push":{"disconnect":{"code":3502,"reason":"stale"}}}"#
    private static let noPong = #"{"push":{"disconnect":{"code":3012,"reason":"no pong"}}}"#

    @Test func `who does not connect in time is closed`() async throws {
        try await withServer {
            $0.server.client.connectSeconds = 0
        } _: { server in
            let silent = try RawClient(port: server.port)
            let halfway = try RawClient(port: server.port)
            halfway.send(bytes: Array("{\"id\":1,".utf8))
            for client in [silent, halfway] {
                let (lines, end) = client.rest()
                #expect(lines == [Self.stale])
                #expect(end == .ended)
                client.close()
            }
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    @Test func `a drain tells the clients that are there and those that still come`() async throws {
        let shutdown = #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#
        try await withServer {
            $0.server.drainSeconds = 0
        } _: { server in
            let present = try RawClient(port: server.port, device: "tv")
            let waiting = try RawClient(port: server.port)
            #expect(await server.settled(2) { await $0.connectionCount } == 2)
            await server.drain()
            for client in [present, waiting] {
                #expect(client.rest().lines == [shutdown])
                client.close()
            }
            let late = try RawClient(port: server.port)
            late.send(
                #"{"id":1,"connect":{}}"# + "\n" + #"{"id":2,"subscribe":{"channel":"session:a"}}"#)
            #expect(late.rest().lines == [shutdown])
            late.close()
            #expect(await server.storedSessions == 0)
        }
    }

    @Test func `a drain is over when those are gone who were there, whoever else comes`()
        async throws
    {
        try await withServer {
            $0.server.drainSeconds = 0
        } _: { server in
            let present = try RawClient(port: server.port, device: "tv")
            let (drained, whenDrained) = AsyncStream<Void>.makeStream()
            await server.drain { whenDrained.finish() }
            let late = try RawClient(port: server.port)
            #expect(try late.get("/readyz").status == 503)
            _ = present.rest()
            present.close()
            for await _ in drained {}
            // It is still there: whoever ends the server then closes it.
            #expect(await server.connectionCount == 1)
        }
    }

    @Test func `a client that answers pings stays`() async throws {
        try await withServer {
            $0.server.client.pingSeconds = 1
            $0.server.client.pongMilliseconds = 900
        } _: { server in
            let client = try RawClient(port: server.port, device: "tv")
            #expect(try client.call(#""ping":{}"#).code == 108)
            for _ in 0..<2 {
                #expect(try client.line() == "{}")
                client.send("{}")
            }
            #expect(try client.subscribe("a").code == nil)
            // Each ping allows one pong.
            client.send("{}")
            #expect(client.rest().lines.last?.contains(#""code":3501"#) == true)
        }
    }

    @Test func `a client that answers no ping is closed, whatever else it sends`() async throws {
        try await withServer {
            $0.server.client.pingSeconds = 1
            $0.server.client.pongMilliseconds = 500
        } _: { server in
            let dead = try RawClient(port: server.port, device: "phone")
            try dead.subscribe("a")
            #expect(try dead.line() == "{}")
            dead.send(#"{"id":9,"ping":{}}"#)
            #expect(try dead.line().hasPrefix(#"{"id":9,"error":{"code":108,"#))
            let (lines, end) = dead.rest()
            #expect(lines == [Self.noPong])
            #expect(end == .ended)
            dead.close()
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            let other = try RawClient(port: server.port, device: "tv")
            #expect(
                try other.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 0, "num_users": 0]))
        }
    }

    @Test func `more events than the rate allows are refused and the connection stays`()
        async throws
    {
        try await withServer {
            $0.server.client.eventsPerSecond = 1
        } _: { server in
            let client = try RawClient(port: server.port, device: "tv")
            try client.subscribe("a")
            // In one write, so that they arrive together: the burst is twice the rate.
            let event = RawClient.applying(#"{"type":"fullscreen.toggle"}"#, to: "a")
            client.send((11...20).map { "{\"id\":\($0),\(event)}" }.joined(separator: "\n"))
            var refusals: [ReplyError] = []
            for id in UInt32(11)...20 {
                if case .failure(let error) = try client.answer(to: id) { refusals.append(error) }
            }
            // One more may come through where the writes were split over a second.
            #expect((7...8).contains(refusals.count))
            for refusal in refusals {
                #expect(refusal.code == 111)
                #expect(refusal.temporary)
            }
            #expect(try client.rpc("session.state", "a").result.unsigned("rev") ?? 0 >= 2)
        }
    }

    @Test func `a connection has only so many subscriptions`() async throws {
        try await withServer {
            $0.server.client.subscriptions = 2
        } _: { server in
            let client = try RawClient(port: server.port, device: "tv")
            #expect(try client.subscribe("a").code == nil)
            #expect(try client.attach("a").code == nil)
            #expect(try client.subscribe("b").code == 106)
            #expect(await server.storedSessions == 1)
            try client.call(#""unsubscribe":{"channel":"stage:a"}"#)
            #expect(try client.subscribe("b").code == nil)
        }
    }

    @Test func `there are only so many sessions`() async throws {
        try await withServer {
            $0.maximumSessions = 1
        } _: { server in
            let client = try RawClient(port: server.port, device: "tv")
            #expect(try client.subscribe("a").code == nil)
            #expect(try client.subscribe("b").code == 106)
            #expect(try client.attach("a").code == nil)
            #expect(try client.rpc("session.close", "a") == .result([:]))
            #expect(try client.subscribe("b").code == nil)
        }
    }

    @Test func `a server that makes no sessions says so`() async throws {
        try await withServer {
            $0.server.client.access = .open(createsSessions: false)
        } _: { server in
            let client = try RawClient(port: server.port, device: "tv")
            #expect(try client.subscribe("a").code == 103)
            #expect(await server.activeSessions == 0)
        }
    }

    @Test func `there are only so many connections`() async throws {
        try await withServer {
            $0.server.connections = 2
        } _: { server in
            let first = try RawClient(port: server.port, device: "tv")
            let second = try RawClient(port: server.port, device: "phone")
            let third = try RawClient(port: server.port)
            #expect([.ended, .reset].contains(third.rest().end))
            #expect(try first.subscribe("a").code == nil)
            second.close()
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
            let fourth = try RawClient(port: server.port, device: "phone")
            #expect(try fourth.subscribe("a").code == nil)
        }
    }

    @Test func `one address has only so many connections`() async throws {
        try await withServer {
            $0.server.connectionsPerAddress = 1
        } _: { server in
            let first = try RawClient(port: server.port, device: "tv")
            let second = try RawClient(port: server.port)
            #expect([.ended, .reset].contains(second.rest().end))
            let elsewhere = try RawClient(port: server.port, host: 2)
            #expect(try elsewhere.call(#""connect":{}"#).code == nil)
            first.close()
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
            let third = try RawClient(port: server.port, device: "tv")
            #expect(try third.subscribe("a").code == nil)
        }
    }
}
