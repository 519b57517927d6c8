import Actors
import Coordinator
import TestSupport
import Testing

/// Lists of sessions over the real store.
@Suite(.timeLimit(.minutes(5)))
struct StoreListingTests {
    private func page(
        _ rig: StoreRig, after start: String = "", limit: Int = 100
    ) throws -> SessionPage {
        var answer: SessionPage??
        rig.system.list(after: start, limit: limit) { answer = $0 }
        rig.loop.run { answer != nil }
        return try #require(answer.flatMap { $0 })
    }

    /// Sessions of which some were passivated and some were not.
    private func filled(_ durability: StoreDurability) throws -> StoreRig {
        let rig = try StoreRig(options: .init(durability: durability))
        let peer = rig.peer()
        for (name, stakes) in [("b", 0..<3), ("a", 0..<5), ("C", 0..<0)] {
            let session = try StoreRig.id(name)
            try rig.subscribe(peer, to: session)
            try rig.stakes(stakes, to: session, by: peer)
        }
        return rig
    }

    private func revisions(_ page: SessionPage) -> [String] {
        page.rows.map { row in
            guard case .known(_, let revision, let vendor, let phase) = row.content else {
                return "\(row.id) damaged"
            }
            return "\(row.id) \(revision) \(vendor ?? "-") \(phase) \(row.clients)"
        }
    }

    @Test(arguments: [StoreDurability.commit, .memory])
    func `active sessions and those on disk are listed alike`(durability: StoreDurability) throws {
        let rig = try filled(durability)
        #expect(
            revisions(try page(rig)) == ["C 0 - idle 1", "a 5 - idle 1", "b 3 - idle 1"])
        let epochs = try page(rig).rows.map(\.content)
        // With durability `memory` nothing is on disk before it is passivated.
        #expect(
            try page(rig).rows.map(\.isStored)
                == Array(repeating: durability == .commit, count: 3))
        let next = try rig.restarted()
        #expect(revisions(try page(next)) == ["C 0 - idle 0", "a 5 - idle 0", "b 3 - idle 0"])
        #expect(try page(next).rows.map(\.content) == epochs)
        #expect(try page(next).rows.allSatisfy(\.isStored))
        #expect(next.system.activeCount == 0)
        next.close()
    }

    @Test func `a page after a crash is folded from the journal`() throws {
        let rig = try filled(.commit)
        let next = try rig.crashed()
        #expect(revisions(try page(next)) == ["C 0 - idle 0", "a 5 - idle 0", "b 3 - idle 0"])
        next.close()
        rig.close()
    }

    @Test func `pages are as long as wanted and tell where to go on`() throws {
        let rig = try filled(.commit)
        let next = try rig.restarted()
        let first = try page(next, limit: 2)
        #expect(first.rows.map(\.id) == ["C", "a"])
        #expect(first.next == "a")
        let second = try page(next, after: "a", limit: 2)
        #expect(second.rows.map(\.id) == ["b"])
        #expect(second.next == nil)
        #expect(try page(next, after: "b").rows == [])
        #expect(try page(next, limit: 3).next == nil)
        next.close()
    }

    @Test func `more sessions than are looked up at a time are all there`() throws {
        let rig = try StoreRig()
        let peer = rig.peer()
        let names = (100..<200).map { "s-\($0)" }
        for name in names { try rig.subscribe(peer, to: try StoreRig.id(name)) }
        let next = try rig.restarted()
        // One of them is active and has a client.
        try next.subscribe(next.peer(), to: try StoreRig.id("s-150"))
        let all = try page(next, limit: 1000)
        #expect(all.rows.map(\.id) == names)
        #expect(all.rows.filter { $0.clients > 0 }.map(\.id) == ["s-150"])
        next.close()
    }

    @Test func `a damaged session is there with its fault`() throws {
        let rig = try filled(.commit)
        rig.close()
        try rig.database().execute(
            "UPDATE snapshot SET body = '{' WHERE session = "
                + "(SELECT key FROM session WHERE id = 'a')")
        let next = try StoreRig(rig.folder, key: rig.key, options: rig.options)
        let rows = try page(next).rows
        #expect(rows.map(\.id) == ["C", "a", "b"])
        #expect(
            rows[1].json == [
                "session": "a", "clients": 0, "stored": true,
                "fault": "snapshot: the checksum is wrong",
            ])
        // Looking at a list sets nothing aside.
        #expect(next.damage == [])
        next.close()
    }

    @Test func `what is not durable is not listed`() throws {
        let rig = try StoreRig()
        let peer = rig.peer()
        let session = try StoreRig.id("a")
        rig.post(peer, 1, .subscribe(.init()), to: session, creates: true)
        var answer: SessionPage??
        rig.system.list(after: "", limit: 10) { answer = $0 }
        rig.loop.run { answer != nil }
        // Either it was made meanwhile, or it is not there; never an epoch that nobody may know.
        for row in try #require(answer.flatMap { $0 }).rows {
            #expect(row.id == "a")
            guard case .known(let epoch, _, _, _) = row.content else { continue }
            #expect(!epoch.isEmpty)
        }
        rig.settle()
        #expect(revisions(try page(rig)) == ["a 0 - idle 1"])
        rig.close()
    }
}
