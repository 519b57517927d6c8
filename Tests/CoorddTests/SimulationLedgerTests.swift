import Coordinator
import Testing
import coordd

@Suite struct SimulationRevisionLedgerTests {
    private final class Reports {
        var violations: [Violation] = []
    }

    private static func publication(_ revision: UInt64, mark: String? = nil) -> Publication {
        let data: JSON = [
            "rev": .integer(revision), "event": ["mark": .string(mark ?? "tv/\(revision)")],
        ]
        return Publication(offset: revision, data: JSONWriter.bytes(of: data))
    }

    private static func ledger() throws -> (RevisionLedger, Reports) {
        let reports = Reports()
        let id = try #require(SessionID("s"))
        return (RevisionLedger(session: id) { reports.violations.append($0) }, reports)
    }

    private static func history(_ offsets: [UInt64], newest: UInt64) -> Reply.History {
        .init(
            position: .init(epoch: "e", offset: newest),
            publications: offsets.map { publication($0) })
    }

    @Test func `a complete history is counted and not reported`() throws {
        let (ledger, reports) = try Self.ledger()
        for revision: UInt64 in 1...3 { ledger.saw(Self.publication(revision), at: "tv") }
        let known = ledger.saw(
            Self.history([2, 3, 4], newest: 4), known: 3, size: 3, at: "tv")
        #expect(known == 2)
        #expect(reports.violations == [])
    }

    @Test func `a history with a hole is reported with what is there`() throws {
        let (ledger, reports) = try Self.ledger()
        _ = ledger.saw(Self.history([1, 2, 4], newest: 4), known: 0, size: 256, at: "tv")
        #expect(
            reports.violations == [
                Violation(
                    .historyGap, session: "s", device: "tv",
                    expected: "revisions 1–4 in the history", found: "1–2, 4")
            ])
    }

    @Test func `a history that is too short is reported`() throws {
        let (ledger, reports) = try Self.ledger()
        _ = ledger.saw(Self.history([3, 4], newest: 4), known: 0, size: 256, at: "tv")
        #expect(reports.violations.map(\.kind) == [.historyGap])
    }

    @Test func `a mark on two revisions is reported`() throws {
        let (ledger, reports) = try Self.ledger()
        ledger.saw(Self.publication(1, mark: "tv/1"), at: "tv")
        ledger.saw(Self.publication(2, mark: "tv/1"), at: "tv")
        #expect(reports.violations.map(\.kind) == [.appliedTwice])
        #expect(ledger.revision(ofMark: "tv/1") == 1)
    }

    @Test func `an effect may come again but not as another one`() throws {
        let (ledger, reports) = try Self.ledger()
        ledger.saw(effect: ["seq": 1, "kind": "hideKeyboard"], seq: 1, at: "phone")
        ledger.saw(effect: ["seq": 1, "kind": "hideKeyboard"], seq: 1, at: "phone")
        #expect(reports.violations == [])
        ledger.saw(effect: ["seq": 1, "kind": "dismissPlayer"], seq: 1, at: "phone")
        #expect(reports.violations.map(\.kind) == [.effectRewritten])
    }
}

@Suite struct SimulationEventLedgerTests {
    @Test func `events keep their order and ids when the connection is lost`() {
        var ledger = EventLedger(device: "tv", seed: 1)
        let first = ledger.note(["type": "a"]) { _ in }
        #expect(first.isUnderWay)
        #expect(first.event == ["type": "a", "mark": "tv/1"])
        ledger.lost(first.id)
        // The second waits behind the first, which goes again.
        let second = ledger.note(["type": "b"]) { _ in }
        #expect(!second.isUnderWay)
        let again = ledger.takeLost()
        #expect(again.map(\.id) == ["tv/1", "tv/2"])
        #expect(again.map(\.attempts) == [2, 1])
        #expect(ledger.takeLost().isEmpty)
        #expect(!ledger.hasLost)
    }

    @Test func `the newest accepted events are sent again`() {
        var ledger = EventLedger(device: "tv", seed: 1)
        for number in 1...20 {
            let entry = ledger.note(["type": "a"]) { _ in }
            _ = ledger.answered(entry.id)
            ledger.accept(entry, ["rev": .integer(number)], revision: UInt64(number))
        }
        #expect(ledger.unanswered.isEmpty)
        let sample = ledger.sample()
        #expect(sample.suffix(6).map(\.revision) == [15, 16, 17, 18, 19, 20])
        #expect(Set(sample.map(\.id)).count == 10)
    }
}
