import Actors
import Coordinator
import TestSupport
import Testing

/// What comes back after the server ended, cleanly or not.
@Suite(.timeLimit(.minutes(5)))
struct StoreRestartTests {
    enum Ending: CaseIterable {
        case clean, crash
    }

    private func ended(_ rig: StoreRig, _ ending: Ending) throws -> StoreRig {
        switch ending {
        case .clean: try rig.restarted()
        case .crash: try rig.crashed()
        }
    }

    @Test(arguments: Ending.allCases)
    func `state, epoch, window and answers are as they were`(ending: Ending) throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let mirror = rig.peer()
        try rig.subscribe(mirror, to: session)
        try rig.stakes(0..<5, to: session, by: mirror)
        let event: JSON = ["type": "fullscreen.set", "on": true]
        try rig.apply(event, to: session, by: mirror, device: "tablet", id: "once")
        let (state, history) = (try rig.state(of: session), try rig.history(of: session))
        #expect(state.unsigned("rev") == 6)
        #expect(history.count == 6)

        let after = try ended(rig, ending)
        #expect(try after.state(of: session) == state)
        #expect(try after.history(of: session) == history)
        let again = try after.apply(
            event, to: session, by: after.peer(), device: "tablet", id: "once")
        #expect(again.answer?["data"] == ["rev": 6, "duplicate": true])
        let position = StreamPosition(epoch: state.at("epoch")?.string ?? "", offset: 4)
        let recovered = try after.subscribe(after.peer(), to: session, since: position)
        #expect(recovered.answer?.at("recovered") == true)
        let tail = recovered.answer?.at("publications")?.array?.map(JSONWriter.text(of:))
        #expect(tail == Array(history.suffix(2)))
        after.close()
        rig.close()
    }

    @Test(arguments: [1, 3, 7])
    func `snapshots of any interval and the journal after them give the same`(
        revisions: Int
    ) throws {
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: revisions, seconds: 60)
        options.settings.historySize = 10
        options.settings.idempotencyIDs = 4
        options.settings.idempotencyDevices = 3
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let peer = rig.peer()
        try rig.subscribe(peer, to: session)
        for round in 0..<25 {
            // Five devices take turns, so that devices and ids are forgotten.
            try rig.apply(
                ["type": "betslip.update", "stake": .string("\(round + 1)")], to: session,
                by: peer, device: "d\(round % 5)", id: "id-\(round)")
            let (state, history) = (try rig.state(of: session), try rig.history(of: session))
            let after = try rig.crashed()
            #expect(try after.state(of: session) == state)
            #expect(try after.history(of: session) == history)
            for old in 0...round {
                let answer = try after.apply(
                    ["type": "nothing"], to: session, by: after.peer(), device: "d\(old % 5)",
                    id: "id-\(old)")
                // Three devices are remembered; one that comes back has lost its ids.
                #expect((answer.error == nil) == (old > round - 3), "round \(round), id \(old)")
            }
            after.close()
        }
        rig.close()
    }

    @Test(arguments: Ending.allCases)
    func `a stage that was connected is detached first, then overdue timers run`(
        ending: Ending
    ) throws {
        var options = StoreRig.Options()
        options.settings.policy.betslipDeadlineSeconds = 30
        options.settings.policy.stageGraceSeconds = 20
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let phone = rig.peer()
        try rig.subscribe(phone, to: session)
        try rig.attach(phone, to: session)
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: phone, device: "phone")
        try rig.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: phone,
            device: "phone")
        let placedAt = rig.loop.now
        let revision = try #require(try rig.state(of: session).unsigned("rev"))

        // The server is away for 31 seconds: the placement's deadline passed, the grace had not begun.
        let after =
            switch ending {
            case .clean: try rig.restarted { $0.now = $0.now.advanced(bySeconds: 31) }
            case .crash: try rig.crashed { $0.now = $0.now.advanced(bySeconds: 31) }
            }
        let state = try after.state(of: session)
        #expect(state.unsigned("rev") == revision + 2)
        #expect(state.at("state", "betslip", "status") == "unknown")
        #expect(state.at("state", "stage", "connected") == false)
        let types = try after.history(of: session).suffix(2).map { text in
            try JSONParser.parse(text: text).root.at("data", "event", "type")?.string
        }
        #expect(types == ["stage.detached", "placement.expired"])
        #expect(after.loop.now == placedAt.advanced(bySeconds: 31))

        // The grace began with the restart.
        after.loop.advance(byMilliseconds: 19_999)
        after.settle()
        #expect(try after.state(of: session).at("state", "stage") != nil)
        after.loop.advance(byMilliseconds: 1)
        after.settle()
        #expect(try after.state(of: session).at("state", "stage") == nil)
        after.close()
        rig.close()
    }

    @Test(arguments: Ending.allCases)
    func `effects wait, a bet that was offered is not offered again`(ending: Ending) throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let phone = rig.peer()
        try rig.subscribe(phone, to: session)
        try rig.attach(phone, to: session)
        try rig.apply(
            ["type": "fullscreen.set", "on": true], to: session, by: phone, device: "phone")
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: phone, device: "phone")
        let placed = try rig.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: phone,
            device: "phone")
        #expect(placed.pushes.contains { $0.payload.at("data", "kind") == "placeBet" })

        let after = try ended(rig, ending)
        let pending = try after.attach(after.peer(), to: session)
        let kinds = pending.array?.compactMap { $0["kind"]?.string }
        // The device comes back: it is asked for its facts, and keep-awake is said again.
        #expect(kinds == ["setFullscreen", "requestOrientation", "reportFacts", "setKeepAwake"])
        let repeated = try after.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: after.peer(),
            device: "phone")
        #expect(repeated.answer?.at("data", "duplicate") == true)
        let other = try after.apply(
            ["type": "betslip.place", "placementId": "p1", "stake": "5"], to: session,
            by: after.peer(), device: "phone")
        #expect(other.error?.code == 409)
        #expect(other.error?.message.hasPrefix("betslip.idReused:") == true)
        after.close()
        rig.close()
    }

    @Test func `a deleted session stays deleted and its placements are remembered`() throws {
        let rig = try StoreRig()
        let session = try StoreRig.id("a")
        let phone = rig.peer()
        try rig.subscribe(phone, to: session)
        try rig.attach(phone, to: session)
        try rig.apply(
            ["type": "betslip.open", "sportsbookSelectionId": "s1", "decimalPrice": "2.0"],
            to: session, by: phone, device: "phone")
        try rig.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: phone,
            device: "phone")
        let epoch = try rig.position(of: session).epoch
        try rig.ask(phone, .close, to: session, device: "phone")

        let after = try rig.crashed()
        #expect(after.store.count == 1)
        #expect(try after.ask(after.peer(), .state, to: session).error?.code == 102)
        try after.subscribe(after.peer(), to: session)
        let position = try after.position(of: session)
        #expect(position.offset == 0)
        #expect(position.epoch != epoch)
        let repeated = try after.apply(
            ["type": "betslip.place", "placementId": "p1"], to: session, by: after.peer(),
            device: "phone")
        #expect(repeated.answer?.at("data", "duplicate") == true)
        #expect(after.store.count == 1)
        after.close()
        rig.close()
    }

    @Test func `with durability memory a clean stop keeps everything, a crash changes epochs`()
        throws
    {
        var options = StoreRig.Options()
        options.durability = .memory
        options.settings.snapshots = nil
        let rig = try StoreRig(options: options)
        let (a, b) = (try StoreRig.id("a"), try StoreRig.id("b"))
        let peer = rig.peer()
        for session in [a, b] {
            try rig.subscribe(peer, to: session)
            try rig.stakes(0..<3, to: session, by: peer)
        }
        let (state, history) = (try rig.state(of: a), try rig.history(of: a))

        let clean = try rig.restarted()
        #expect(clean.store.findings == [])
        #expect(clean.store.count == 2)
        #expect(try clean.state(of: a) == state)
        #expect(try clean.history(of: a) == history)
        try clean.stakes(7..<9, to: a, by: clean.peer())

        let crashed = try clean.crashed()
        #expect(crashed.store.findings.count == 1)
        let later = try crashed.state(of: a)
        #expect(later.at("epoch") != state.at("epoch"))
        #expect(later.at("state") == state.at("state"))
        #expect(try crashed.history(of: a) == [])
        let recovery = try crashed.subscribe(
            crashed.peer(), to: a,
            since: StreamPosition(epoch: state.at("epoch")?.string ?? "", offset: 3))
        #expect(recovery.answer?.at("recovered") == nil)
        #expect(recovery.answer?.at("data", "rev") == 3)

        // Whatever ran before, the epochs hold from now on.
        let again = try crashed.restarted { $0.durability = .commit }
        #expect(again.store.findings == [])
        #expect(try again.state(of: a) == later)
        again.close()
        clean.close()
    }
}
