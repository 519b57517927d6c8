import Coordinator
import Testing

@Suite struct ClientRPCTests {
    private func rpc(_ method: String, _ data: String, id: Int = 2) -> String {
        "{\"id\":\(id),\"rpc\":{\"method\":\"\(method)\",\"data\":\(data)}}"
    }

    private func action(_ method: String, _ data: String) -> ClientAction {
        var harness = ClientHarness.connected()
        return harness.receive(rpc(method, data))
    }

    @Test func `each method becomes its call`() throws {
        let event = try document(#"{"type":"pip.start"}"#)
        let calls: [(String, String, SessionCall)] = [
            (
                "session.apply", #"{"session":"a","event":{"type":"pip.start"}}"#,
                .apply(SessionCall.Application(event: event))
            ),
            (
                "session.apply",
                #"{"session":"a","event":{"type":"pip.start"},"id":"k","ifRev":42}"#,
                .apply(SessionCall.Application(event: event, id: "k", ifRev: 42))
            ),
            ("session.state", #"{"session":"a"}"#, .state),
            ("effects.ack", #"{"session":"a"}"#, .acknowledge(done: [], failed: [])),
            (
                "effects.ack",
                #"{"session":"a","done":[1,18446744073709551615],"failed":[{"seq":2,"code":"c","message":"m"}]}"#,
                .acknowledge(
                    done: [1, .max],
                    failed: [EffectFailure(seq: 2, code: "c", message: "m")])
            ),
            ("stage.take", #"{"session":"a"}"#, .takeStage),
            ("session.close", #"{"session":"a"}"#, .close),
        ]
        let id = try #require(SessionID("a"))
        for (method, data, call) in calls {
            #expect(
                action(method, data)
                    == .call(
                        SessionRequest(
                            session: id,
                            caller: Caller(
                                connection: 7, client: "c-7", device: "phone", role: .mirror),
                            command: 2, call: call), creates: false))
        }
    }

    @Test func `an unknown method is error 104 whatever its data`() {
        #expect(
            action("session.open", "5").error
                == .methodNotFound("there is no rpc method session.open"))
        #expect(action("", "{}").error?.code == 104)
        #expect(
            action(String(repeating: "m", count: 65), "{}").error
                == .methodNotFound("there is no rpc method of that name"))
    }

    @Test(arguments: [
        ("session.state", "null", "rpc.data is missing"),
        ("session.state", "5", "rpc.data must be an object, not a number"),
        ("session.state", "{}", "rpc.data.session is missing"),
        ("session.state", #"{"session":5}"#, "rpc.data.session must be a string, not a number"),
        ("session.state", #"{"session":"a b"}"#, "rpc.data.session is not a session id"),
        ("session.state", #"{"session":""}"#, "rpc.data.session is not a session id"),
        ("stage.take", "{}", "rpc.data.session is missing"),
        ("session.close", "{}", "rpc.data.session is missing"),
        ("session.apply", #"{"session":"a"}"#, "rpc.data.event is missing"),
        ("session.apply", #"{"session":"a","event":null}"#, "rpc.data.event is missing"),
        (
            "session.apply", #"{"session":"a","event":{},"id":5}"#,
            "rpc.data.id must be a string, not a number"
        ),
        (
            "session.apply", #"{"session":"a","event":{},"id":""}"#,
            "rpc.data.id must have 1–64 bytes"
        ),
        (
            "session.apply",
            #"{"session":"a","event":{},"id":"\#(String(repeating: "x", count: 65))"}"#,
            "rpc.data.id must have 1–64 bytes"
        ),
        (
            "session.apply", #"{"session":"a","event":{},"ifRev":-1}"#,
            "rpc.data.ifRev must be an unsigned integer, not a number"
        ),
        (
            "session.apply", #"{"session":"a","event":{},"ifRev":"1"}"#,
            "rpc.data.ifRev must be an unsigned integer, not a string"
        ),
        (
            "session.apply", #"{"session":"a","session":"b","event":{}}"#,
            "rpc.data.session: the name stands twice in its object"
        ),
        (
            "session.apply", #"{"session":"a","event":{},"event":{}}"#,
            "rpc.data.event: the name stands twice in its object"
        ),
        (
            "session.apply", #"{"session":"a","event":{},"id":"\ud800"}"#,
            "rpc.data.id: half a surrogate pair"
        ),
        (
            "session.state", #"{"session":"a","event":{"b":1,"b":1}}"#,
            "rpc.data.event.b: the name stands twice in its object"
        ),
        (
            "effects.ack", #"{"session":"a","done":5}"#,
            "rpc.data.done must be an array, not a number"
        ),
        (
            "effects.ack", #"{"session":"a","done":[1,-1]}"#,
            "rpc.data.done[1] must be an unsigned integer"
        ),
        (
            "effects.ack", #"{"session":"a","done":[1.0]}"#,
            "rpc.data.done[0] must be an unsigned integer"
        ),
        (
            "effects.ack", #"{"session":"a","failed":{}}"#,
            "rpc.data.failed must be an array, not an object"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[5]}"#,
            "rpc.data.failed[0] must be an object, not a number"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[{"code":"c","message":"m"}]}"#,
            "rpc.data.failed[0].seq is missing"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[{"seq":"1","code":"c","message":"m"}]}"#,
            "rpc.data.failed[0].seq must be an unsigned integer, not a string"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[{"seq":1,"code":5,"message":"m"}]}"#,
            "rpc.data.failed[0].code must be a string, not a number"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[{"seq":1,"message":"m"}]}"#,
            "rpc.data.failed[0].code is missing"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[{"seq":1,"code":"c","message":[]}]}"#,
            "rpc.data.failed[0].message must be a string, not an array"
        ),
        (
            "effects.ack", #"{"session":"a","failed":[{"seq":1,"code":"c"}]}"#,
            "rpc.data.failed[0].message is missing"
        ),
    ])
    func `a wrong field is error 107 that names it`(
        method: String, data: String, message: String
    ) {
        #expect(action(method, data).error == .badRequest(message))
    }

    @Test func `an idempotency id has at most 64 bytes`() {
        let id = String(repeating: "é", count: 32)
        let action = action("session.apply", "{\"session\":\"a\",\"event\":{},\"id\":\"\(id)\"}")
        #expect(
            action.request?.call
                == .apply(
                    SessionCall.Application(event: JSONDocument(root: [:]), id: id)))
    }

