import Actors
import Coordinator
import TestSupport
import Testing

/// Several event loops: whatever loop a connection and a session are on, clients see one server
/// (decision: loops).
@Suite(.timeLimit(.minutes(5)))
struct LoopsTests {
    private static let toggle = #"{"type":"fullscreen.toggle"}"#
    private static let revisions = 50

    private func stake(_ number: Int) -> String {
        #"{"type":"betslip.update","stake":"\#(number)"}"#
    }

    @Test func `a connection that follows sessions of both loops gets each in order`() async throws
    {
        try await withServer {
            $0.loops = 2
            $0.server.client.eventsPerSecond = 10_000
        } _: { server in
            let viewer = try RawClient(port: server.port, device: "viewer")
            for name in LoopNames.both { try viewer.subscribe(name) }
            let senders = try LoopNames.both.map { name in
                let sender = try RawClient(port: server.port, device: "sender")
                try sender.subscribe(name)
                return sender
            }
            for number in 1...Self.revisions {
                for (sender, name) in zip(senders, LoopNames.both) {
                    sender.begin(RawClient.applying(stake(number), to: name))
                }
            }
            var seen = [UInt64](repeating: 0, count: 2)
            while seen != [UInt64](repeating: UInt64(Self.revisions), count: 2) {
                let push = try viewer.push()
                let place = try #require(
                    LoopNames.both.firstIndex { push.channel == "session:\($0)" })
                #expect(push.kind == "pub")
                seen[place] += 1
                #expect(push.payload.unsigned("offset") == seen[place])
            }
        }
    }

    @Test func `the viewer itself sends to both, and each answer is of its own session`()
        async throws
    {
        try await withServer {
            $0.loops = 2
            $0.server.client.eventsPerSecond = 10_000
        } _: { server in
            let viewer = try RawClient(port: server.port, device: "viewer")
            for name in LoopNames.both { try viewer.subscribe(name) }
            var ids: [[UInt32]] = [[], []]
            for number in 1...Self.revisions {
                for (place, name) in LoopNames.both.enumerated() {
                    ids[place].append(viewer.begin(RawClient.applying(stake(number), to: name)))
                }
            }
            for own in ids {
                for (index, id) in own.enumerated() {
                    #expect(try viewer.rpcAnswer(id).result.unsigned("rev") == UInt64(index) + 1)
                }
            }
        }
    }

    @Test func `who goes leaves the sessions of both loops`() async throws {
        try await withServer {
            $0.loops = 2
        } _: { server in
            let viewer = try RawClient(port: server.port, device: "viewer")
            let witness = try RawClient(port: server.port, device: "witness")
            for name in LoopNames.both {
                try viewer.subscribe(name)
                try witness.subscribe(name, #","join_leave":true"#)
                #expect(try witness.push().kind == "join")
            }
            viewer.close()
            var left: Set<String> = []
            while left.count < 2 {
                let push = try witness.push()
                #expect(push.kind == "leave")
                left.insert(push.channel ?? "")
            }
            #expect(left == Set(LoopNames.both.map { "session:\($0)" }))
            for name in LoopNames.both {
                let stats = try witness.call(
                    #""presence_stats":{"channel":"session:\#(name)"}"#)
                #expect(stats == .result(["num_clients": 1, "num_users": 1]))
            }
        }
    }

    @Test func `a stage on another loop gets its effects and loses it to another device`()
        async throws
    {
        try await withServer {
            $0.loops = 2
        } _: { server in
            for (home, other) in [(0, 1), (1, 0)] {
                let phone = try RawClient(port: server.port, device: "phone")
                // Its first session keeps it on the other loop.
                try phone.subscribe(LoopNames.both[home])
                let name = LoopNames.both[other]
                try phone.subscribe(name)
                #expect(try phone.attach(name).code == nil)
                let tv = try RawClient(port: server.port, device: "tv")
                try tv.subscribe(name)
                try tv.apply(Self.toggle, to: name)
                var effect: PushMessage?
                while effect == nil {
                    let push = try phone.push()
                    if push.channel == "stage:\(name)" { effect = push }
                }
                #expect(effect?.payload.unsigned("data", "seq") == 1)
                #expect(try tv.rpc("stage.take", name).code == nil)
                while true {
                    let push = try phone.push()
                    if push.kind == "unsubscribe" {
                        #expect(push.channel == "stage:\(name)")
                        break
                    }
                }
                #expect(try tv.rpc("session.close", name).code == 103)
                #expect(try tv.attach(name).code == nil)
                #expect(try tv.rpc("session.close", name).result == [:])
                #expect(try phone.subscribe("after-\(home)").code == nil)
            }
        }
    }

    @Test func `a slow reader of another loop's session is reset, the others get everything`()
        async throws
    {
        try await withServer {
            $0.loops = 2
            $0.server.outboundBytes = 65_536
        } _: { server in
            let name = LoopNames.both[1]
            let mirror = try RawClient(port: server.port, device: "tv")
            try mirror.subscribe(name, #","join_leave":true"#)
            let slow = try RawClient(port: server.port, device: "slow", receiveBytes: 4096)
            try slow.subscribe(LoopNames.both[0])
            try slow.subscribe(name)
            let phone = try RawClient(port: server.port, device: "phone")
            try phone.attach(name)
            let padding = String(repeating: "x", count: 60_000)
            let event = #"{"type":"bridge","handler":"page","body":"\#(padding)"}"#
            var hasLeft = false
            var signals = 0
            while !hasLeft, signals < 2000 {
                let id = phone.begin(RawClient.applying(event, to: name))
                signals += 1
                #expect(try phone.rpcAnswer(id).code == nil)
                var wasSeen = false
                while !wasSeen {
                    let push = try mirror.push()
                    let device = push.payload.at("info", "chan_info", "device")?.string
                    if push.kind == "leave", device == "slow" { hasLeft = true }
                    if push.kind == "pub", push.payload["offset"] == nil { wasSeen = true }
                }
            }
            #expect(hasLeft)
            #expect(slow.rest().end == .reset)
            slow.close()
            #expect(await server.settled(2) { await $0.connectionCount } == 2)
        }
    }

    @Test func `a drain tells the clients of all loops and ends with the last one`() async throws {
        let shutdown = #"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#
        try await withServer {
            $0.loops = 2
            $0.server.drainSeconds = 0
        } _: { server in
            let clients = try (0..<8).map { number in
                let client = try RawClient(port: server.port, device: "tv-\(number)")
                try client.subscribe(LoopNames.both[number % 2])
                return client
            }
            let counts = await server.connectionsByLoop
            #expect(counts == [4, 4])
            let (drained, whenDrained) = AsyncStream<Void>.makeStream()
            await server.drain { whenDrained.finish() }
            for client in clients {
                #expect(client.rest().lines.last == shutdown)
                client.close()
            }
            for await _ in drained {}
            let late = try RawClient(port: server.port)
            late.send(#"{"id":1,"connect":{}}"#)
            #expect(late.rest().lines == [shutdown])
        }
    }

    @Test func `a slip is the same for whoever recovers it on another loop`() async throws {
        try await withServer {
            $0.loops = 2
        } _: { server in
            let name = LoopNames.both[1]
            let sender = try RawClient(port: server.port, device: "sender")
            let epoch = try sender.subscribe(name).result["epoch"]?.string ?? ""
            for number in 1...5 { try sender.apply(stake(number), to: name) }
            let viewer = try RawClient(port: server.port, device: "viewer")
            try viewer.subscribe(LoopNames.both[0])
            let position = #","recover":true,"epoch":"\#(epoch)","offset":2"#
            let result = try viewer.subscribe(name, position).result
            #expect(result["recovered"]?.bool == true)
            let tail = result["publications"]?.array?.map { $0.unsigned("offset") }
            #expect(tail == [3, 4, 5])
        }
    }
}
