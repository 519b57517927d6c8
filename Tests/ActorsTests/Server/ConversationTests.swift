import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConversationTests {
    @Test func `the first subscribe makes a session and brings its state`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let connected = try client.call(#""connect":{"data":{"device":"tv"}}"#).result
            #expect(connected["client"]?.string?.utf8.count == 36)
            #expect(connected.unsigned("ping") == 25)
            #expect(connected["pong"]?.bool == true)

            let result = try client.subscribe("a").result
            #expect(result["epoch"]?.string?.isEmpty == false)
            #expect(result.unsigned("offset") == 0)
            #expect(result["recoverable"]?.bool == true)
            #expect(result["positioned"]?.bool == true)
            #expect(result["recovered"] == nil)
            #expect(result.unsigned("data", "rev") == 0)
            #expect(result.at("data", "state", "player", "phase") == "idle")
            #expect(await server.activeSessions == 1)
        }
    }

    @Test func `an event is answered with its revision and published to every subscriber`()
        async throws
    {
        try await withServer { server in
            let mirror = try RawClient(port: server.port, device: "tv")
            let sender = try RawClient(port: server.port, device: "tablet")
            var folded = try FoldedMirror(subscribed: mirror.subscribe("a").result)
            let event = #"{"type":"betslip.update","stake":"1.00"}"#
            let answer = try sender.apply(event, to: "a")
            #expect(answer == .result(["rev": 1]))

            let push = try mirror.push()
            #expect(push.channel == "session:a")
            #expect(push.kind == "pub")
            let data = push.payload["data"]
            #expect(data?.unsigned("rev") == 1)
            #expect(data?["at"]?.number?.unsigned != nil)
            #expect(data?["by"] == ["device": "tablet", "role": "mirror"])
            #expect(data?["event"] == ["type": "betslip.update", "stake": "1.00"])
            #expect(data?["patch"] == ["betslip": ["stake": "1.00", "revision": 1]])
            #expect(data?["warnings"] == nil)

            try folded.take(publication: push.payload)
            let state = try sender.rpc("session.state", "a").result
            #expect(state.unsigned("rev") == 1)
            #expect(state["epoch"]?.string == folded.epoch)
            #expect(state["state"] == folded.state)
        }
    }

    @Test func `publishing is applying, and the publisher sees its own publication`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            try client.subscribe("a")
            let answer = try client.call(
                #""publish":{"channel":"session:a","data":{"type":"fullscreen.set","on":true}}"#)
            #expect(answer == .result([:]))
            #expect(try client.push().payload.unsigned("offset") == 1)
            let refused = try client.call(
                #""publish":{"channel":"stage:a","data":{"type":"fullscreen.set","on":false}}"#)
            #expect(refused.code == 103)
        }
    }

    @Test func `applying makes no session`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            #expect(try client.apply(#"{"type":"betslip.close"}"#, to: "a").code == 102)
            #expect(try client.rpc("session.state", "a").code == 102)
            #expect(try client.attach("a").code == 102)
            #expect(try client.call(#""history":{"channel":"session:a"}"#).code == 102)
            #expect(await server.storedSessions == 0)
        }
    }

    @Test func `a repeated id is answered as the first time, and only the first counts`()
        async throws
    {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            try client.subscribe("a")
            let event = #"{"type":"betslip.update","stake":"2.00"}"#
            #expect(try client.apply(event, to: "a", #","id":"x""#) == .result(["rev": 1]))
            #expect(
                try client.apply(#"{"type":"fullscreen.toggle"}"#, to: "a") == .result(["rev": 2]))
            #expect(
                try client.apply(event, to: "a", #","id":"x""#)
                    == .result(["rev": 1, "duplicate": true]))
            // Ids belong to their device.
            let other = try RawClient(port: server.port, device: "tablet")
            #expect(try other.apply(event, to: "a", #","id":"x""#) == .result(["rev": 2]))
        }
    }

    @Test func `an event for another revision is a conflict`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            try client.subscribe("a")
            let event = #"{"type":"betslip.update","stake":"2.00"}"#
            #expect(try client.apply(event, to: "a", #","ifRev":1"#).code == 409)
            #expect(try client.apply(event, to: "a", #","ifRev":0"#) == .result(["rev": 1]))
        }
    }

    @Test func `history pages through the window`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            let epoch = try client.subscribe("a").result["epoch"]?.string ?? ""
            for stake in 1...5 {
                try client.apply(#"{"type":"betslip.update","stake":\#(stake)}"#, to: "a")
            }
            let cases: [(fields: String, offsets: [UInt64])] = [
                ("", []),
                (#","limit":-1"#, [1, 2, 3, 4, 5]),
                (#","limit":2"#, [1, 2]),
                (#","limit":2,"reverse":true"#, [5, 4]),
                (#","limit":-1,"since":{"offset":3,"epoch":"\#(epoch)"}"#, [4, 5]),
                (#","limit":2,"reverse":true,"since":{"offset":4,"epoch":"\#(epoch)"}"#, [3, 2]),
            ]
            for (fields, offsets) in cases {
                let result = try client.call(#""history":{"channel":"session:a"\#(fields)}"#).result
                let found = result["publications"]?.array?.compactMap { $0.unsigned("offset") }
                #expect(found == offsets, "\(fields)")
                #expect(result["epoch"]?.string == epoch)
                #expect(result.unsigned("offset") == 5)
            }
            let other = try client.call(
                #""history":{"channel":"session:a","since":{"offset":1,"epoch":"other"}}"#)
            #expect(other.code == 112)
            let nothing = try client.call(
                #""history":{"channel":"session:a","reverse":true,"since":{"offset":0}}"#)
            #expect(nothing.code == 107)
            #expect(try client.call(#""history":{"channel":"stage:a"}"#).code == 108)
        }
    }

    @Test func `a device is one entry of the presence however many connections it has`()
        async throws
    {
        try await withServer { server in
            let watcher = try RawClient(port: server.port, device: "tv")
            try watcher.subscribe("a", #","join_leave":true,"data":{"role":"observer"}"#)
            let own = try watcher.push()
            #expect(own.kind == "join")
            #expect(own.channel == "session:a")
            let info = own.payload["info"]
            #expect(info?["chan_info"] == ["device": "tv", "role": "observer"])

            let first = try RawClient(port: server.port, device: "tablet")
            try first.subscribe("a")
            let joined = try watcher.push()
            #expect(joined.kind == "join")
            #expect(joined.payload.at("info", "chan_info", "device") == "tablet")
            let second = try RawClient(port: server.port, device: "tablet")
            try second.subscribe("a")
            #expect(
                try watcher.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 2, "num_users": 1]))
            let presence = try watcher.call(#""presence":{"channel":"session:a"}"#).result
            let entries = presence["presence"]?.object?.members ?? []
            #expect(entries.count == 2)
            for entry in entries { #expect(entry.value["client"] == .string(entry.key)) }

            first.close()
            try second.call(#""unsubscribe":{"channel":"session:a"}"#)
            let left = try watcher.push()
            #expect(left.kind == "leave")
            #expect(left.payload["info"] == joined.payload["info"])
            #expect(
                try watcher.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 1, "num_users": 1]))
        }
    }

    @Test
    func `the presence is told in its turn, also behind the subscribe that makes the session`()
        async throws
    {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            // In one write: the session's first commit is not durable when the third line comes.
            client.send(
                [
                    #"{"id":1,"connect":{"data":{"device":"tv"}}}"#,
                    #"{"id":2,"subscribe":{"channel":"session:new"}}"#,
                    #"{"id":3,"presence":{"channel":"session:new"}}"#,
                    #"{"id":4,"presence_stats":{"channel":"session:new"}}"#,
                    #"{"id":5,"unsubscribe":{"channel":"session:new"}}"#,
                    #"{"id":6,"presence_stats":{"channel":"session:new"}}"#,
                ].joined(separator: "\n"))
            let lines = try (0..<6).map { _ in
                try JSONParser.parse(text: try client.line()).root
            }
            #expect(lines.map { $0["id"] } == (1...6).map { .integer($0) })
            #expect(lines[2].at("presence", "presence")?.object?.members.count == 1)
            #expect(lines[3].at("presence_stats", "num_clients") == 1)
            #expect(lines[5].at("presence_stats", "num_clients") == 0)
        }
    }

    @Test func `nothing comes after an unsubscribe until the next subscribe`() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port, device: "tv")
            let unsubscribe = #""unsubscribe":{"channel":"session:a"}"#
            #expect(try client.call(unsubscribe) == .result([:]))
            try client.subscribe("a")
            #expect(try client.subscribe("a").code == 105)
            #expect(try client.call(unsubscribe) == .result([:]))
            #expect(
                try client.apply(#"{"type":"fullscreen.toggle"}"#, to: "a") == .result(["rev": 1]))
            #expect(try client.subscribe("a").result.unsigned("data", "rev") == 1)
            try client.apply(#"{"type":"fullscreen.toggle"}"#, to: "a")
            #expect(try client.push().payload.unsigned("offset") == 2)
        }
    }

    @Test func `pipelined commands are answered in order, the subscription before its pushes`()
        async throws
    {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(
                #"{"id":1,"connect":{}}"# + "\n"
                    + #"{"id":2,"subscribe":{"channel":"session:a"}}"# + "\n{\"id\":3,"
                    + RawClient.applying(#"{"type":"fullscreen.toggle"}"#, to: "a") + "}")
            #expect(try client.line().hasPrefix(#"{"id":1,"connect":{"#))
            #expect(try client.line().hasPrefix(#"{"id":2,"subscribe":{"#))
            #expect(try client.line().hasPrefix(#"{"push":{"channel":"session:a","pub":{"#))
            #expect(try client.line() == #"{"id":3,"rpc":{"data":{"rev":1}}}"#)
        }
    }
}
