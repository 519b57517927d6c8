import Actors
import Coordinator
import TestSupport
import Testing

/// What goes on and what does not when the disk is full.
@Suite(.timeLimit(.minutes(5)))
struct StoreSpaceTests {
    private static let event: JSON = ["type": "betslip.update", "stake": "99"]

    /// A disk whose free space the test says.
    private final class Disk: Sendable {
        private let free: Locked<Int64>

        init(_ bytes: Int64) { free = Locked(bytes) }

        func set(_ bytes: Int64) { free.withLock { $0 = bytes } }

        func options(mark: Int64, ballast: Int64 = 0) -> StoreRig.Options {
            var options = StoreRig.Options()
            options.limits.minimumFreeBytes = mark
            options.limits.ballastBytes = ballast
            options.limits.freeBytes = { [free] _ in free.withLock { $0 } }
            return options
        }
    }

    /// Lets the store look at the disk again, as it does every second.
    private func look(_ rig: StoreRig) {
        rig.loop.advance(byMilliseconds: 1000)
        rig.rest()
    }

    @Test func `sessions that are deleted below the mark make room, without a restart`() throws {
        let disk = Disk(10_000_000)
        var options = disk.options(mark: 1_000_000)
        // So that there are snapshots, and windows of them, to delete.
        options.settings.snapshots = SnapshotSettings(revisions: 3, seconds: 60)
        let rig = try StoreRig(options: options)
        let phone = rig.peer()
        let names = (0..<20).map { "s\($0)" }
        for name in names {
            let session = try StoreRig.id(name)
            try rig.subscribe(phone, to: session)
            try rig.attach(phone, to: session)
            try rig.stakes(0..<20, to: session, by: phone)
        }
        rig.rest()
        let log = rig.folder.bytes(of: "sessions.sqlite-wal").count
        #expect(log > 100_000)
        disk.set(999_999)
        rig.store.expire(Self.limits(Instant(milliseconds: 0)))
        rig.rest()
        #expect(rig.store.condition.isFull)
        // What waited in the log is in the file, and the log's room is free.
        look(rig)
        #expect(rig.folder.bytes(of: "sessions.sqlite-wal").isEmpty)
        let file = rig.folder.bytes(of: "sessions.sqlite").count
        for name in names.dropFirst() {
            try rig.ask(phone, .close, to: StoreRig.id(name))
        }
        for _ in 0..<3 { look(rig) }
        #expect(rig.folder.bytes(of: "sessions.sqlite").count < file)
        disk.set(10_000_000)
        look(rig)
        #expect(!rig.store.condition.isFull)
        rig.close()
    }

    /// Everything from before `instant` is too old.
    private static func limits(_ instant: Instant) -> RetentionLimits {
        RetentionLimits(
            idleBefore: instant, vacantBefore: instant, deletedBefore: instant,
            placementSeconds: 86_400)
    }

    @Test func `below the mark changes are refused and all else goes on, until there is room`()
        throws
    {
        let disk = Disk(10_000_000)
        let before = try StoreRig(options: disk.options(mark: 1_000_000))
        let (a, gone, stored) = (
            try StoreRig.id("a"), try StoreRig.id("gone"), try StoreRig.id("stored")
        )
        for session in [a, gone, stored] {
            let peer = before.peer()
            try before.subscribe(peer, to: session)
            try before.stakes(0..<3, to: session, by: peer)
        }
        let rig = try before.restarted()
        let (peer, phone) = (rig.peer(), rig.peer())
        try rig.subscribe(peer, to: a)
        try rig.attach(phone, to: gone)
        let state = try rig.state(of: a)
        #expect(rig.store.condition.freeBytes == 10_000_000)

        disk.set(999_999)
        // Each look is made before a transaction, or by the timer of deletions by age.
        rig.store.expire(Self.limits(Instant(milliseconds: 0)))
        rig.rest()
        for _ in 0..<3 {
            let heard = try rig.apply(Self.event, to: a, by: peer)
            #expect(heard.error?.code == 503)
            #expect(heard.error?.temporary == true)
            #expect(
                heard.error?.message
                    == "storage.unavailable: store.full: 999999 bytes are free on the "
                    + "data folder's disk, and 1000000 must stay free (store.minimumFreeBytes)")
            #expect(heard.pushes.isEmpty)
        }
        #expect(rig.failures.count == 1)
        #expect(rig.failures.first??.hasPrefix("store.full: ") == true)
        #expect(rig.store.condition.isFull)
        #expect(try rig.subscribe(rig.peer(), to: StoreRig.id("new")).error?.code == 503)

