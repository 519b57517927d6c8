import Actors
import Coordinator
import TestSupport
import Testing

/// Tokens that are taken back (contract: protocol, Authentication, `POST /v1/revoke`).
@Suite struct RevocationTests {
    private func revoke(
        _ subject: RevokedSubject, on rig: TokenRig
    ) -> Result<Int, ReplyError>? {
        var result: Result<Int, ReplyError>?
        rig.server.revoke(subject) { result = $0 }
        rig.loop.run()
        return result
    }

    private static let gone = #"{"push":{"disconnect":{"code":3500,"reason":"invalid token"}}}"#

    @Test func `C55: all connections of a user end, and no other`() {
        let rig = TokenRig()
        let (tv, phone) = (rig.client(["sub": "ann"]), rig.client(["sub": "ann", "iat": 1000]))
        let other = rig.client(["sub": "bob"])
        #expect(revoke(.user("ann"), on: rig) == .success(2))
        #expect(tv.heard() == [Self.gone])
        #expect(phone.heard() == [Self.gone])
        #expect(other.heard() == [])
        #expect(rig.server.revocationCount == 1)
    }

    @Test func `who is connected goes, however far ahead the issuer's clock was`() {
        let rig = TokenRig()
        let tv = rig.client(["sub": "ann", "iat": 1030])
        let phone = rig.client(["sub": "eve", "jti": "e-1", "iat": 1030], device: "phone")
        #expect(revoke(.user("ann"), on: rig) == .success(1))
        #expect(tv.heard() == [Self.gone])
        #expect(revoke(.tokenID("e-1"), on: rig) == .success(1))
        #expect(phone.heard() == [Self.gone])
        let again = TokenRig.connect(["sub": "eve", "jti": "e-1", "iat": 1030])
        #expect(rig.client().send(again) == [Self.gone])
    }

    @Test func `what was issued until then is refused, and what is issued later is not`() {
        let rig = TokenRig()
        #expect(revoke(.user("ann"), on: rig) == .success(0))
        for claims in [["sub": "ann"], ["sub": "ann", "iat": 1000]] as [JSON] {
            #expect(rig.client().send(TokenRig.connect(claims)) == [Self.gone])
        }
        let later = rig.client().send(TokenRig.connect(["sub": "ann", "iat": 1001]))
        #expect(later[0].contains(#""connect":{"#))
    }

    @Test func `one token is taken back by its name, also where it renews or grants`() {
        let rig = TokenRig()
        let token = TokenRig.token(
            ["sub": "ann", "channel": "session:a", "jti": "s-1", "create": true])
        let subscribe = #"{"id":2,"subscribe":{"channel":"session:a","token":"\#(token)"}}"#
        let client = rig.client(["sub": "ann", "jti": "c-1"])
        let follower = rig.client(["sub": "ann", "jti": "c-2"], device: "phone")
        _ = follower.send(subscribe)
        #expect(revoke(.tokenID("s-1"), on: rig) == .success(1))
        #expect(follower.heard() == [Self.gone])
        #expect(client.heard() == [])
        #expect(client.send(subscribe)[0].contains(#""code":103"#))
        let same = TokenRig.token(["sub": "ann", "jti": "s-1"])
        #expect(client.send(#"{"id":3,"refresh":{"token":"\#(same)"}}"#) == [Self.gone])
    }

    @Test func `only so many are kept, and one that is there can be renewed`() {
        let rig = TokenRig { $0.revocations = 2 }
        let client = rig.client(["sub": "eve"])
        #expect(revoke(.user("ann"), on: rig) == .success(0))
        #expect(revoke(.user("bob"), on: rig) == .success(0))
        guard case .failure(let error)? = revoke(.user("eve"), on: rig) else {
            Issue.record("no error")
            return
        }
        #expect(error.code == 106)
        #expect(client.heard() == [])
        #expect(revoke(.user("ann"), on: rig) == .success(0))
        #expect(rig.server.revocationCount == 2)
    }

    @Test func `a server without tokens has none to take back`() {
        let rig = TokenRig { $0.client.access = .open(createsSessions: true) }
        guard case .failure(let error)? = revoke(.user("ann"), on: rig) else {
            Issue.record("no error")
            return
        }
        #expect(error.code == 108)
    }

    @Test func `a name that no token can have is a bad request`() {
        let rig = TokenRig()
        guard case .failure(let error)? = revoke(.tokenID(""), on: rig) else {
            Issue.record("no error")
            return
        }
        #expect(error.code == 107)
    }
}
