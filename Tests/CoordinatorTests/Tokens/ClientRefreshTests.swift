import Coordinator
import Testing

/// How long tokens count, and how they are renewed (contract: protocol, Authentication; protocol
/// facts: Centrifugal, tokens).
@Suite struct ClientRefreshTests {
    private static let ann: JSON = [
        "sub": "ann", "sessions": ["a", "b"], "role": "player", "exp": 1060,
    ]

    private func claims(_ changes: JSON) -> JSON {
        var claims = Self.ann.object ?? JSONObject()
        for member in changes.object?.members ?? [] { claims[member.key] = member.value }
        return .object(claims)
    }

    @Test func `a connection ends 25 s after its token, and not before`() {
        var bench = TokenBench(connected: Self.ann)
        #expect(bench.harness.client.deadline.milliseconds == 1_085_000)
        #expect(bench.harness.tick(at: 84_999) == .none)
        let state = #"{"id":5,"rpc":{"method":"session.state","data":{"session":"a"}}}"#
        #expect(bench.receive(state, at: 64_999).request != nil)
        #expect(
            bench.harness.tick(at: 85_000)
                == .disconnect(Disconnect(code: 3005, reason: "connection expired")))
    }

    @Test
    func `C55: 5 s after its token a connection is asked for a new one and does nothing else`()
        throws
    {
        var bench = TokenBench(connected: Self.ann)
        bench.follow("session:a", role: "mirror")
        let commands = [
            #""subscribe":{"channel":"session:b"}"#, #""history":{"channel":"session:a"}"#,
            #""publish":{"channel":"session:a","data":{"type":"betslip.open"}}"#,
            #""presence":{"channel":"session:a"}"#, #""presence_stats":{"channel":"session:a"}"#,
            #""rpc":{"method":"session.state","data":{"session":"a"}}"#,
        ]
        for (id, command) in commands.enumerated() {
            let action = bench.receive("{\"id\":\(id + 10),\(command)}", at: 65_000)
            #expect(action.error?.code == 109, "\(command)")
        }
        #expect(bench.refresh(claims(["exp": 1160]), at: 66_000).ended != nil)
        for (id, command) in commands.enumerated() {
            let action = bench.receive("{\"id\":\(id + 20),\(command)}", at: 66_001)
            #expect(action.request != nil, "\(command)")
        }
        // Leaving needs no token.
        let leave = bench.receive(
            #"{"id":40,"unsubscribe":{"channel":"session:a"}}"#, at: 180_000)
        #expect(leave.request != nil)
    }

    @Test func `a token without an end never ends`() {
        let bench = TokenBench(connected: ["sub": "ann"])
        #expect(bench.harness.client.deadline == .never)
    }

    @Test func `pings go on beside the expiry`() {
        var bench = TokenBench()
        bench.harness = ClientHarness(
            settings: ClientSettings(access: .tokens(TokenVerifier(secret: TokenBench.secret))))
        _ = bench.connect(Self.ann)
        // Half of 25 s after the connect.
        #expect(bench.harness.tick(at: 12_499) == .none)
        #expect(bench.harness.tick(at: 12_500) == .ping)
    }

    @Test func `a new token counts from then on`() {
        var bench = TokenBench(connected: Self.ann)
        let action = bench.refresh(claims(["exp": 1160]), at: 50_000)
        #expect(action.ended?.body == .refresh(ttl: 110))
        #expect(action.ended?.channels == [])
        #expect(bench.harness.tick(at: 184_999) == .none)
        #expect(bench.harness.tick(at: 185_000) == .disconnect(.connectionExpired))
    }

    @Test func `one without an end is the last one that is needed`() {
        var bench = TokenBench(connected: Self.ann)
        let action = bench.refresh(claims(["exp": .null]))
        #expect(action.ended?.body == .refresh(ttl: nil))
        #expect(bench.harness.client.deadline == .never)
    }

    @Test func `in the time of grace a connection can still be renewed`() {
        var bench = TokenBench(connected: Self.ann)
        #expect(bench.refresh(claims(["exp": 1160]), at: 84_000).ended != nil)
        #expect(bench.harness.tick(at: 85_000) == .none)
    }

    @Test func `an expired one ends the connection, for an answer would end the client's tries`() {
        var bench = TokenBench(connected: Self.ann)
        let action = bench.refresh(claims(["exp": 1070]), at: 70_000)
        #expect(action == .disconnect(.connectionExpired))
    }

    @Test func `another person's, another device's, or no token ends it for good`() {
        for (changes, fault) in [
            (["sub": "bob"], .mismatch("sub")), (["sub": .null], .mismatch("sub")),
            (["device": "box"], .mismatch("device")),
            (["channel": "session:a"], .mismatch("channel")),
        ] as [(JSON, TokenFault)] {
            var bench = TokenBench(connected: Self.ann)
            #expect(bench.refresh(claims(changes)) == .reject(fault))
        }
        var bench = TokenBench(connected: Self.ann)
        let forged = TokenBench.token(Self.ann, secret: Array("another".utf8))
        #expect(
            bench.receive(#"{"id":9,"refresh":{"token":"\#(forged)"}}"#) == .reject(.signature))
        #expect(bench.receive(#"{"id":9,"refresh":{}}"#).error?.code == 107)
    }

    @Test func `the same device may be named`() {
        var bench = TokenBench(connected: Self.ann)
        #expect(bench.refresh(claims(["device": "ann:tv"])).ended != nil)
    }

    @Test func `a revoked one ends it for good`() {
        var bench = TokenBench(connected: claims(["jti": "t-1", "iat": 900]))
        bench.revocations.add(
            Revocation(.tokenID("t-2"), at: Instant(milliseconds: 950_000)))
        #expect(bench.refresh(claims(["jti": "t-2", "iat": 950])) == .reject(.revoked))
        #expect(bench.refresh(claims(["jti": "t-2"])) == .reject(.revoked))
        #expect(bench.refresh(claims(["jti": "t-3", "iat": 940])).ended != nil)
    }

    @Test func `what a new token does not allow ends, in the order of the names`() {
        var bench = TokenBench(connected: Self.ann)
        bench.follow("session:b", id: 2)
        bench.follow("session:a", id: 3)
        bench.follow("stage:a", id: 4)
        let action = bench.refresh(claims(["sessions": ["a"], "role": "observer"]))
        #expect(action.ended?.body == .refresh(ttl: 60))
        #expect(
            action.ended?.channels.map(\.description) == ["session:b", "stage:a"])
        #expect(action.ended?.why.map { $0?.code } == [2000, 2000])
        #expect(action.ended?.why.map { $0?.reason } == ["permission denied", "permission denied"])
        let sessions = bench.harness.client.followedSessions.map(\.description)
        #expect(sessions == ["a"])
        // A mirror until then, and no more than an observer from now on.
        let state = bench.receive(
            #"{"id":5,"rpc":{"method":"session.state","data":{"session":"a"}}}"#)
        #expect(state.caller?.role == .observer)
    }

    @Test func `what a new token allows can be asked for at once`() {
        var bench = TokenBench(connected: claims(["sessions": ["b"], "role": .null]))
        #expect(bench.subscribe("stage:a").error?.code == 103)
        _ = bench.refresh(Self.ann)
        #expect(bench.subscribe("stage:a").request != nil)
    }

    @Test func `an end by the server answers no command`() throws {
        var bench = TokenBench(connected: Self.ann)
        bench.follow("session:b")
        let action = bench.refresh(claims(["sessions": ["a"]]))
        guard case .end(let requests, _) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(requests.map(\.command) == [0])
        #expect(bench.harness.client.outstanding == 0)
    }
}
