import Actors
import Coordinator
import TestSupport
import Testing

/// Tokens that were taken back stay so, whatever becomes of the daemon.
@Suite(.timeLimit(.minutes(5)))
struct StoredRevocationTests {
    private static let damage = "revocations in table meta are damaged"

    private func revoke(_ subject: RevokedSubject, at: Int64, in rig: StoreRig) -> String? {
        var answer: String??
        rig.store.revoke(Revocation(subject, at: Instant(milliseconds: at))) { answer = $0 }
        rig.loop.run { answer != nil }
        return answer ?? "no answer"
    }

    private func kept(_ rig: StoreRig) -> [RevokedSubject: Int64] {
        Dictionary(
            uniqueKeysWithValues: rig.store.revocations.map { ($0.subject, $0.at.milliseconds) })
    }

    private func findings(_ rig: StoreRig) -> [String] {
        rig.store.findings.filter(\.isDamage).map(\.text)
    }

    @Test(arguments: [false, true], [StoreDurability.commit, .memory])
    func `they are there after a stop and after a crash`(
        isCrash: Bool, durability: StoreDurability
    ) throws {
        var options = StoreRig.Options()
        options.durability = durability
        let rig = try StoreRig(options: options)
        #expect(kept(rig) == [:])
        for (subject, at) in [
            (RevokedSubject.user("ann"), 5), (.tokenID("ann"), 6), (.user(""), 7),
            (.user("\u{301}\u{0}:'%"), 8), (.user("ann"), 9),
        ] as [(RevokedSubject, Int64)] {
            #expect(revoke(subject, at: at, in: rig) == nil)
        }
        let after = try isCrash ? rig.crashed() : rig.restarted()
        #expect(
            kept(after) == [
                .user("ann"): 9, .tokenID("ann"): 6, .user(""): 7, .user("\u{301}\u{0}:'%"): 8,
            ])
        #expect(findings(after) == [])
        after.close()
        rig.close()
    }

    @Test func `a server knows them from its start`() throws {
        let rig = try StoreRig()
        #expect(revoke(.user("ann"), at: 5, in: rig) == nil)
        let after = try rig.restarted()
        let server = Server(
            loop: after.loop, sessions: after.system, settings: TokenRig.settings(),
            log: Log(level: .debug, sink: MemoryLogSink()))
        #expect(server.revocationCount == 1)
        var result: Result<Int, ReplyError>?
        server.revoke(.tokenID("t")) { result = $0 }
        // Not before it is on disk.
        #expect(result == nil)
        after.loop.run { result != nil }
        #expect(result == .success(0))
        let last = try after.crashed()
        let at = after.loop.now.milliseconds
        #expect(kept(last) == [.user("ann"): 5, .tokenID("t"): at])
        last.close()
        after.close()
    }

    @Test func `one that is damaged is told, and counts for more tokens rather than for fewer`()
        throws
    {
        let rig = try StoreRig()
        for (subject, at) in [(.user("ann"), 5), (.user("bob"), 6)]
            as [(RevokedSubject, Int64)]
        {
            #expect(revoke(subject, at: at, in: rig) == nil)
        }
        rig.close()
        do {
            try rig.database().execute(
                "UPDATE meta SET value = '1' WHERE name = 'revoked user ann'")
        }
        let after = try rig.restarted()
        let start = after.options.now.milliseconds
        #expect(kept(after) == [.user("ann"): start, .user("bob"): 6])
        #expect(findings(after).contains { $0.contains(Self.damage) })
        let last = try after.restarted()
        #expect(kept(last) == [.user("ann"): start, .user("bob"): 6])
        #expect(findings(last) == [])
        last.close()
    }

    @Test(arguments: [
        "DELETE FROM meta WHERE name = 'revoked user ann'",
        "DELETE FROM meta WHERE name = 'revocations'",
        "UPDATE meta SET value = '7 7' WHERE name = 'revocations'",
        "DELETE FROM meta WHERE name LIKE 'revoked %'",
    ])
    func `what went is missed`(sql: String) throws {
        let rig = try StoreRig()
        for (subject, at) in [(.user("ann"), 5), (.user("bob"), 6)]
            as [(RevokedSubject, Int64)]
        {
            #expect(revoke(subject, at: at, in: rig) == nil)
        }
        rig.close()
        do { try rig.database().execute(sql) }
        let after = try rig.restarted()
        #expect(findings(after).contains { $0.contains("revocations are missing") })
        #expect(revoke(.user("eve"), at: 7, in: after) == nil)
        let last = try after.restarted()
        #expect(findings(last) == [])
        #expect(kept(last)[.user("eve")] == 7)
        last.close()
    }

    @Test func `a backup of a folder before it had any is whole`() throws {
        let rig = try StoreRig()
        rig.close()
        do { try rig.database().execute("DELETE FROM meta WHERE name = 'revocations'") }
        let after = try rig.restarted()
        #expect(findings(after) == [])
        after.close()
    }
}
