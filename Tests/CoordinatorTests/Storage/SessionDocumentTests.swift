import Coordinator
import Security
import Testing

@Suite struct SessionDocumentTests {
    private let key = SealingKey.random().key
    private let id = SessionID("match-1")
    private let now = Instant(milliseconds: 1_700_000_100_000)

    private func session(_ change: (inout Viewing) throws -> Void = { _ in }) throws
        -> SessionDocument
    {
        var viewing = Viewing()
        try change(&viewing)
        var requests = RequestMemory(idsPerDevice: 256, maximumDevices: 64)
        requests.remember(
            JSONObject([.init(key: "rev", value: 7)]), for: .init(device: "old", id: "o"))
        requests.remember(
            JSONObject([.init(key: "rev", value: 7)]), for: .init(device: "tablet", id: "t"))
        var history = History(size: 256, seconds: 600, top: 6)
        history.append(
            Publication(offset: 7, data: Array(#"{"rev":7,"x":1.50}"#.utf8)),
            at: Instant(milliseconds: 1_700_000_000_500))
        return SessionDocument(
            id: try #require(id),
            stored: StoredSession(
                epoch: "e1", revision: 7, viewing: viewing, requests: requests, history: history),
            idleSince: Instant(milliseconds: 5))
    }

    private func read(_ text: String) throws -> SessionDocument {
        let document = try JSONParser.parse(
            Array(text.utf8).span, maximumDepth: SessionDocument.maximumDepth)
        return try SessionDocument(
            document.root, vault: { Vault(key: key, context: $0.description) },
            settings: SessionSettings())
    }

    private func text(_ document: SessionDocument) -> String {
        let vault = Vault(key: key, context: document.id.description)
        return String(decoding: document.openText(vault), as: UTF8.self) + "}"
    }

    @Test func `a document names every part, and publications keep their bytes`() throws {
        let document = try session()
        let state = JSONWriter.text(of: document.stored.viewing.state.json)
        #expect(
            text(document)
                == #"{"session":"match-1","epoch":"e1","rev":7,"idleSince":5,"state":\#(state),"#
                + #""memory":{},"requests":[{"device":"old","answers":[["o",{"rev":7}]]},"#
                + #"{"device":"tablet","answers":[["t",{"rev":7}]]}],"#
                + #""window":[[1700000000500,{"rev":7,"x":1.50}]]}"#)
    }

    @Test func `everything but the window comes back`() throws {
        let before = try session { viewing in
            viewing.memory.content = Secret(JSONObject([.init(key: "apiKey", value: "planted")]))
        }
        let text = text(before)
        #expect(!text.contains("planted"))
        let after = try read(text)
        #expect(after.id == before.id)
        #expect(after.idleSince == before.idleSince)
        #expect(after.stored.viewing == before.stored.viewing)
        #expect(after.stored.requests == before.stored.requests)
        #expect(after.stored.revision == 7)
        #expect(after.stored.history.publications == [])
        #expect(after.stored.history.top == 7)
        #expect(after.stored.mark == SnapshotMark())
    }

    @Test(arguments: [
        (#""session":"match-1""#, #""session":"match/1""#, "session: a session's id is expected"),
        (#""session":"match-1","#, "", "session: missing"),
        (#""epoch":"e1""#, #""epoch":1"#, "epoch: a string is expected, not a number"),
        (#""rev":7"#, #""rev":-7"#, "rev: a counter is expected, not another number"),
        (#""rev":7"#, #""rev":18446744073709551615"#, "rev: a counter is expected, not another "),
        (#""rev":7,"idle"#, #""rev":0,"idle"#, "window: more publications than revisions"),
        (#""memory":{}"#, #""memory":{"x":1}"#, "memory.x: unknown, or there twice"),
        (#""memory":{}"#, #""memory":{"content":"AAAA"}"#, "memory.content: the sealed text does "),
        (#""device":"old""#, #""device":"tablet""#, "requests.1.device: there twice"),
        (#"[["o",{"rev":7}]]"#, #"[["o"]]"#, "requests.old: id and answer are expected"),
        (#"[1700000000500,{"#, #"["x",{"#, "window.0: a time and a publication are expected"),
        (#""window":"#, #""more":1,"window":"#, "more: unknown, or there twice"),
    ])
    func `what does not fit is named`(old: String, new: String, start: String) throws {
        let text = text(try session())
        let place = try #require(text.firstRange(of: old))
        let changed = text[..<place.lowerBound] + new + text[place.upperBound...]
        let error = try #require(throws: StorageFault.self) { try read(String(changed)) }
        #expect(error.description.hasPrefix(start), "\(error)")
    }

    private func placement(
        _ id: String, _ number: Int, at: Int64, outcome: PlacementOutcome? = nil,
        offeredTo: String? = nil
    ) throws -> PlacementRecord {
        var state = JSONObject([.init(key: "id", value: .string(id))])
        state.append("outcome", ifPresent: outcome.map { .string($0.rawValue) })
        state.append("by", "tablet")
        var object = JSONObject([.init(key: "number", value: .integer(number))])
        object.append("command", ["placementId": .string(id)])
        object.append("slipRevision", 3)
        object.append("state", .object(state))
        object.append("placedAt", .integer(at))
        object.append("deadline", .integer(at + 30_000))
        object.append("offeredTo", ifPresent: offeredTo.map { .string($0) })
        return try PlacementRecord(stored: .object(object))
    }

    private func adopted(
        _ stored: StoredSession, _ remembered: [PlacementRecord] = [], limit: Int = 1000
    ) -> StoredSession {
        var settings = SessionSettings()
        settings.policy.placementLimit = limit
        return stored.adopted(epoch: "new", remembered: remembered, at: now, settings: settings)
    }

    @Test func `an adopted session counts on in a new epoch with an empty window`() throws {
        let stored = try session().stored
        let after = adopted(stored)
        #expect(after.epoch == "new")
        #expect(after.revision == 7)
        #expect(after.history.publications == [])
        #expect(after.history.top == 7)
        #expect(after.requests == stored.requests)
        #expect(after.viewing == stored.viewing)
    }

    @Test func `a bet that waited for the stage is not offered any more`() throws {
        let late = now.milliseconds - 1000
        let stored = try session { viewing in
            viewing.memory.placements = [
                try placement("offered", 1, at: late, offeredTo: "phone"),
                try placement("waiting", 2, at: late),
            ]
        }.stored
        let records = adopted(stored).viewing.memory.placements
        #expect(records.map(\.deadline) == [Instant(milliseconds: late + 30_000), now])
    }

    @Test func `remembered bets come before the slip's own, oldest first`() throws {
        let stored = try session { viewing in
            viewing.memory.placements = [
                try placement("a", 4, at: 2000, outcome: .rejected),
                try placement("own", 9, at: 1000, outcome: .rejected),
            ]
        }.stored
        let remembered = [
            try placement("x", 1, at: 1500, outcome: .accepted), try placement("y", 2, at: 3000),
        ]
        var records = adopted(stored, remembered).viewing.memory.placements
        #expect(records.map(\.state.id) == ["x", "a", "y", "own"])
        #expect(records.map(\.number) == [1, 2, 3, 4])
        #expect(records.map(\.state.outcome) == [.accepted, .rejected, .unknown, .rejected])
        // Another session's slip.
        #expect(records.map(\.slipRevision) == [nil, 3, nil, 3])
        records = adopted(stored, remembered, limit: 2).viewing.memory.placements
        #expect(records.map(\.state.id) == ["y", "own"])
    }

    @Test func `a bet that was settled elsewhere is settled here`() throws {
        let stored = try session { viewing in
            viewing.memory.placements = [try placement("p", 1, at: 1000)]
            viewing.state.betslip.status = .placing
            viewing.state.betslip.placement = viewing.memory.placements.first?.state
        }.stored
        let after = adopted(stored, [try placement("p", 1, at: 1000, outcome: .accepted)])
        #expect(after.viewing.memory.placements.map(\.state.outcome) == [.accepted])
        #expect(after.viewing.state.betslip.status == .placed)
        #expect(after.viewing.state.betslip.placement?.outcome == .accepted)
        #expect(after.revision == 8)
        #expect(after.history.top == 8)
    }
}
