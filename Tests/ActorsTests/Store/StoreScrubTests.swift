import Actors
import Coordinator
import TestSupport
import Testing

/// Damage that nobody asked for is found by reading all sessions.
@Suite(.timeLimit(.minutes(5)))
struct StoreScrubTests {
    private static let names = (10..<35).map { "s\($0)" }

    /// Sessions with a few changes each; then some of them are damaged.
    private func damaged(
        _ damage: [String], _ change: (inout StoreRig.Options) -> Void = { _ in }
    ) throws -> StoreRig {
        var options = StoreRig.Options()
        change(&options)
        let rig = try StoreRig(options: options)
        for name in Self.names {
            try rig.subscribe(rig.peer(), to: try StoreRig.id(name))
            try rig.stakes(1..<3, to: try StoreRig.id(name), by: rig.peer())
        }
        rig.close()
        for name in damage {
            try rig.database().execute(
                """
                UPDATE snapshot SET body = '{}' WHERE session =
                (SELECT key FROM session WHERE id = '\(name)')
                """)
        }
        return try StoreRig(rig.folder, key: rig.key, options: rig.options)
    }

    /// Moves the clock until a scrub has read everything there is.
    private func finish(_ rig: StoreRig, steps: Int) {
        for _ in 0..<steps {
            rig.rest()
            rig.loop.advance(byMilliseconds: 50)
        }
        rig.rest()
    }

    @Test func `every damaged session is named once, without anybody asking for it`() throws {
        let rig = try damaged(["s10", "s22", "s34"])
        #expect(rig.damage == [])
        // 100 a second are 5 in each of the 20 steps of a second: five steps, and one that finds none.
        rig.store.scrub(perSecond: 100)
        finish(rig, steps: 6)
        let named = [
            "s10: snapshot: the checksum is wrong", "s22: snapshot: the checksum is wrong",
            "s34: snapshot: the checksum is wrong",
        ]
        #expect(rig.damage == named)
        #expect(rig.store.holdings.setAside == 3)
        // Whoever asks for one is refused, and nothing is told again.
        let heard = try rig.ask(rig.peer(), .state, to: try StoreRig.id("s22"))
        #expect(heard.error?.message.contains("store.damaged") == true)
        rig.loop.advance(byMilliseconds: 86_400_000)
        finish(rig, steps: 6)
        #expect(rig.damage == named)
        rig.close()
        // It is found after a restart, too: nothing of it was written down.
        let again = try StoreRig(rig.folder, key: rig.key, options: rig.options)
        again.store.scrub(perSecond: 1_000_000)
        finish(again, steps: 1)
        #expect(again.damage == named)
        again.close()
    }

    @Test func `what is damaged after a scrub is found by the next one, a day later`() throws {
        let rig = try damaged([])
        rig.store.scrub(perSecond: 1_000_000)
        finish(rig, steps: 1)
        try rig.database().execute("UPDATE snapshot SET chain = chain + 1 WHERE session = 7")
        rig.loop.advance(byMilliseconds: 86_300_000)
        rig.rest()
        #expect(rig.damage == [])
        rig.loop.advance(byMilliseconds: 100_000)
        rig.rest()
        #expect(rig.damage == ["s16: snapshot: the checksum is wrong"])
        rig.close()
    }

    @Test func `a session that is served from memory is not said to be set aside`() throws {
        let rig = try damaged([])
        let session = try StoreRig.id("s12")
        #expect(try rig.subscribe(rig.peer(), to: session).error == nil)
        try rig.database().execute("UPDATE snapshot SET chain = chain + 1 WHERE session = 3")
        rig.store.scrub(perSecond: 1_000_000)
        finish(rig, steps: 1)
        #expect(rig.damage == [])
        #expect(try rig.ask(rig.peer(), .state, to: session).error == nil)
        rig.close()
    }

    @Test func `it is off with 0, and where a load mends what is damaged`() throws {
        let rig = try damaged(["s10"])
        rig.store.scrub(perSecond: 0)
        finish(rig, steps: 2)
        #expect(rig.damage == [])
        rig.close()
        let mending = try damaged(["s10"]) { $0.damaged = .newEpoch }
        mending.store.scrub(perSecond: 100)
        finish(mending, steps: 2)
        #expect(mending.damage == [])
        mending.close()
    }
}
