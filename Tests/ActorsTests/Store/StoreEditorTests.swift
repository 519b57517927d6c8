import Actors
import Coordinator
import Security
import TestSupport
import Testing

/// What devices find after sessions were exported, imported and deleted.
@Suite(.timeLimit(.minutes(5)))
struct StoreEditorTests {
    private let now = Instant(milliseconds: 1_700_000_100_000)

    /// A stopped daemon's folder with a session in which a bet was placed.
    private func played(_ name: String = "a") throws -> StoreRig {
        let rig = try StoreRig()
        let session = try StoreRig.id(name)
        let phone = rig.peer()
        try rig.subscribe(phone, to: session)
        try rig.attach(phone, to: session)
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: phone, device: "phone", id: "once")
        try rig.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: phone,
            device: "phone")
        return rig
    }

    private func documents(_ rig: StoreRig) throws -> [SessionDocument] {
        let sessions = try StoredSessions(
            path: DataFolder.database(in: rig.folder.path), key: rig.key,
            settings: rig.options.settings)
        return try sessions.page(after: "", limit: 100).map { found in
            guard case .stored(let stored) = found.content, let id = SessionID(found.id) else {
                throw RawClient.Failure.unexpected("damaged")
            }
            return SessionDocument(id: id, stored: stored, idleSince: found.idleSince)
        }
    }

    private func editor(_ folder: TestFolder, _ key: SealingKey) throws -> StoreEditor {
        try StoreEditor(
            path: DataFolder.database(in: folder.path), key: key, settings: SessionSettings(),
            durability: .commit, note: nil, now: now)
    }

    @discardableResult
    private func adopt(
        _ documents: [SessionDocument], _ folder: TestFolder, _ key: SealingKey,
        replacing: Bool = false
    ) throws -> [StoreEditor.Adoption] {
        let editor = try editor(folder, key)
        var (rest, done) = (documents[...], [StoreEditor.Adoption]())
        defer { try? editor.close() }
        try editor.adopt(replacing: replacing, next: { rest.popFirst() }) { done.append($0) }
        return done
    }

    @Test func `an imported session is what it was, in a new epoch`() throws {
        let rig = try played()
        let session = try StoreRig.id("a")
        let before = try rig.state(of: session)
        let position = try rig.position(of: session)
        rig.close()
        let folder = try TestFolder()
        let adoptions = try adopt(try documents(rig), folder, rig.key)
        #expect(adoptions.map(\.isReplacement) == [false])
        let after = try StoreRig(folder, key: rig.key)
        let state = try after.state(of: session)
        #expect(state.at("epoch")?.string == adoptions.first?.epoch)
        #expect(state.at("epoch") != before.at("epoch"))
        // The stage's connection did not outlive the daemon.
        #expect(state.at("state", "betslip") == before.at("state", "betslip"))
        #expect(state.at("state", "stage", "device") == "phone")
        // A device comes back with what it had.
        let back = try after.subscribe(after.peer(), to: session, since: position, creates: false)
        #expect(back.answer?.at("subscribe", "recovered") != true)
        #expect(back.error == nil)
        // The event with an id counts once, and so does the bet.
        let again = try after.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: after.peer(), device: "phone", id: "once")
        #expect(again.answer?.at("data", "duplicate") == true)
        let bet = try after.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: after.peer(),
            device: "tablet")
        #expect(bet.answer?.at("data", "duplicate") == true)
        #expect(after.damage == [])
        after.close()
    }

    @Test func `one that is there is refused, and nothing of the file is taken`() throws {
        let rig = try played("b")
        rig.close()
        let documents = try documents(rig)
        let other = SessionDocument(
            id: try StoreRig.id("a"), stored: documents[0].stored, idleSince: nil)
        let id = try StoreRig.id("b")
        #expect(throws: StoreEditor.Refusal.present([id])) {
            try adopt([other] + documents, rig.folder, rig.key)
        }
        #expect(try self.documents(rig).map(\.id.description) == ["b"])
    }

    @Test func `a file that turns out bad in the middle leaves nothing`() throws {
        struct Bad: Error {}
        let rig = try played()
        rig.close()
        let documents = try documents(rig)
        let folder = try TestFolder()
        let editor = try editor(folder, rig.key)
        var count = 0
        #expect(throws: Bad.self) {
            try editor.adopt(
                replacing: false,
                next: {
                    count += 1
                    guard count == 1 else { throw Bad() }
                    return documents[0]
                }
            ) { _ in }
        }
        try editor.close()
        let reader = try StoredSessions(
            path: DataFolder.database(in: folder.path), key: rig.key, settings: SessionSettings())
        #expect(try reader.extent(after: "", limit: 10).count == 0)
    }

    @Test func `one that is replaced leaves its bets to the new one`() throws {
        let rig = try played()
        let session = try StoreRig.id("a")
        rig.close()
        let empty = StoredSession(
            epoch: "e", revision: 1, viewing: Viewing(),
            requests: RequestMemory(idsPerDevice: 256, maximumDevices: 64),
            history: History(size: 256, seconds: 600, top: 1))
        let adoptions = try adopt(
            [SessionDocument(id: session, stored: empty, idleSince: nil)], rig.folder, rig.key,
            replacing: true)
        #expect(adoptions.map(\.isReplacement) == [true])
        #expect(adoptions.map(\.merged) == [1])
        let after = try StoreRig(rig.folder, key: rig.key)
        #expect(try after.state(of: session).unsigned("rev") == 1)
        let bet = try after.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: after.peer(),
            device: "phone")
        #expect(bet.answer?.at("data", "duplicate") == true)
        after.close()
    }

    @Test func `a deleted session is gone and its bets are remembered`() throws {
        let rig = try played()
        let session = try StoreRig.id("a")
        rig.close()
        do {
            let editor = try editor(rig.folder, rig.key)
            let gone = try StoreRig.id("x")
            #expect(throws: StoreEditor.Refusal.absent([gone])) {
                try editor.delete([session, gone], damaged: false)
            }
            let deletions = try editor.delete([session], damaged: false)
            #expect(deletions.map(\.placements) == [1])
            #expect(deletions.map(\.fault) == [nil])
            try editor.close()
        }
        let after = try StoreRig(rig.folder, key: rig.key)
        #expect(after.store.count == 1)
        #expect(try after.ask(after.peer(), .state, to: session).error?.code == 102)
        try after.subscribe(after.peer(), to: session)
        let bet = try after.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: after.peer(),
            device: "phone")
        #expect(bet.answer?.at("data", "duplicate") == true)
        after.close()
    }

    @Test
    func `a damaged session goes only when asked, and keeps its bets as far as they are there`()
        throws
    {
        let rig = try played()
        let session = try StoreRig.id("a")
        rig.close()
        do { try rig.database().execute("UPDATE snapshot SET crc = crc + 1") }
        do {
            let editor = try editor(rig.folder, rig.key)
            #expect(throws: StoreEditor.Refusal.self) {
                try editor.delete([session], damaged: false)
            }
            let deletions = try editor.delete([session], damaged: true)
            #expect(deletions.map(\.placements) == [1])
            #expect(deletions.map(\.fault) == ["snapshot: the checksum is wrong"])
            try editor.close()
        }
        do { #expect(try rig.database().number("SELECT count(*) FROM quarantine") ?? 0 > 0) }
        let report = try StoreVerification.run(
            .init(
                path: DataFolder.database(in: rig.folder.path), key: rig.key,
                settings: SessionSettings(), note: nil))
        #expect(report.damage == [])
        let after = try StoreRig(rig.folder, key: rig.key)
        #expect(try after.ask(after.peer(), .state, to: session).error?.code == 102)
        after.close()
    }
}