    @Test func `defects of an event are the session's to judge, with paths inside the event`() {
        let action = action("session.apply", #"{"session":"a","event":{"x":1,"x":2}}"#)
        guard case .apply(let application) = action.request?.call else {
            Issue.record("\(action)")
            return
        }
        #expect(
            application.event.defects
                == [JSONDocument.Defect(kind: .doubledKey, path: ["x"])])
    }

    @Test func `publishing on a session is applying without an id`() throws {
        var harness = ClientHarness.connected()
        let action = harness.receive(
            #"{"id":2,"publish":{"channel":"session:a","data":{"type":"pip.start"}}}"#)
        let event = try document(#"{"type":"pip.start"}"#)
        #expect(
            action.request?.call
                == .apply(SessionCall.Application(event: event, isPublish: true)))
        let stage = harness.receive(#"{"id":3,"publish":{"channel":"stage:a","data":{}}}"#)
        #expect(stage.error?.code == 103)
        let wrong = harness.receive(#"{"id":4,"publish":{"channel":"user:a","data":{}}}"#)
        #expect(wrong.error?.code == 107)
    }

    @Test func `presence and history are forwarded`() throws {
        let id = try #require(SessionID("a"))
        var harness = ClientHarness.connected()
        let presence = harness.receive(#"{"id":2,"presence":{"channel":"stage:a"}}"#)
        #expect(presence.request?.call == .presence(.stage(id)))
        let stats = harness.receive(#"{"id":3,"presence_stats":{"channel":"session:a"}}"#)
        #expect(stats.request?.call == .presenceStats(.session(id)))
        let history = harness.receive(
            #"{"id":4,"history":{"channel":"session:a","limit":5,"reverse":true}}"#)
        #expect(
            history.request?.call
                == .history(Command.History(channel: "session:a", limit: 5, reverse: true)))
        let stage = harness.receive(#"{"id":5,"history":{"channel":"stage:a"}}"#)
        #expect(stage.error?.code == 108)
        let zero = harness.receive(
            #"{"id":6,"history":{"channel":"session:a","since":{"epoch":"e"},"reverse":true}}"#)
        #expect(zero.error == .badRequest("history.since.offset must not be 0 in reverse"))
        for request in ["presence", "presence_stats", "history"] {
            let wrong = harness.receive("{\"id\":7,\"\(request)\":{\"channel\":\"session:\"}}")
            #expect(wrong.error?.code == 107)
        }
    }

    @Test func `events over the rate are error 111 and other commands are not counted`() {
        var harness = ClientHarness.connected(settings: ClientSettings(eventsPerSecond: 2))
        let apply = rpc("session.apply", #"{"session":"a","event":{}}"#)
        let publish = #"{"id":3,"publish":{"channel":"session:a","data":{}}}"#
        for line in [apply, publish, apply, publish] {
            let action = harness.receive(line)
            #expect(action.request != nil)
        }
        let expected = ReplyError.tooManyRequests("limits.eventsPerSecond is 2")
        let overApply = harness.receive(apply)
        #expect(overApply.error == expected)
        let overPublish = harness.receive(publish, at: 499)
        #expect(overPublish.error == expected)
        let state = harness.receive(rpc("session.state", #"{"session":"a"}"#), at: 499)
        #expect(state.request != nil)
        let later = harness.receive(publish, at: 500)
        #expect(later.request != nil)
    }
}
