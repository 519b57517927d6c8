import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StageConversationTests {
    /// A session `a` with its stage on the device `phone`.
    private func stage(on server: TestServer) throws -> RawClient {
        let phone = try RawClient(port: server.port, device: "phone")
        try phone.subscribe("a")
        let attached = try phone.attach("a").result
        #expect(attached == ["data": ["pending": []]])
        #expect(try phone.push().payload.unsigned("offset") == 1)
        return phone
    }

    @Test func `the stage gets effects until it acknowledges them`() async throws {
        try await withServer { server in
            let phone = try stage(on: server)
            let mirror = try RawClient(port: server.port, device: "tv")
            #expect(
                try mirror.apply(#"{"type":"fullscreen.set","on":true}"#, to: "a")
                    == .result(["rev": 2]))
            let publication = try phone.push()
            #expect(publication.channel == "session:a")
            #expect(publication.payload.unsigned("offset") == 2)
            let effects = [try phone.push(), try phone.push()]
            for (effect, seq) in zip(effects, UInt64(1)...) {
                #expect(effect.channel == "stage:a")
                #expect(effect.payload["offset"] == nil)
                #expect(effect.payload.unsigned("data", "seq") == seq)
            }
            #expect(try mirror.rpc("effects.ack", "a", #","done":[1]"#).code == 103)
            #expect(try phone.rpc("effects.ack", "a", #","done":[1]"#) == .result([:]))
            #expect(try phone.rpc("effects.ack", "a", #","done":[1]"#) == .result([:]))
            let pending = try phone.call(#""unsubscribe":{"channel":"stage:a"}"#)
            #expect(pending == .result([:]))
            let result = try phone.attach("a").result
            let seqs = result.at("data", "pending")?.array?.compactMap { $0.unsigned("seq") }
            // The one not acknowledged, and what a return brings: reportFacts and setKeepAwake.
            #expect(seqs == [2, 3, 4])
        }
    }

    @Test func `a bet of a deleted session is not placed again`() async throws {
        try await withServer { server in
            let tablet = try RawClient(port: server.port, device: "tablet")
            let slip = #"{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":"1.85"}"#
            let place = #"{"type":"betslip.place","placementId":"p1"}"#
            let settle = #"{"type":"betslip.settle","placementId":"p1","outcome":"accepted"}"#
            do {
                let phone = try stage(on: server)
                #expect(try phone.apply(slip, to: "a").code == nil)
                #expect(try phone.apply(place, to: "a").code == nil)
                #expect(try phone.apply(settle, to: "a").code == nil)
                #expect(try phone.rpc("session.close", "a") == .result([:]))
            }
            let again = try stage(on: server)
            #expect(try again.apply(slip, to: "a").code == nil)
            let repeated = try tablet.apply(place, to: "a").result
            #expect(repeated["duplicate"] == true)
            #expect(repeated["placement"] == ["id": "p1", "outcome": "accepted", "by": "phone"])
            // The new session's slip is at the revision that was accepted in the old one.
            let fresh = #"{"type":"betslip.place","placementId":"p2","ifSlip":1}"#
            #expect(try tablet.apply(fresh, to: "a").code == nil)
        }
    }

    @Test func `a signal reaches who listens now and has no offset`() async throws {
        try await withServer { server in
            let phone = try stage(on: server)
            let mirror = try RawClient(port: server.port, device: "tv")
            try mirror.subscribe("a")
            let event = #"{"type":"device.keyboard","height":300}"#
            #expect(try mirror.apply(event, to: "a").code == 103)
            #expect(try phone.apply(event, to: "a") == .result(["rev": 1]))
            let push = try mirror.push()
            #expect(push.channel == "session:a")
            #expect(push.payload["offset"] == nil)
            let data = push.payload["data"]
            #expect(data?["rev"] == nil)
            #expect(data?["patch"] == nil)
            #expect(data?["by"] == ["device": "phone", "role": "player"])
            #expect(data?["event"] == ["type": "device.keyboard", "height": 300])
            let history = try mirror.call(#""history":{"channel":"session:a","limit":-1}"#).result
            #expect(history["publications"]?.array?.count == 1)
        }
    }

    @Test func `the same device replaces its old connection`() async throws {
        try await withServer { server in
            let phone = try stage(on: server)
            let again = try RawClient(port: server.port, device: "phone")
            #expect(try again.attach("a").code == nil)
            let (lines, end) = phone.rest()
            #expect(
                lines.last == #"{"push":{"disconnect":{"code":3503,"reason":"replaced"}}}"#)
            #expect(end == .ended)
            phone.close()
            // The old connection's end takes nothing from the new one.
            #expect(await server.settled(1) { await $0.connectionCount } == 1)
            let event = #"{"type":"device.keyboard","height":0}"#
            #expect(try again.apply(event, to: "a").code == nil)
        }
    }

    @Test func `another device gets the stage by taking it over`() async throws {
        try await withServer { server in
            let phone = try stage(on: server)
            let tablet = try RawClient(port: server.port, device: "tablet")
            #expect(try tablet.attach("a").code == 423)
            #expect(try tablet.rpc("stage.take", "a") == .result([:]))
            #expect(try phone.push().payload.at("data", "event", "type") == "stage.taken")
            let farewell = try phone.push()
            #expect(farewell.channel == "stage:a")
            #expect(farewell.kind == "pub")
            let end = try phone.push()
            #expect(end.channel == "stage:a")
            #expect(end.kind == "unsubscribe")
            #expect(end.payload.unsigned("code") == 2100)
            #expect(end.payload["reason"]?.string?.isEmpty == false)
            #expect(try tablet.attach("a").code == nil)
            // The old stage's connection stays, but not its rights.
            #expect(try phone.apply(#"{"type":"device.dismissed"}"#, to: "a").code == 103)
            #expect(try phone.attach("a").code == 423)
            let observer = try RawClient(port: server.port, device: "kiosk")
            try observer.subscribe("a", #","data":{"role":"observer"}"#)
            #expect(try observer.rpc("stage.take", "a").code == 103)
        }
    }

    @Test func `closing a session ends every subscription and forgets it`() async throws {
        try await withServer { server in
            let phone = try stage(on: server)
            let mirror = try RawClient(port: server.port, device: "tv")
            let epoch = try mirror.subscribe("a").result["epoch"]
            #expect(try mirror.rpc("session.close", "a").code == 103)
            let closing = phone.begin(
                #""rpc":{"method":"session.close","data":{"session":"a"}}"#)
            let ended = try [phone.push(), phone.push(), mirror.push()]
            for push in ended {
                #expect(push.kind == "unsubscribe")
                #expect(push.payload.unsigned("code") == 2000)
                #expect(push.payload["reason"]?.string?.isEmpty == false)
            }
            #expect(Set(ended.prefix(2).map(\.channel)) == ["stage:a", "session:a"])
            #expect(ended[2].channel == "session:a")
            #expect(try phone.rpcAnswer(closing) == .result([:]))
            #expect(try mirror.rpc("session.state", "a").code == 102)
            #expect(await server.activeSessions == 0)
            #expect(await server.storedSessions == 0)
            let new = try mirror.subscribe("a").result
            #expect(new.unsigned("offset") == 0)
            #expect(new["epoch"] != epoch)
        }
    }

    @Test func `a stage that drops is detached for all to see`() async throws {
        try await withServer { server in
            let phone = try stage(on: server)
            let mirror = try RawClient(port: server.port, device: "tv")
            try mirror.subscribe("a")
            phone.abort()
            let detached = try mirror.push().payload
            #expect(detached.unsigned("offset") == 2)
            #expect(detached.at("data", "event", "type") == "stage.detached")
            #expect(detached.at("data", "by", "role") == "system")
            // Its place is kept for a while.
            let tablet = try RawClient(port: server.port, device: "tablet")
            #expect(try tablet.attach("a").code == 423)
        }
    }
}
