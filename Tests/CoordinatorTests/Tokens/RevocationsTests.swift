import Coordinator
import Testing

@Suite struct RevocationsTests {
    private func claims(
        user: String = "ann", id: String? = nil, issued: Int64? = nil
    ) -> TokenClaims {
        var claims = TokenClaims()
        claims.user = user
        claims.id = id
        claims.issued = issued.map { Instant(milliseconds: $0) }
        return claims
    }

    private func revocations(_ list: (RevokedSubject, Int64)...) -> Revocations {
        var revocations = Revocations()
        for (subject, at) in list {
            revocations.add(Revocation(subject, at: Instant(milliseconds: at)))
        }
        return revocations
    }

    @Test func `tokens that were issued until then do not count any more`() {
        let revoked = revocations((.user("ann"), 5000))
        #expect(revoked.covers(claims(issued: 4999)))
        #expect(revoked.covers(claims(issued: 5000)))
        #expect(!revoked.covers(claims(issued: 5001)))
        #expect(!revoked.covers(claims(user: "bob", issued: 4999)))
    }

    @Test func `one that does not say when it was issued was issued before`() {
        let revoked = revocations((.user("ann"), 5000), (.tokenID("t"), 5000))
        #expect(revoked.covers(claims()))
        #expect(revoked.covers(claims(user: "bob", id: "t")))
        #expect(!revoked.covers(claims(user: "bob", id: "u")))
    }

    @Test func `a token of a name that was taken back is, whenever it says it was issued`() {
        let revoked = revocations((.tokenID("t"), 5000))
        #expect(revoked.covers(claims(id: "t", issued: 4999)))
        #expect(revoked.covers(claims(id: "t", issued: 7000)))
        #expect(!revoked.covers(claims(id: "T", issued: 4999)))
    }

    @Test func `a subject names its tokens`() {
        #expect(RevokedSubject.user("ann").names(claims(issued: 9_999_999)))
        #expect(!RevokedSubject.user("bob").names(claims()))
        #expect(RevokedSubject.tokenID("t").names(claims(id: "t")))
        #expect(!RevokedSubject.tokenID("t").names(claims(user: "t")))
    }

    @Test func `a user is no token's name`() {
        let revoked = revocations((.user("x"), 5000))
        #expect(!revoked.covers(claims(user: "ann", id: "x")))
        #expect(!revocations((.tokenID("ann"), 5000)).covers(claims()))
    }

    @Test func `nobody in particular is somebody, too`() {
        #expect(revocations((.user(""), 1)).covers(claims(user: "")))
        #expect(!revocations((.user(""), 1)).covers(claims(user: "ann")))
    }

    @Test func `names are told apart by their bytes`() {
        let revoked = revocations((.user("\u{E9}"), 5000))
        #expect(revoked.covers(claims(user: "\u{E9}")))
        #expect(!revoked.covers(claims(user: "e\u{301}")))
    }

    @Test func `the later of two counts, and takes one place`() {
        var revoked = revocations((.user("ann"), 5000), (.user("ann"), 4000))
        #expect(revoked.count == 1)
        #expect(revoked.covers(claims(issued: 5000)))
        #expect(!revoked.isNew(.user("ann")))
        #expect(revoked.isNew(.tokenID("ann")))
        let counted = revoked.add(Revocation(.user("ann"), at: Instant(milliseconds: 1)))
        #expect(counted.at.milliseconds == 5000)
    }

    @Test func `a name that no token can have is refused`() {
        #expect(RevokedSubject.tokenID("").fault?.code == 107)
        #expect(RevokedSubject.user("").fault == nil)
        #expect(RevokedSubject.user(String(repeating: "x", count: 256)).fault == nil)
        #expect(RevokedSubject.user(String(repeating: "x", count: 257)).fault?.code == 107)
    }
}
