import Coordinator
import Testing

@Suite struct ClientTests {
    private let otherCommands = [
        "{}", #"{"id":2,"subscribe":{"channel":"session:a"}}"#,
        #"{"id":2,"unsubscribe":{"channel":"session:a"}}"#,
        #"{"id":2,"publish":{"channel":"session:a","data":{}}}"#,
        #"{"id":2,"presence":{"channel":"session:a"}}"#,
        #"{"id":2,"presence_stats":{"channel":"session:a"}}"#,
        #"{"id":2,"history":{"channel":"session:a"}}"#,
        #"{"id":2,"rpc":{"method":"session.state","data":{"session":"a"}}}"#, #"{"send":{}}"#,
        #"{"id":2,"refresh":{}}"#, #"{"id":2,"sub_refresh":{"channel":"session:a"}}"#,
        #"{"id":2,"ping":{}}"#,
    ]

    private func connectReply(ping: UInt32 = 25, version: String = "coordd") -> ClientAction {
        .reply(
            Reply(
                id: 1,
                body: .connect(Reply.Connect(client: "c-7", version: version, ping: ping))))
    }

    @Test func `connect is answered with the client's id, the version and the ping`() {
        var harness = ClientHarness(
            settings: ClientSettings(pingSeconds: 30, version: "coordd 1.2"))
        let action = harness.receive(#"{"id":1,"connect":{}}"#)
        #expect(action == connectReply(ping: 30, version: "coordd 1.2"))
    }

    @Test func `a command before connect, even a pong, is a bad request`() {
        for line in otherCommands {
            var harness = ClientHarness()
            let action = harness.receive(line)
            #expect(action == .disconnect(.badRequest))
        }
    }

    @Test func `a second connect is a bad request`() {
        var harness = ClientHarness.connected()
        let action = harness.receive(#"{"id":2,"connect":{}}"#)
        #expect(action == .disconnect(.badRequest))
    }

    @Test func `the device is the one named, else the client id`() {
        for (data, device) in [
            (#"{"device":"tv"}"#, "tv"), ("{}", "c-7"), (#"{"device":null}"#, "c-7"),
            ("null", "c-7"),
            (
                #"{"device":"\#(String(repeating: "é", count: 128))"}"#,
                String(repeating: "é", count: 128)
            ), ("5", "c-7"), ("[]", "c-7"),
        ] {
            var harness = ClientHarness()
            let connect = harness.receive("{\"id\":1,\"connect\":{\"data\":\(data)}}")
            #expect(connect == connectReply())
            let action = harness.receive(
                #"{"id":2,"rpc":{"method":"session.state","data":{"session":"a"}}}"#)
            #expect(
                action.request?.caller
                    == Caller(connection: 7, client: "c-7", device: device, role: .mirror))
        }
    }

    @Test(arguments: [
        (#"{"device":5}"#, "connect.data.device must be a string, not a number"),
        (#"{"device":""}"#, "connect.data.device must have 1–256 bytes"),
        (
            #"{"device":"\#(String(repeating: "x", count: 257))"}"#,
            "connect.data.device must have 1–256 bytes"
        ),
    ])
    func `a connect with a wrong device is refused and nothing may follow`(
        data: String, message: String
    ) {
        for next in otherCommands + [#"{"id":2,"connect":{}}"#, "x", #"{"id":2}"#] {
            var harness = ClientHarness()
            let refused = harness.receive("{\"id\":1,\"connect\":{\"data\":\(data)}}")
            #expect(refused.error == .badRequest(message))
            let action = harness.receive(next)
            #expect(action == .disconnect(.badRequest))
        }
    }

    @Test func `a fault before connect is answered once`() {
        var harness = ClientHarness()
        let first = harness.receive(#"{"id":1,"connect":{"token":5}}"#)
        #expect(first.error == .badRequest("connect.token must be a string, not a number"))
        let second = harness.receive(#"{"id":2,"connect":{}}"#)
        #expect(second == .disconnect(.badRequest))
    }

    @Test func `a fault after connect is answered as often as it comes`() {
        var harness = ClientHarness.connected()
        for id in [2, 3] as [UInt32] {
            let action = harness.receive("{\"id\":\(id)}")
            #expect(
                action
                    == .reply(
                        Reply(
                            id: id,
                            body: .error(.badRequest("the command has no known request")))))
        }
        let last = harness.receive("x")
        #expect(last == .disconnect(.badRequest))
    }

    @Test func `a draining server turns new clients away and keeps the others`() {
        var new = ClientHarness()
        new.client.refuseConnects()
        let refused = new.receive(#"{"id":1,"connect":{}}"#)
        #expect(refused == .disconnect(.shutdown))
        var old = ClientHarness.connected()
        old.client.refuseConnects()
        let state = old.receive(
            #"{"id":2,"rpc":{"method":"session.state","data":{"session":"a"}}}"#)
        #expect(state.request?.call == .state)
    }

    @Test func `a connection that ends takes no command and still counts answers`() {
        var harness = ClientHarness.connected()
        _ = harness.receive(#"{"id":2,"presence":{"channel":"session:a"}}"#)
        harness.client.beginDisconnect()
        #expect(harness.client.outstanding == 1)
        for line in otherCommands + ["x", #"{"id":3}"#] {
            let action = harness.receive(line)
            #expect(action == .none)
        }
        harness.client.settle(command: 2, body: .presence([]))
        #expect(harness.client.outstanding == 0)
    }

    @Test func `what the server does not offer is told`() {
        var harness = ClientHarness.connected()
        let refresh = harness.receive(#"{"id":2,"refresh":{"token":"t"}}"#)
        #expect(refresh.error == .notAvailable("this server uses no tokens"))
        let subRefresh = harness.receive(#"{"id":3,"sub_refresh":{"channel":"session:a"}}"#)
        #expect(subRefresh.error == .notAvailable("this server uses no tokens"))
        let ping = harness.receive(#"{"id":4,"ping":{}}"#)
        #expect(ping.error == .notAvailable("a client does not ping"))
        let send = harness.receive(#"{"send":{"data":1}}"#)
        #expect(send == .disconnect(.notAvailable))
    }

    @Test func `forwarded commands are outstanding until they are settled`() {
        var harness = ClientHarness.connected(settings: ClientSettings(outstanding: 2))
        _ = harness.receive(#"{"id":2,"presence":{"channel":"session:a"}}"#)
        #expect(harness.client.outstanding == 1)
        #expect(!harness.client.isSaturated)
        _ = harness.receive(#"{"id":2,"presence":{"channel":"session:b"}}"#)
        #expect(harness.client.outstanding == 2)
        #expect(harness.client.isSaturated)
        harness.client.settle(command: 99, body: .publish)
        #expect(harness.client.outstanding == 2)
        harness.client.settle(command: 2, body: .presence([]))
        harness.client.settle(command: 2, body: .error(.unknownChannel("b")))
        harness.client.settle(command: 2, body: .presence([]))
        #expect(harness.client.outstanding == 0)
        #expect(!harness.client.isSaturated)
    }

    @Test func `an immediate answer is not outstanding`() {
        var harness = ClientHarness.connected()
        _ = harness.receive(#"{"id":2,"unsubscribe":{"channel":"session:a"}}"#)
        _ = harness.receive(#"{"id":3,"ping":{}}"#)
        #expect(harness.client.outstanding == 0)
    }
}
