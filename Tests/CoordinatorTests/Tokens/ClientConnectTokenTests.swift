import Coordinator
import Testing

/// Who a connection is (contract: protocol, Authentication).
@Suite struct ClientConnectTokenTests {
    private let state = #"{"id":5,"rpc":{"method":"session.state","data":{"session":"a"}}}"#

    private func device(_ claims: JSON, data: String) -> (ClientAction, Caller?) {
        var bench = TokenBench()
        let token = TokenBench.token(claims)
        let connect = bench.receive(
            #"{"id":1,"connect":{"token":"\#(token)","data":\#(data)}}"#)
        return (connect, bench.receive(state).caller)
    }

    @Test func `without a token it is not let in, and has no second try`() {
        for connect in [#"{"id":1,"connect":{}}"#, #"{"id":1,"connect":{"token":""}}"#] {
            var bench = TokenBench()
            #expect(bench.receive(connect).error?.code == 101)
            let again = bench.connect(["sub": "ann"])
            #expect(again == .disconnect(.badRequest))
        }
    }

    @Test func `a mistyped token is a bad request`() {
        var bench = TokenBench()
        #expect(bench.receive(#"{"id":1,"connect":{"token":7}}"#).error?.code == 107)
    }

    @Test func `a token that is forged, or for something else, ends the connection`() {
        for (token, fault) in [
            (TokenBench.token(["sub": "ann"], secret: Array("another".utf8)), TokenFault.signature),
            (TokenBench.token(["sub": "ann", "channel": "session:a"]), .mismatch("channel")),
            ("a.b", .malformed("it does not have three parts")),
            (TokenFixtures.confused, .signature), (TokenFixtures.rs256, .algorithm),
        ] {
            var bench = TokenBench()
            let action = bench.receive(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
            #expect(action == .reject(fault))
        }
    }

    @Test func `an expired token is told by error 109, which has SDKs get a new one`() {
        var bench = TokenBench()
        let action = bench.connect(["sub": "ann", "exp": 1000])
        #expect(action.error?.code == 109)
        #expect(action.error?.temporary == false)
        let early = bench.connect(["sub": "ann"])
        #expect(early == .disconnect(.badRequest))
    }

    @Test func `a revoked token is none`() {
        var bench = TokenBench()
        bench.revocations.add(
            Revocation(.user("ann"), at: Instant(milliseconds: 900_000)))
        #expect(bench.connect(["sub": "ann", "iat": 900]) == .reject(.revoked))
        #expect(bench.connect(["sub": "ann"]) == .reject(.revoked))
        #expect(bench.connect(["sub": "ann", "iat": 901]).error == nil)
    }

    @Test func `the answer tells how long the token counts`() {
        for (claims, ttl) in [
            (["exp": 1060.9], 60), (["exp": 1000.001], 1), ([:], nil),
            (["exp": 999_999_999_999], .max),
        ] as [(JSON, UInt32?)] {
            var bench = TokenBench()
            let action = bench.connect(claims)
            #expect(action.error == nil)
            #expect(action.ttl == ttl)
        }
    }

    @Test func `the user is the subject, and the device is the token's or the user's`() {
        let scope: JSON = ["*"]
        for (claims, data, device) in [
            (["sub": "ann", "sessions": scope], #"{"device":"tv"}"#, "ann:tv"),
            (["sub": "ann", "sessions": scope, "device": "box"], #"{"device":"tv"}"#, "box"),
            (["sub": "ann", "sessions": scope], "{}", "ann:c-7"),
            (["sessions": scope], #"{"device":"tv"}"#, ":tv"),
            (["sub": "a:b", "sessions": scope], #"{"device":"c"}"#, "a%3Ab:c"),
            (["sub": "a", "sessions": scope], #"{"device":"b:c"}"#, "a:b:c"),
            (["sub": "a%3Ab", "sessions": scope], #"{"device":"c"}"#, "a%253Ab:c"),
            (
                ["sub": "a:\u{301}b", "sessions": scope], #"{"device":"c"}"#,
                "a%3A\u{301}b:c"
            ),
        ] as [(JSON, String, String)] {
            let (connect, caller) = self.device(claims, data: data)
            #expect(connect.error == nil)
            #expect(caller?.device == device)
            #expect(caller?.user == claims["sub"]?.string ?? "")
        }
    }

    @Test func `a device id has its bound, whoever gives it`() {
        for (claims, code) in [
            (["sub": "ann", "device": "1234567"], nil),
            (["sub": "ann", "device": "12345678"], nil),
            (["sub": "ann", "device": "123456789"], 107),
            (["sub": "ann45"], nil), (["sub": "ann456"], 107),
        ] as [(JSON, UInt32?)] {
            var bench = TokenBench(textBytes: 8)
            #expect(bench.connect(claims).error?.code == code)
        }
    }

    @Test func `what the token shows of the user goes with each call`() {
        let (_, caller) = device(
            ["sub": "ann", "sessions": ["*"], "info": ["name": "Ann"]], data: "{}")
        #expect(caller?.info == Array(#"{"name":"Ann"}"#.utf8))
        // {"a":1} in base64.
        let (_, other) = device(
            ["sub": "ann", "sessions": ["*"], "b64info": "eyJhIjoxfQ=="], data: "{}")
        #expect(other?.info == Array(#"{"a":1}"#.utf8))
    }

    @Test func `a server without keys passes tokens over and renews none`() {
        var harness = ClientHarness()
        let connect = harness.receive(#"{"id":1,"connect":{"token":"nonsense"}}"#)
        #expect(connect.error == nil)
        #expect(connect.ttl == nil)
        #expect(harness.receive(#"{"id":2,"refresh":{"token":"x"}}"#).error?.code == 108)
        let subscribe = harness.receive(
            #"{"id":3,"subscribe":{"channel":"session:a","token":"nonsense"}}"#)
        #expect(subscribe.request != nil)
    }
}