        // Reading, following, what comes from the disk, and making room.
        #expect(try rig.state(of: a) == state)
        #expect(try rig.history(of: a).count == 3)
        let position = try rig.position(of: a, offset: 1)
        #expect(try rig.subscribe(rig.peer(), to: a, since: position).error == nil)
        #expect(try rig.state(of: stored).unsigned("rev") == 3)
        #expect(try rig.ask(phone, .close, to: gone, device: "phone").error == nil)
        #expect(try rig.ask(rig.peer(), .state, to: gone).error?.code == 102)

        // It looks again by itself; at the mark alone it would go to and fro.
        disk.set(1_000_000)
        look(rig)
        #expect(rig.failures.count == 1)
        disk.set(1_125_000)
        look(rig)
        #expect(rig.failures.count == 2)
        #expect(rig.failures.last == .some(nil))
        #expect(!rig.store.condition.isFull)
        // And no more looks.
        rig.loop.advance(byMilliseconds: 1500)
        #expect(rig.store.isAtRest)
        #expect(try rig.stakes(10..<12, to: a, by: peer) == 5)
        let later = try rig.state(of: a)
        let after = try rig.crashed()
        #expect(try after.state(of: a) == later)
        #expect(try after.ask(after.peer(), .state, to: gone).error?.code == 102)
        after.close()
        rig.close()
    }

    @Test func `a store that is opened below the mark reads, and says so at once`() throws {
        let disk = Disk(10_000_000)
        let before = try StoreRig(options: disk.options(mark: 1_000_000))
        let session = try StoreRig.id("a")
        let peer = before.peer()
        try before.subscribe(peer, to: session)
        try before.stakes(0..<3, to: session, by: peer)
        disk.set(0)
        let rig = try before.restarted()
        #expect(rig.failures.count == 1)
        #expect(try rig.state(of: session).unsigned("rev") == 3)
        #expect(try rig.apply(Self.event, to: session, by: rig.peer()).error?.code == 503)
        disk.set(10_000_000)
        look(rig)
        #expect(try rig.apply(Self.event, to: session, by: rig.peer()).error == nil)
        rig.close()
    }

    @Test func `old sessions are deleted while the disk is full`() throws {
        let disk = Disk(10_000_000)
        let rig = try StoreRig(options: disk.options(mark: 1_000_000))
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        disk.set(0)
        #expect(try rig.apply(Self.event, to: session, by: peer).error == nil)
        #expect(try rig.apply(Self.event, to: session, by: peer).error?.code == 503)
        rig.system.connectionLost(peer.number, following: [session])
        rig.passivate(session)
        rig.rest()
        let later = rig.loop.now.advanced(bySeconds: 1)
        rig.store.expire(Self.limits(later))
        rig.loop.run { !rig.burials.isEmpty }
        #expect(rig.burials == [1])
        #expect(rig.store.count == 0)
        rig.close()
    }

    @Test func `a repeated event is answered as before, and a session's own events go on`() throws {
        let disk = Disk(10_000_000)
        let rig = try StoreRig(options: disk.options(mark: 1_000_000))
        let session = try StoreRig.id("a")
        let (peer, phone) = (rig.peer(), rig.peer())
        try rig.subscribe(peer, to: session)
        try rig.attach(phone, to: session)
        disk.set(0)
        // The look comes before the transaction, and the news after it.
        let first = try rig.apply(Self.event, to: session, by: peer, id: "e1")
        #expect(first.error == nil)
        #expect(rig.failures.count == 1)
        let repeated = try rig.apply(Self.event, to: session, by: peer, id: "e1")
        #expect(repeated.answer?.at("data", "duplicate") == true)
        #expect(try rig.apply(Self.event, to: session, by: peer, id: "e2").error?.code == 503)
        #expect(try rig.ask(phone, .takeStage, to: session).error?.code == 503)

        let revision = try rig.state(of: session).unsigned("rev") ?? 0
        rig.system.connectionLost(phone.number, following: [session])
        rig.settle()
        let lost = try rig.state(of: session)
        #expect(lost.unsigned("rev") == revision + 1)
        #expect(lost.at("state", "stage", "connected") == false)
        // It comes back to its stage, so that it can close the session.
        let again = rig.peer()
        try rig.attach(again, to: session)
        let state = try rig.state(of: session)
        #expect(state.unsigned("rev") == revision + 2)
        #expect(state.at("state", "stage", "connected") == true)
        let after = try rig.crashed()
        // Its stage is lost once more with the daemon.
        #expect(try after.state(of: session).unsigned("rev") == revision + 3)
        after.close()
        rig.close()
    }

    @Test func `a database that cannot grow fails transactions whole and loses nothing`() throws {
        let before = try StoreRig()
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        for session in [a, b] { try before.subscribe(before.peer(), to: session) }
        // As many pages as there are.
        let rig = try before.restarted { $0.limits.pageLimit = 1 }
        let (peer, phone) = (rig.peer(), rig.peer())
        try rig.attach(phone, to: b)
        try rig.subscribe(peer, to: a)
        var (value, accepted) = (0, 0)
        var refused: ReplyError?
        while refused == nil, value < 10_000 {
            value += 1
            let text = String(repeating: "7", count: 60) + "\(value)"
            let event: JSON = [
                "type": "betslip.add", "sportsbookSelectionId": .string(text),
                "decimalPrice": "1.5", "sequence": .integer(value),
            ]
            let clear: JSON = ["type": "betslip.clear"]
            refused = try rig.apply(value % 40 == 0 ? clear : event, to: a, by: peer).error
            if refused == nil { accepted += 1 }
        }
        #expect(refused?.code == 503)
        #expect(
            refused?.message
                == "storage.unavailable: store.full: database or disk is full (SQLite 13)")
        #expect(accepted > 0)
        #expect(rig.failures.first??.hasPrefix("store.full: cannot ") == true)
        let state = try rig.state(of: a)
        #expect(state.unsigned("rev") == UInt64(accepted))
        // That a small transaction fits does not make it well again.
        for _ in 0..<3 { look(rig) }
        #expect(rig.failures.count == 1)
        #expect(rig.store.condition.isFull)
        #expect(rig.store.condition.shortage == nil)
        let after = try rig.crashed { $0.limits.pageLimit = nil }
        #expect(try after.state(of: a) == state)
        #expect(try after.history(of: a) == rig.history(of: a))
        #expect(try after.apply(Self.event, to: a, by: after.peer()).error == nil)
        after.close()
        rig.close()
    }

    @Test func `the ballast is made, given up for a deletion that needs room, and made again`()
        throws
    {
        let disk = Disk(10_000_000)
        let size: Int64 = 262_144
        let before = try StoreRig(options: disk.options(mark: 1_000_000, ballast: size))
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        for session in [a, b] { try before.subscribe(before.peer(), to: session) }
        let ballast = Ballast(in: before.folder.path, size: size)
        #expect(ballast.isWhole)
        // Room for a little, but not for 64 pages.
        let pages = Int(try before.database().number("PRAGMA page_count") ?? 0)
        let rig = try before.restarted { $0.limits.pageLimit = pages + 40 }
        let (peer, phone) = (rig.peer(), rig.peer())
        try rig.attach(phone, to: b)
        try rig.subscribe(peer, to: a)
        let database = try rig.database()
        for table in ["INSERT ON journal", "DELETE ON session"] {
            try database.execute(
                """
                CREATE TRIGGER grow_\(table.prefix(6)) BEFORE \(table) BEGIN
                INSERT INTO quarantine VALUES(0, '', '', '', zeroblob(262144),
                NULL, NULL, NULL, NULL, NULL, NULL); END
                """)
        }
        // A change that only grows is not worth it.
        let heard = try rig.apply(Self.event, to: a, by: peer)
        #expect(heard.error?.message.contains("store.full: database or disk is full") == true)
        #expect(ballast.isWhole)
        disk.set(0)
        let refused = try rig.ask(phone, .close, to: b, device: "phone")
        #expect(refused.error?.message.contains("store.full: ") == true)
        #expect(!ballast.isWhole)
        #expect(rig.folder.names.contains("ballast") == false)

        try database.execute("DROP TRIGGER grow_INSERT; DROP TRIGGER grow_DELETE")
        // An eighth of the mark must be left beside the ballast, and is not.
        disk.set(size + 124_999)
        look(rig)
        let missing = try rig.apply(Self.event, to: a, by: peer)
        #expect(
            missing.error?.message.hasSuffix("and the ballast of \(size) bytes is missing") == true)
        #expect(try rig.ask(phone, .close, to: b, device: "phone").error == nil)
        #expect(!ballast.isWhole)
        disk.set(size + 125_000)
        look(rig)
        #expect(ballast.isWhole)
        disk.set(10_000_000)
        look(rig)
        #expect(ballast.isWhole)
        #expect(rig.failures.last == .some(nil))
        #expect(try rig.apply(Self.event, to: a, by: peer).error == nil)
        let state = try rig.state(of: a)
        let after = try rig.crashed()
        #expect(try after.state(of: a) == state)
        #expect(try after.ask(after.peer(), .state, to: b).error?.code == 102)
        after.close()
        rig.close()
    }

    @Test func `the ballast is given up to open the store, and its end is said`() throws {
        let folder = try TestFolder()
        let ballast = Ballast(in: folder.path, size: 65_536)
        try ballast.make()
        var options = StoreRig.Options()
        options.limits.ballastBytes = 65_536
        // Too few for the tables.
        options.limits.pageLimit = 3
        let fault = #expect(throws: StoreFault.self) {
            try StoreRig(folder, options: options)
        }
        #expect(fault?.description.hasPrefix("the disk is full: cannot ") == true)
        #expect(!ballast.isWhole)
    }

    @Test func `ballast that cannot be made is missed aloud`() throws {
        let disk = Disk(1 << 62)
        // More than any file system holds.
        let rig = try StoreRig(options: disk.options(mark: 0, ballast: 1 << 60))
        #expect(rig.store.findings.map(\.isDamage) == [false])
        #expect(rig.store.findings.first?.text.hasPrefix("there is no ballast") == true)
        #expect(rig.failures.isEmpty)
        rig.close()
    }

    @Test func `no ballast is wanted any more: it goes`() throws {
        let folder = try TestFolder()
        try Ballast(in: folder.path, size: 65_536).make()
        var options = StoreRig.Options()
        options.limits.ballastBytes = 0
        let rig = try StoreRig(folder, options: options)
        #expect(!folder.names.contains("ballast"))
        rig.close()
    }
}

@Suite struct StoreLimitsTests {
    @Test func `on a small disk mark and ballast are a sixteenth of it, on others as configured`() {
        var small = StoreLimits()
        small.minimumFreeBytes = 67_108_864
        small.ballastBytes = 67_108_864
        var large = small
        var none = StoreLimits()
        // 64 MiB, 100 GiB.
        small.fit(totalBytes: 67_108_864)
        large.fit(totalBytes: 107_374_182_400)
        none.fit(totalBytes: 67_108_864)
        #expect(small.minimumFreeBytes == 4_194_304)
        #expect(small.ballastBytes == 4_194_304)
        #expect(large.minimumFreeBytes == 67_108_864)
        #expect(large.ballastBytes == 67_108_864)
        #expect(none.minimumFreeBytes == 0)
        #expect(none.ballastBytes == nil)
    }
}
