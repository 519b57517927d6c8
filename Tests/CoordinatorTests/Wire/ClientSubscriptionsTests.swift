import Coordinator
import Testing

@Suite struct ClientSubscriptionsTests {
    private let result = Reply.Body.subscribe(
        Reply.Subscribe(position: StreamPosition(epoch: "e", offset: 0)))
    private let stageResult = Reply.Body.subscribe(Reply.Subscribe(position: nil))

    private func subscribe(_ fields: String, id: Int = 2) -> String {
        "{\"id\":\(id),\"subscribe\":{\(fields)}}"
    }

    private func role(in session: String, of harness: inout ClientHarness) -> Role? {
        harness.receive(
            "{\"id\":900,\"rpc\":{\"method\":\"session.state\",\"data\":{\"session\":\"\(session)\"}}}"
        ).request?.caller.role
    }

    @Test func `a session is subscribed with the client's wishes`() throws {
        var harness = ClientHarness.connected()
        let action = harness.receive(
            subscribe(
                #""channel":"session:a","data":{"role":"observer"},"recover":true,"epoch":"e","offset":4,"join_leave":true,"flag":2"#
            ))
        let id = try #require(SessionID("a"))
        #expect(
            action
                == .call(
                    SessionRequest(
                        session: id,
                        caller: Caller(
                            connection: 7, client: "c-7", device: "phone", role: .observer),
                        command: 2,
                        call: .subscribe(
                            SessionCall.Subscription(
                                role: .observer, recover: StreamPosition(epoch: "e", offset: 4),
                                joinLeave: true, refusesUnrecovered: true))),
                    creates: true))
        #expect(harness.client.followedSessions == [id])
    }

    @Test(arguments: ["", #","data":{}"#, #","data":null"#, #","data":{"role":"mirror"}"#])
    func `a subscriber is a mirror if it says nothing else`(data: String) {
        var harness = ClientHarness.connected()
        let action = harness.receive(subscribe(#""channel":"session:a""# + data))
        #expect(action.request?.call == .subscribe(SessionCall.Subscription(role: .mirror)))
    }

    @Test func `sessions are made only when the settings allow it`() {
        var harness = ClientHarness.connected(
            settings: ClientSettings(access: .open(createsSessions: false)))
        let action = harness.receive(subscribe(#""channel":"session:a""#))
        guard case .call(_, creates: false) = action else {
            Issue.record("\(action)")
            return
        }
    }

    @Test func `a stage is attached with its facts and makes no session`() throws {
        var harness = ClientHarness.connected()
        let action = harness.receive(
            subscribe(#""channel":"stage:a","data":{"facts":{"notch":true}}"#))
        let facts = try document(#"{"notch":true}"#)
        #expect(action.request?.call == .attachStage(facts: facts))
        guard case .call(_, creates: false) = action else {
            Issue.record("\(action)")
            return
        }
        let bare = harness.receive(subscribe(#""channel":"stage:b""#, id: 3))
        #expect(bare.request?.call == .attachStage(facts: nil))
    }

    @Test(
        arguments: [
            (#""channel":"user:a""#, 107), (#""channel":"session:""#, 107),
            (#""channel":"session:a b""#, 107),
            (#""channel":"session:\#(String(repeating: "x", count: 250))""#, 107),
            (#""channel":"session:a","type":1"#, 108), (#""channel":"session:a","type":-1"#, 108),
            (#""channel":"session:a","tf":{}"#, 107),
            (#""channel":"session:a","data":5"#, 107), (#""channel":"session:a","data":[]"#, 107),
            (#""channel":"session:a","data":{"role":"player"}"#, 107),
            (#""channel":"session:a","data":{"role":"api"}"#, 107),
            (#""channel":"session:a","data":{"role":5}"#, 107),
            (#""channel":"stage:a","data":"x""#, 107),
            (#""channel":"stage:a","data":{"facts":[]}"#, 107),
            (#""channel":"stage:a","data":{"facts":5}"#, 107),
            (#""channel":"stage:a","tf":{}"#, 107),
        ] as [(String, UInt32)])
    func `a wrong subscription is refused and leaves nothing`(fields: String, code: UInt32) {
        var harness = ClientHarness.connected()
        let action = harness.receive(subscribe(fields))
        #expect(action.error?.code == code)
        #expect(harness.client.followedSessions.isEmpty)
        #expect(harness.client.outstanding == 0)
    }

    @Test func `the same channel twice is error 105, pending or not`() {
        var harness = ClientHarness.connected()
        _ = harness.receive(subscribe(#""channel":"session:a""#, id: 2))
        let pending = harness.receive(subscribe(#""channel":"session:a""#, id: 3))
        #expect(pending.error == .alreadySubscribed("session:a"))
        harness.client.settle(command: 2, body: result)
        let admitted = harness.receive(subscribe(#""channel":"session:a""#, id: 4))
        #expect(admitted.error == .alreadySubscribed("session:a"))
    }

    @Test func `subscriptions beyond the cap are error 106 until one goes`() {
        var harness = ClientHarness.connected(settings: ClientSettings(subscriptions: 2))
        _ = harness.receive(subscribe(#""channel":"session:a""#, id: 2))
        _ = harness.receive(subscribe(#""channel":"stage:a""#, id: 3))
        let third = harness.receive(subscribe(#""channel":"session:b""#, id: 4))
        #expect(third.error == .limitExceeded("limits.subscriptions is 2"))
        _ = harness.receive(#"{"id":5,"unsubscribe":{"channel":"stage:a"}}"#)
        let again = harness.receive(subscribe(#""channel":"session:b""#, id: 6))
        #expect(again.request != nil)
    }

    @Test func `a refused subscription is forgotten`() {
        var harness = ClientHarness.connected()
        _ = harness.receive(subscribe(#""channel":"session:a""#))
        harness.client.settle(command: 2, body: .error(.permissionDenied("no")))
        #expect(harness.client.followedSessions.isEmpty)
        let again = harness.receive(subscribe(#""channel":"session:a""#, id: 3))
        #expect(again.request != nil)
    }

    @Test func `followed sessions are named once, pending ones too`() throws {
        var harness = ClientHarness.connected()
        _ = harness.receive(subscribe(#""channel":"session:b""#, id: 2))
        harness.client.settle(command: 2, body: result)
        _ = harness.receive(subscribe(#""channel":"stage:b""#, id: 3))
        _ = harness.receive(subscribe(#""channel":"stage:a""#, id: 4))
        #expect(
            harness.client.followedSessions == [
                try #require(SessionID("a")), try #require(SessionID("b")),
            ])
    }

    @Test func `the role is player with an admitted stage, else as subscribed, else mirror`()
        throws
    {
        var harness = ClientHarness.connected()
        #expect(role(in: "a", of: &harness) == .mirror)
        _ = harness.receive(
            subscribe(#""channel":"session:a","data":{"role":"observer"}"#, id: 2))
        harness.client.settle(command: 2, body: result)
        #expect(role(in: "a", of: &harness) == .observer)
        let attach = harness.receive(subscribe(#""channel":"stage:a""#, id: 3))
        #expect(attach.request?.caller.role == .observer)
        #expect(role(in: "a", of: &harness) == .observer)
        harness.client.settle(command: 3, body: stageResult)
        #expect(role(in: "a", of: &harness) == .player)
        #expect(role(in: "b", of: &harness) == .mirror)
        harness.client.removed(.stage(try #require(SessionID("a"))))
        #expect(role(in: "a", of: &harness) == .observer)
    }

    @Test func `the end of an earlier subscription does not undo a newer one`() throws {
        let id = try #require(SessionID("a"))
        var harness = ClientHarness.connected()
        _ = harness.receive(subscribe(#""channel":"stage:a""#, id: 2))
        harness.client.settle(command: 2, body: stageResult)
        _ = harness.receive(#"{"id":3,"unsubscribe":{"channel":"stage:a"}}"#)
        _ = harness.receive(subscribe(#""channel":"stage:a""#, id: 4))
        harness.client.removed(.stage(id))
        #expect(harness.client.followedSessions == [id])
        harness.client.settle(command: 3, body: .unsubscribe)
        harness.client.settle(command: 4, body: stageResult)
        #expect(role(in: "a", of: &harness) == .player)
        harness.client.removed(.stage(id))
        #expect(harness.client.followedSessions.isEmpty)
    }

    @Test func `the answer to another command admits no stage`() {
        var harness = ClientHarness.connected()
        _ = harness.receive(subscribe(#""channel":"stage:a""#, id: 3))
        let same = harness.receive(
            #"{"id":3,"rpc":{"method":"session.state","data":{"session":"b"}}}"#)
        #expect(same.error?.code == 107)
        harness.client.settle(command: 3, body: .error(.permissionDenied("no")))
        #expect(harness.client.followedSessions.isEmpty)
    }

    @Test func `a subscribe may not repeat an id that waits for an answer`() {
        var harness = ClientHarness.connected()
        _ = harness.receive(#"{"id":3,"presence":{"channel":"session:b"}}"#)
        let refused = harness.receive(subscribe(#""channel":"stage:a""#, id: 3))
        #expect(refused.error?.code == 107)
        harness.client.settle(command: 3, body: .presence([]))
        let taken = harness.receive(subscribe(#""channel":"stage:a""#, id: 3))
        #expect(taken.request != nil)
    }

    @Test func `unsubscribing from what is not subscribed is answered at once`() {
        var harness = ClientHarness.connected()
        let action = harness.receive(#"{"id":2,"unsubscribe":{"channel":"session:a"}}"#)
        #expect(action == .reply(Reply(id: 2, body: .unsubscribe)))
        let wrong = harness.receive(#"{"id":3,"unsubscribe":{"channel":"nowhere"}}"#)
        #expect(wrong.error?.code == 107)
    }

    @Test func `unsubscribing is forwarded and forgotten at once, pending or not`() throws {
        let id = try #require(SessionID("a"))
        for isPending in [true, false] {
            var harness = ClientHarness.connected()
            _ = harness.receive(
                subscribe(#""channel":"session:a","data":{"role":"observer"}"#))
            if !isPending { harness.client.settle(command: 2, body: result) }
            let action = harness.receive(#"{"id":3,"unsubscribe":{"channel":"session:a"}}"#)
            #expect(
                action
                    == .call(
                        SessionRequest(
                            session: id,
                            caller: Caller(
                                connection: 7, client: "c-7", device: "phone", role: .observer),
                            command: 3, call: .unsubscribe(.session(id))), creates: false))
            #expect(harness.client.followedSessions.isEmpty)
            let again = harness.receive(subscribe(#""channel":"session:a""#, id: 4))
            #expect(again.request != nil)
            if isPending { harness.client.settle(command: 2, body: result) }
            harness.client.settle(command: 3, body: .unsubscribe)
            #expect(harness.client.followedSessions == [id])
            harness.client.settle(command: 4, body: .error(.permissionDenied("no")))
            #expect(harness.client.followedSessions.isEmpty)
            #expect(harness.client.outstanding == 0)
        }
    }
}
