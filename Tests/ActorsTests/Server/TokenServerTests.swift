import Actors
import Coordinator
import TestSupport
import Testing

/// Tokens on the line protocol, by a clock that the test moves (contract: protocol, Authentication).
@Suite struct TokenServerTests {
    private static let all: JSON = [
        "sub": "ann", "sessions": ["*"], "role": "player", "create": true, "place": true,
        "iat": 990,
    ]

    private func claims(_ changes: JSON) -> JSON {
        var claims = Self.all.object ?? JSONObject()
        for member in changes.object?.members ?? [] { claims[member.key] = member.value }
        return .object(claims)
    }

    private let subscribe = #"{"id":2,"subscribe":{"channel":"session:a","join_leave":true}}"#

    @Test func `a forged token ends the connection, and the log says why without it`() async {
        let rig = TokenRig()
        let client = rig.client()
        let token = TokenRig.token(Self.all, secret: Array("another".utf8))
        let lines = client.send(#"{"id":1,"connect":{"token":"\#(token)"}}"#)
        #expect(lines == [#"{"push":{"disconnect":{"code":3500,"reason":"invalid token"}}}"#])
        #expect(client.isEnded)
        let log = "\(await rig.sink.finish())"
        #expect(log.contains("signature is wrong"))
        #expect(!log.contains(token))
    }

    @Test func `an expired token is answered, and so is none`() {
        let rig = TokenRig()
        let expired = rig.client().send(TokenRig.connect(claims(["exp": 999])))
        #expect(
            expired == [
                #"{"id":1,"error":{"code":109,"message":"token expired: a new one is needed"}}"#
            ])
        let none = rig.client().send(#"{"id":1,"connect":{}}"#)
        #expect(
            none == [
                #"{"id":1,"error":{"code":101,"message":"unauthorized: connect.token is missing"}}"#
            ])
    }

