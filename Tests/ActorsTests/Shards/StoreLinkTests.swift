import Coordinator
import TestSupport
import Testing

@testable import Actors

/// Sessions of a second loop and the store on the first one, which a test moves by hand.
@Suite struct StoreLinkTests {
    /// A store that does what the test says.
    private final class ScriptedStore: Store {
        var holdings = StoreHoldings()
        var condition = StoreCondition()
        var appended: [UInt64] = []
        var snapshots: [Int64] = []
        var newest: Int64?
        private(set) var observer: ((Settlement) -> Void)?
        private(set) var conditionObserver: (() -> Void)?

        func append(_ commit: Commit, for session: SessionID) { appended.append(commit.sequence) }
        func snapshot(_ stored: StoredSession, of session: SessionID) { snapshots.append(-1) }
        func snapshot(_ stored: StoredSession, of session: SessionID, through number: Int64) {
            snapshots.append(number)
        }
        func newestCommit(of session: SessionID) -> Int64? { newest }
        func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
            completion(.absent(placements: []))
        }
        func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {}
        func abandon(_ session: SessionID) {}
        func countSessions(
            ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
        ) { completion(0) }
        func observe(_ observer: @escaping (Settlement) -> Void) { self.observer = observer }
        func observeCondition(_ observer: @escaping () -> Void) { conditionObserver = observer }
    }

    private struct Rig {
        let loops = [ManualEventLoop(), ManualEventLoop()]
        let store = ScriptedStore()
        let hub: StoreHub
        let link: StoreLink
        let session: SessionID
        let stored: StoredSession

        init() throws {
            var opened: Shards?
            Shards.open(
                on: loops, over: store,
                Shards.Options(log: Log(level: .error, sink: MemoryLogSink()))
            ) { opened = $0 }
            for loop in loops + loops + loops { loop.run() }
            let all = try #require(opened).all
            hub = try #require(all[0].hub)
            link = try #require(all[1].link)
            session = try #require(SessionID(LoopNames.both[1]))
            stored =
                Session(id: session, newEpoch: "e", placements: [], settings: SessionSettings())
                .stored
        }

        func append(_ sequence: UInt64) {
            // What it changes is the store's affair alone.
            link.append(
                Commit(sequence: sequence, change: .delete(placements: [])), for: session)
        }

        func runAll() {
            for _ in 0..<4 { for loop in loops { loop.run() } }
        }
    }

    @Test func `a commit that builds on one that failed is not stored`() throws {
        let rig = try Rig()
        var settlements: [Settlement] = []
        rig.link.observe { settlements.append($0) }
        rig.append(1)
        rig.runAll()
        // The second one is on its way when the first one fails.
        rig.append(2)
        rig.loops[1].run()
        rig.store.observer?(.failed(rig.session, from: 1, reason: "full"))
        rig.loops[0].run()
        #expect(rig.store.appended == [1])
        // What the session asks for once it knows is stored.
        rig.loops[1].run()
        #expect(settlements == [.failed(rig.session, from: 1, reason: "full")])
        rig.append(3)
        rig.runAll()
        #expect(rig.store.appended == [1, 3])
    }

    @Test func `a snapshot covers what its session has heard of, not what the store knows`() throws
    {
        let rig = try Rig()
        rig.append(1)
        rig.runAll()
        rig.store.newest = 7
        rig.store.observer?(.committed(rig.session, through: 1))
        rig.runAll()
        rig.append(2)
        rig.runAll()
        // The next one is durable; the session does not know that yet.
        rig.store.newest = 8
        rig.store.observer?(.committed(rig.session, through: 2))
        rig.link.snapshot(rig.stored, of: rig.session)
        rig.runAll()
        rig.link.snapshot(rig.stored, of: rig.session)
        rig.runAll()
        #expect(rig.store.snapshots == [7, 8])
    }

    @Test func `what keeps the store from taking changes is known on every loop`() throws {
        let rig = try Rig()
        #expect(rig.link.condition.shortage == nil)
        rig.store.condition.shortage = "store.full: 1 byte"
        rig.store.conditionObserver?()
        rig.runAll()
        #expect(rig.link.condition.shortage == "store.full: 1 byte")
        rig.store.condition.shortage = nil
        rig.store.conditionObserver?()
        rig.runAll()
        #expect(rig.link.condition.shortage == nil)
    }

    @Test func `places for sessions are given out once, and given back`() throws {
        let rig = try Rig()
        let others = try LoopNames.at(0, 3).map { try #require(SessionID($0)) }
        rig.store.holdings.sessions = 3
        rig.store.conditionObserver?()
        #expect(rig.link.takesSession(rig.session, under: 5))
        #expect(rig.hub.takesSession(others[0], under: 5))
        #expect(!rig.hub.takesSession(others[1], under: 5))
        rig.link.abandon(rig.session)
        rig.runAll()
        #expect(rig.hub.takesSession(others[1], under: 5))
        #expect(!rig.link.takesSession(rig.session, under: 5))
    }
}
