import Coordinator
import Testing

/// What a token lets its bearer do (contract: protocol, Authentication).
@Suite struct ClientPermissionTests {
    /// Every command about a session but unsubscribe, which gives something up.
    private func commands(_ session: String) -> [String] {
        [
            #"{"id":5,"subscribe":{"channel":"session:\#(session)"}}"#,
            #"{"id":5,"subscribe":{"channel":"stage:\#(session)"}}"#,
            #"{"id":5,"publish":{"channel":"session:\#(session)","data":{}}}"#,
            #"{"id":5,"presence":{"channel":"session:\#(session)"}}"#,
            #"{"id":5,"presence":{"channel":"stage:\#(session)"}}"#,
            #"{"id":5,"presence_stats":{"channel":"session:\#(session)"}}"#,
            #"{"id":5,"history":{"channel":"session:\#(session)"}}"#,
            #"{"id":5,"rpc":{"method":"session.apply","data":{"session":"\#(session)","event":{}}}}"#,
            #"{"id":5,"rpc":{"method":"session.state","data":{"session":"\#(session)"}}}"#,
            #"{"id":5,"rpc":{"method":"effects.ack","data":{"session":"\#(session)"}}}"#,
            #"{"id":5,"rpc":{"method":"stage.take","data":{"session":"\#(session)"}}}"#,
            #"{"id":5,"rpc":{"method":"session.close","data":{"session":"\#(session)"}}}"#,
        ]
    }

    @Test func `outside of its sessions a token allows nothing, whether they exist or not`() {
        let claims: [JSON] = [
            ["sub": "ann", "role": "player", "sessions": ["match-*", "a"]],
            ["sub": "ann", "role": "player"], ["sub": "ann", "role": "player", "sessions": []],
        ]
        for claims in claims {
            for command in commands("match") {
                var bench = TokenBench(connected: claims)
                #expect(
                    bench.receive(command).error
                        == .permissionDenied("the token does not allow the session match"))
            }
        }
        for session in ["a", "match-1"] {
            for command in commands(session) {
                var bench = TokenBench(connected: claims[0])
                #expect(bench.receive(command).request?.session.description == session)
            }
        }
    }

    @Test func `without a role a token lets its bearer look on`() {
        var bench = TokenBench(connected: ["sub": "ann", "sessions": ["a"]])
        #expect(bench.subscribe("stage:a").error?.code == 103)
        #expect(bench.subscribe("session:a", role: "mirror").error?.code == 103)
        let action = bench.subscribe("session:a")
        #expect(action.request?.call == .subscribe(.init(role: .observer)))
        let take = bench.receive(#"{"id":3,"rpc":{"method":"stage.take","data":{"session":"a"}}}"#)
        #expect(take.error?.code == 103)
        let apply = bench.receive(
            #"{"id":4,"rpc":{"method":"session.apply","data":{"session":"a","event":{}}}}"#)
        #expect(apply.caller?.role == .observer)
    }

    @Test func `a mirror is a mirror, and an observer where it wants to be`() {
        let claims: JSON = ["sub": "ann", "sessions": ["a"], "role": "mirror"]
        for (wish, role) in [(nil, Role.mirror), ("mirror", .mirror), ("observer", .observer)] {
            var bench = TokenBench(connected: claims)
            let action = bench.subscribe("session:a", role: wish)
            #expect(action.request?.call == .subscribe(.init(role: role)))
        }
        var bench = TokenBench(connected: claims)
        #expect(bench.subscribe("stage:a").error?.code == 103)
        let take = bench.receive(#"{"id":3,"rpc":{"method":"stage.take","data":{"session":"a"}}}"#)
        #expect(take.error?.code == 103)
    }

    @Test func `a player may hold the stage and is one when it does`() {
        var bench = TokenBench(
            connected: ["sub": "ann", "sessions": ["a"], "role": "player"])
        bench.follow("session:a")
        let state = #"{"id":5,"rpc":{"method":"session.state","data":{"session":"a"}}}"#
        #expect(bench.receive(state).caller?.role == .mirror)
        bench.follow("stage:a", id: 3)
        #expect(bench.receive(state).caller?.role == .player)
    }

    @Test(arguments: [(JSON.bool(true), true), (false, false), (JSON.null, false)])
    func `only a token that says so makes sessions`(claim: JSON, creates: Bool) {
        var bench = TokenBench(
            connected: ["sub": "ann", "sessions": ["a"], "role": "mirror", "create": claim])
        guard case .call(_, creates: creates) = bench.subscribe("session:a") else {
            Issue.record("creates is not \(creates)")
            return
        }
    }

    @Test(arguments: [(JSON.bool(true), true), (false, false), (JSON.null, false)])
    func `only a token that says so lets a mirror place bets`(claim: JSON, mayPlace: Bool) {
        var bench = TokenBench(
            connected: ["sub": "ann", "sessions": ["a"], "role": "mirror", "place": claim])
        #expect(bench.subscribe("session:a").caller?.mayPlace == mayPlace)
    }

    @Test func `a bet of a mirror without that is refused, and nothing else of it`() throws {
        let place = try Event.decode(
            JSONDocument(root: ["type": "betslip.place", "placementId": "p"]), policy: Policy())
        let viewing = Viewing()
        let mirror = Origin(device: "tv", role: .mirror, mayPlace: false)
        do throws(Rejection) {
            try place.permit(mirror, in: viewing)
            Issue.record("permitted")
        } catch {
            #expect(error.code == 103)
            #expect(error.message.hasPrefix("role.forbidden: "))
        }
        try Event.betslip(.close).permit(mirror, in: viewing)
        try place.permit(Origin(device: "tv", role: .mirror), in: viewing)
        try place.permit(
            Origin(device: "tv", role: .player, holdsStage: true, mayPlace: false), in: viewing)
    }

    @Test func `no token says more than what is wrong with a channel`() {
        var bench = TokenBench(connected: ["sub": "ann", "sessions": ["a"]])
        #expect(bench.subscribe("room:a").error?.code == 107)
        #expect(bench.receive(#"{"id":5,"unsubscribe":{"channel":"session:x"}}"#).error == nil)
    }
}
