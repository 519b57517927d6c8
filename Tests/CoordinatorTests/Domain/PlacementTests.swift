import Coordinator
import Testing

/// What the golden transcripts do not say about placements.
@Suite struct PlacementTests {
    private static let open =
        #"{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":"1.85","stake":"10"}"#
    private static let day: Int64 = 86_400

    private func place(_ id: String) -> String {
        #"{"type":"betslip.place","placementId":"\#(id)"}"#
    }

    private func settle(_ id: String, _ outcome: String) -> String {
        #"{"type":"betslip.settle","placementId":"\#(id)","outcome":"\#(outcome)"}"#
    }

    @Test func `an unknown placement can be settled after its memory would have ended`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        try session.send(place("p"))
        session.now = session.now.advanced(bySeconds: 30)
        #expect(session.expire()?.published?["type"] == "placement.expired")
        session.now = session.now.advanced(bySeconds: 2 * Self.day)
        #expect(try session.send(place("p")).answer["duplicate"] == true)
        #expect(try session.reason(place("q")) == "betslip.busy")
        try session.send(settle("p", "rejected"))
        #expect(session.viewing.state.betslip.status == .rejected)
    }

    @Test func `an id is remembered for a day and then new`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        try session.send(place("p"))
        try session.send(settle("p", "rejected"))
        session.now = session.now.advanced(bySeconds: Self.day - 1)
        #expect(try session.send(place("p")).answer["duplicate"] == true)
        session.now = session.now.advanced(bySeconds: 1)
        #expect(try session.send(place("p")).kind == .revision)
        #expect(session.viewing.state.betslip.status == .placing)
    }

    @Test func `only so many placements are remembered, the oldest goes first`() throws {
        var policy = Policy()
        policy.placementLimit = 2
        var session = try TestSession.staged(policy: policy)
        try session.send(Self.open)
        for id in ["p", "q", "r"] {
            try session.send(place(id))
            try session.send(settle(id, "rejected"))
        }
        #expect(session.viewing.memory.placements.map(\.state.id) == ["q", "r"])
    }

    @Test func `ids that only look alike are two placements`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        try session.send(place("caf\u{E9}"))
        try session.send(settle("caf\u{E9}", "rejected"))
        try session.send(place("cafe\u{301}"))
        try session.send(settle("cafe\u{301}", "accepted"))
        #expect(session.viewing.memory.placements.map(\.state.outcome) == [.rejected, .accepted])
        #expect(session.viewing.state.betslip.placement?.outcome == .accepted)
    }

    @Test func `a total price that is rounded to one can be seen and placed`() throws {
        var session = try TestSession.staged()
        try session.send(
            #"{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":"1.004"}"#)
        #expect(session.viewing.state.betslip.totals?.price.text == "1.00")
        try session.send(#"{"type":"betslip.place","placementId":"p","decimalPrice":"1.00"}"#)
        #expect(session.viewing.state.betslip.status == .placing)
    }

    @Test func `the same amounts in other digits are the same command`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        let first = #"{"type":"betslip.place","placementId":"p","stake":"10","decimalPrice":1.85}"#
        let again =
            #"{"type":"betslip.place","placementId":"p","stake":10.0,"decimalPrice":"1.850"}"#
        try session.send(first)
        #expect(try session.send(again, from: TestSession.mirror).answer["duplicate"] == true)
        #expect(
            try session.reason(
                #"{"type":"betslip.place","placementId":"p","stake":"11","decimalPrice":1.85}"#)
                == "betslip.idReused")
    }

    @Test func `a bet is not offered at its deadline, even before the timer fires`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        session.detach()
        try session.send(place("p"), from: TestSession.mirror)
        session.now = session.now.advanced(bySeconds: 30)
        let outcome = try session.attach("phone")
        #expect(!outcome.effects.map(\.order.kind).contains("placeBet"))
        #expect(
            !session.viewing.pendingEffects(after: outcome).contains { $0.order.kind == "placeBet" }
        )
    }

    @Test func `an offered bet is in the answer to the attach and nowhere else`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        session.detach()
        try session.send(place("p"), from: TestSession.mirror)
        let outcome = try session.attach("phone")
        let pending = session.viewing.pendingEffects(after: outcome)
        #expect(pending.map(\.order.kind) == ["reportFacts", "placeBet", "setKeepAwake"])
        #expect(pending.map(\.seq) == pending.map(\.seq).sorted())
        #expect(session.waiting == ["reportFacts", "setKeepAwake"])
    }

    @Test func `placing and closing leave the placement alone`() throws {
        var session = try TestSession.ready()
        try session.send(Self.open)
        try session.send(place("p"))
        try session.send(#"{"type":"player.close"}"#)
        #expect(session.viewing.state.betslip.status == .placing)
        try session.send(settle("p", "accepted"))
        #expect(session.viewing.state.betslip.status == .placed)
        #expect(session.viewing.state.toast?.kind == "betPlaced")
    }

    @Test func `a bet under way in a deleted session is unknown until it is settled`() throws {
        var session = try TestSession.staged()
        try session.send(Self.open)
        try session.send(place("p"))
        let again = Session(
            id: try #require(SessionID("s1")), newEpoch: "2",
            placements: session.viewing.memory.placements, settings: SessionSettings())
        session = TestSession()
        session.viewing = again.stored.viewing
        let repeated = try session.send(place("p"), from: TestSession.mirror)
        #expect(repeated.answer["duplicate"] == true)
        #expect(repeated.answer["placement"]?["outcome"] == "unknown")
        try session.send(settle("p", "accepted"), from: Origin(device: nil, role: .api))
        #expect(session.viewing.memory.placements.map(\.state.outcome) == [.accepted])
        #expect(session.viewing.state.betslip.status == .empty)
    }
}