    @Test func `user and what the token shows are in presences and joins`() throws {
        let rig = TokenRig()
        let client = rig.client(claims(["info": ["name": "Ann"]]))
        let lines = client.send(
            subscribe, #"{"id":3,"presence":{"channel":"session:a"}}"#,
            #"{"id":4,"presence_stats":{"channel":"session:a"}}"#)
        let presence = try #require(lines.first { $0.contains(#""id":3"#) })
        #expect(presence.contains(#""user":"ann""#))
        #expect(presence.contains(#""conn_info":{"name":"Ann"}"#))
        #expect(presence.contains(#""chan_info":{"device":"ann:tv","role":"mirror"}"#))
        let join = try #require(lines.first { $0.contains(#""join""#) })
        #expect(join.contains(#""conn_info":{"name":"Ann"}"#))
        #expect(
            lines.contains(#"{"id":4,"presence_stats":{"num_clients":1,"num_users":1}}"#))
    }

    @Test func `C55: a connection does not outlive its token`() {
        let rig = TokenRig()
        let client = rig.client(claims(["exp": 1060]))
        _ = client.send(subscribe)
        rig.loop.advance(byMilliseconds: 84_900)
        #expect(client.heard() == [])
        rig.loop.advance(byMilliseconds: 400)
        #expect(
            client.heard() == [
                #"{"push":{"disconnect":{"code":3005,"reason":"connection expired"}}}"#
            ])
        #expect(client.isEnded)
    }

    @Test func `C55: a renewed one stays, and nobody else hears of it`() {
        let rig = TokenRig()
        let client = rig.client(claims(["exp": 1060]))
        let other = rig.client(claims(["sub": "bob"]))
        _ = client.send(subscribe)
        _ = (other.send(subscribe), client.heard())
        rig.loop.advance(byMilliseconds: 50_000)
        let token = TokenRig.token(claims(["exp": 1160]))
        let lines = client.send(#"{"id":3,"refresh":{"token":"\#(token)"}}"#)
        #expect(lines == [#"{"id":3,"refresh":{"expires":true,"ttl":110}}"#])
        rig.loop.advance(byMilliseconds: 130_000)
        #expect(client.heard() == [])
        #expect(other.heard() == [])
        #expect(!client.isEnded)
    }

    @Test func `C55: another person's token ends it, and changes nothing`() {
        let rig = TokenRig()
        let client = rig.client(claims(["exp": 1060]))
        let token = TokenRig.token(claims(["sub": "bob"]))
        let lines = client.send(#"{"id":3,"refresh":{"token":"\#(token)"}}"#)
        #expect(lines == [#"{"push":{"disconnect":{"code":3500,"reason":"invalid token"}}}"#])
    }

    @Test func `a subscription ends 25 s after its token, in order with what was published`() throws
    {
        let rig = TokenRig()
        let player = rig.client(Self.all, device: "phone")
        _ = player.send(subscribe)
        let client = rig.client(["sub": "eve"])
        let token = TokenRig.token(["sub": "eve", "channel": "session:a", "exp": 1060])
        let lines = client.send(
            #"{"id":2,"subscribe":{"channel":"session:a","token":"\#(token)"}}"#)
        #expect(try #require(lines.first).contains(#"{"expires":true,"ttl":60,"recoverable":true"#))
        rig.loop.advance(byMilliseconds: 85_300)
        #expect(
            client.heard() == [
                #"{"push":{"channel":"session:a","unsubscribe":{"code":2501,"reason":"subscription expired"}}}"#
            ])
        #expect(!client.isEnded)
        let apply =
            #"{"id":3,"rpc":{"method":"session.apply","data":{"session":"a","event":{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":"2.00"}}}}"#
        #expect(player.send(apply).contains { $0.contains(#""id":3,"rpc""#) })
        #expect(client.heard() == [])
        #expect(rig.server.connectionCount == 2)
    }

    @Test func `a stage that a new token does not allow is given up`() {
        let rig = TokenRig()
        let phone = rig.client(Self.all, device: "phone")
        _ = phone.send(
            subscribe, #"{"id":3,"subscribe":{"channel":"stage:a"}}"#)
        let token = TokenRig.token(claims(["role": "mirror"]))
        let lines = phone.send(#"{"id":4,"refresh":{"token":"\#(token)"}}"#)
        #expect(lines.first == #"{"id":4,"refresh":{}}"#)
        #expect(
            lines.contains(
                #"{"push":{"channel":"stage:a","unsubscribe":{"code":2000,"reason":"permission denied"}}}"#
            ))
        #expect(lines.contains { $0.contains(#""type":"stage.detached""#) })
        #expect(!phone.isEnded)
    }

    @Test func `a bet of a mirror that may not is refused`() throws {
        let rig = TokenRig()
        let client = rig.client(claims(["place": false, "role": "mirror"]))
        let lines = client.send(
            subscribe,
            #"{"id":3,"rpc":{"method":"session.apply","data":{"session":"a","event":{"type":"betslip.place","placementId":"p-1"}}}}"#
        )
        let answer = try #require(lines.first { $0.contains(#""id":3"#) })
        #expect(
            answer.contains(#""error":{"code":103,"message":"role.forbidden: "#), "\(answer)")
    }

    @Test func `a session that is not there and may not be made looks like any other error 103`() {
        let rig = TokenRig()
        let client = rig.client(claims(["create": false, "sessions": ["a"]]))
        let inside = client.send(subscribe)
        let outside = client.send(#"{"id":3,"subscribe":{"channel":"session:b"}}"#)
        #expect(inside[0].contains(#""code":103"#))
        #expect(
            outside == [
                #"{"id":3,"error":{"code":103,"message":"permission denied: the token does not allow the session b"}}"#
            ])
    }

    @Test func `the sessions of a user are counted by the token's subject`() {
        let system = TokenRig()
        let client = system.client(Self.all)
        let lines = client.send(
            subscribe, #"{"id":3,"presence":{"channel":"session:a"}}"#)
        #expect(lines.contains { $0.contains(#""user":"ann""#) })
    }
}
