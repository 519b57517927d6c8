import Coordinator
import Testing

/// Tokens that grant one more channel (contract: protocol, Authentication; protocol facts:
/// Centrifugal, tokens).
@Suite struct SubscriptionTokenTests {
    /// A person who may do nothing by their own token.
    private let ann: JSON = ["sub": "ann"]
    private let state = #"{"id":7,"rpc":{"method":"session.state","data":{"session":"a"}}}"#

    private func grant(_ changes: JSON = [:]) -> JSON {
        var claims: JSONObject = JSONObject()
        claims["sub"] = "ann"
        claims["channel"] = "session:a"
        for member in changes.object?.members ?? [] { claims[member.key] = member.value }
        return .object(claims)
    }

    @Test func `it grants its channel with its role, and no other`() {
        var bench = TokenBench(connected: ann)
        let action = bench.subscribe(
            "session:a", token: grant(["role": "mirror", "create": true, "place": true]))
        guard case .call(let request, creates: true) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(request.call == .subscribe(.init(role: .mirror)))
        #expect(request.caller.mayPlace)
        #expect(bench.subscribe("session:b", id: 3).error?.code == 103)
        #expect(bench.subscribe("stage:a", id: 4).error?.code == 103)
    }

    @Test func `while the subscription is there the session can be asked things`() {
        var bench = TokenBench(connected: ann)
        #expect(bench.receive(state).error?.code == 103)
        bench.follow("session:a", token: grant())
        #expect(bench.receive(state).caller?.role == .observer)
        let leave = bench.receive(#"{"id":8,"unsubscribe":{"channel":"session:a"}}"#)
        #expect(leave.request != nil)
        #expect(bench.receive(state).error?.code == 103)
    }

    @Test func `it adds to what the connection may do`() {
        var bench = TokenBench(
            connected: ["sub": "ann", "sessions": ["a"], "role": "observer", "place": true])
        let action = bench.subscribe("session:a", token: grant(["role": "mirror"]))
        #expect(action.request?.call == .subscribe(.init(role: .mirror)))
        #expect(action.caller?.mayPlace == true)
    }

    @Test func `one for a stage needs the role`() {
        var bench = TokenBench(connected: ann)
        let weak = bench.subscribe("stage:a", token: grant(["channel": "stage:a"]))
        #expect(weak.error?.code == 103)
        bench.follow("stage:a", token: grant(["channel": "stage:a", "role": "player"]))
        #expect(bench.receive(state).caller?.role == .player)
        #expect(bench.subscribe("session:a", id: 3).error?.code == 103)
    }

    @Test func `an expired one is told by 109, a forged one by 103`() {
        var bench = TokenBench(connected: ann)
        #expect(bench.subscribe("session:a", token: grant(["exp": 1000])).error?.code == 109)
        let forged = TokenBench.token(grant(), secret: Array("another".utf8))
        let action = bench.receive(
            #"{"id":3,"subscribe":{"channel":"session:a","token":"\#(forged)"}}"#)
        #expect(action.error?.code == 103)
        #expect(bench.harness.client.followedSessions.isEmpty)
    }

    @Test func `one of another channel or person ends the connection`() {
        for (token, fault) in [
            (grant(["channel": "session:b"]), TokenFault.mismatch("channel")),
            (grant(["channel": .null]), .mismatch("channel")),
            (grant(["sub": "bob"]), .mismatch("sub")), (grant(["sub": .null]), .mismatch("sub")),
        ] {
            var bench = TokenBench(connected: ann)
            #expect(bench.subscribe("session:a", token: token) == .reject(fault))
        }
    }

    @Test func `a revoked one is refused, and the connection of one that is revoked must end`() {
        var bench = TokenBench(connected: ann)
        let token = grant(["jti": "s-1", "iat": 900])
        bench.follow("session:a", token: token)
        var revocations = Revocations()
        #expect(!bench.harness.client.stands(on: revocations.covers))
        revocations.add(Revocation(.tokenID("s-1"), at: Instant(milliseconds: 900_000)))
        #expect(bench.harness.client.stands(on: revocations.covers))
        var other = TokenBench(connected: ann)
        other.revocations = revocations
        #expect(other.subscribe("session:a", token: token).error?.code == 103)
    }

    // MARK: Expiry

    @Test func `the answer to the subscribe tells how long it counts`() {
        var bench = TokenBench(connected: ann)
        _ = bench.subscribe("session:a", token: grant(["exp": 1060]))
        let result = Reply.Subscribe(position: nil)
        let told = bench.harness.client.completed(
            .subscribe(result), of: 2, at: ClientHarness.instant(10_000))
        #expect(told == .subscribe(Reply.Subscribe(position: nil, ttl: 50)))
        let other = bench.harness.client.completed(
            .subscribe(result), of: 3, at: ClientHarness.instant(10_000))
        #expect(other == .subscribe(result))
    }

    @Test func `25 s after it is over the subscription ends, and the connection stays`() {
        var bench = TokenBench(connected: ann)
        bench.follow("session:a", token: grant(["exp": 1060]))
        #expect(bench.harness.client.deadline.milliseconds == 1_085_000)
        #expect(bench.harness.tick(at: 84_999) == .none)
        guard case .end(let requests) = bench.harness.tick(at: 85_000) else {
            Issue.record("no end")
            return
        }
        #expect(
            requests.map(\.call) == [
                .unsubscribe(.session(requests[0].session), because: .expired)
            ])
        #expect(Unsubscribe.expired.code == 2501)
        #expect(Unsubscribe.expired.reason == "subscription expired")
        #expect(requests[0].command == 0)
        #expect(bench.harness.tick(at: 85_001) == .none)
        #expect(bench.harness.client.deadline == .never)
        #expect(bench.receive(state, at: 85_002).error?.code == 103)
    }

    @Test func `a new one renews it`() {
        var bench = TokenBench(connected: ann)
        bench.follow("session:a", token: grant(["exp": 1060]))
        let action = bench.subRefresh("session:a", grant(["exp": 1160]), at: 60_000)
        #expect(action.ended?.body == .subRefresh(ttl: 100))
        #expect(action.ended?.channels == [])
        #expect(bench.harness.tick(at: 184_999) == .none)
        guard case .end = bench.harness.tick(at: 185_000) else {
            Issue.record("no end")
            return
        }
    }

    @Test func `an expired one ends the subscription without an answer`() {
        var bench = TokenBench(connected: ann)
        bench.follow("session:a", token: grant(["exp": 1060]))
        let action = bench.subRefresh("session:a", grant(["exp": 1065]), at: 65_000)
        #expect(action.ended?.body == nil)
        #expect(action.ended?.channels.map(\.description) == ["session:a"])
        #expect(action.ended?.why == [.expired])
    }

    @Test func `renewing needs a subscription and a good token`() {
        var bench = TokenBench(connected: ann)
        #expect(bench.subRefresh("session:a", grant()).error?.code == 103)
        bench.follow("session:a", token: grant())
        #expect(bench.subRefresh("session:a", grant(["nbf": 2000])).ended?.why == [.expired])
        bench.follow("session:a", token: grant(), id: 4)
        #expect(
            bench.subRefresh("session:a", grant(["channel": "session:b"]))
                == .reject(.mismatch("channel")))
        #expect(
            bench.subRefresh("session:a", grant(["sub": "bob"])) == .reject(.mismatch("sub")))
        #expect(
            bench.receive(#"{"id":9,"sub_refresh":{"channel":"session:a"}}"#).error?.code == 107)
        let forged = TokenBench.token(grant(), secret: Array("another".utf8))
        #expect(
            bench.receive(
                #"{"id":9,"sub_refresh":{"channel":"session:a","token":"\#(forged)"}}"#
            ).error?.code == 103)
    }

    @Test func `a new one with a lower role ends the stage`() {
        var bench = TokenBench(connected: ann)
        bench.follow("stage:a", token: grant(["channel": "stage:a", "role": "player"]))
        let action = bench.subRefresh("stage:a", grant(["channel": "stage:a"]))
        #expect(action.ended?.body == .subRefresh(ttl: nil))
        #expect(action.ended?.channels.map(\.description) == ["stage:a"])
        #expect(action.ended?.why == [.notAllowed])
    }
}
