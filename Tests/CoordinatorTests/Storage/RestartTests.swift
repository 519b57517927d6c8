import Coordinator
import TestSupport
import Testing

/// What was stored after any event brings back exactly what was.
@Suite struct RestartTests {
    @Test func `an id that is dropped and used again in one event moves to the end`() throws {
        var session = try TestSession.ready()
        session.policy.betslipConfirm = .auto
        session.policy.placementSeconds = 60
        var mirror = try StoredMirror(session.viewing)
        func bet(_ id: String) throws {
            try session.send(
                #"{"type":"betslip.open","sportsbookSelectionId":"a","decimalPrice":"1.5"}"#)
            try session.send(#"{"type":"betslip.place","placementId":"\#(id)"}"#)
            try mirror.fold(session.viewing)
        }
        try bet("a")
        session.now = session.now.advanced(bySeconds: 30)
        while session.expire() != nil {}
        try bet("b")
        session.now = session.now.advanced(bySeconds: 30)
        while session.expire() != nil {}
        try bet("a")
        #expect(session.viewing.memory.placements.map(\.state.id) == ["b", "a"])
        #expect(session.viewing.memory.placements.map(\.number) == [2, 3])
        try mirror.check("after the third bet")
    }

    @Test func `the last placement that is dropped leaves nothing behind`() throws {
        var session = try TestSession.ready()
        session.policy.betslipConfirm = .auto
        try session.send(
            #"{"type":"betslip.open","sportsbookSelectionId":"a","decimalPrice":"1.5"}"#)
        try session.send(#"{"type":"betslip.place","placementId":"a"}"#)
        var mirror = try StoredMirror(session.viewing)
        session.viewing.memory.placements = []
        try mirror.fold(session.viewing)
        try mirror.check("without placements")
    }

    @Test func `a memory that is as in a new session takes back every member`() throws {
        var session = try TestSession.ready()
        session.detach()
        try session.take("tv")
        _ = try session.attach(
            "tv", facts: #"{"orientation":"landscapeLeft","lifecycle":"active"}"#)
        var mirror = try StoredMirror(session.viewing)
        session.viewing.memory = SessionMemory()
        try mirror.fold(session.viewing)
        try mirror.check("without a memory")
        let patch = SessionMemory().patch(
            from: session.viewing.memory, try StoredMirror.vault())
        #expect(patch.isEmpty)
    }

    @Test func `a patch holds only what changed`() throws {
        let vault = try StoredMirror.vault()
        var session = try TestSession.ready()
        var before = session.viewing.memory
        func patch() -> JSON {
            defer { before = session.viewing.memory }
            return .object(session.viewing.memory.patch(from: before, vault))
        }
        #expect(patch() == [:])
        session.acknowledge([1])
        #expect(patch() == ["outbox": ["effects": ["1": .null]]])
        try session.send(#"{"type":"device.lifecycle","phase":"active"}"#)
        #expect(patch() == ["lifecycle": "active"])
        try session.send(#"{"type":"device.orientation","orientation":"portrait"}"#)
        #expect(patch() == ["sawOrientation": true])
        session.acknowledge(session.viewing.memory.outbox.effects.map(\.seq))
        #expect(patch() == ["outbox": ["effects": .null]])
        try session.send(#"{"type":"betslip.open","stake":"2"}"#)
        #expect(patch() == [:])
    }

    @Test func `a settled placement is changed where it is`() throws {
        let vault = try StoredMirror.vault()
        var session = try TestSession.ready()
        try session.send(
            #"{"type":"betslip.open","sportsbookSelectionId":"a","decimalPrice":"1.5"}"#)
        try session.send(#"{"type":"betslip.place","placementId":"a"}"#)
        let before = session.viewing.memory
        try session.send(
            #"{"type":"betslip.settle","placementId":"a","outcome":"rejected","reason":"late"}"#)
        #expect(
            .object(session.viewing.memory.patch(from: before, vault)) == [
                "placements": ["a": ["state": ["outcome": "rejected", "reason": "late"]]]
            ])
    }

    @Test func `a placement with the same id and other fields is refused after a restart`() throws {
        let vault = try StoredMirror.vault()
        var session = try TestSession.ready()
        try session.send(
            #"{"type":"betslip.open","sportsbookSelectionId":"a","decimalPrice":"1.50"}"#)
        try session.send(
            #"{"type":"betslip.place","placementId":"a","ifSlip":1,"decimalPrice":"1.5"}"#)
        session.viewing = Viewing(
            state: try SessionState(stored: session.viewing.state.json),
            memory: try SessionMemory(stored: session.viewing.memory.document(vault), vault))
        let same = #"{"type":"betslip.place","placementId":"a","ifSlip":1,"decimalPrice":"1.500"}"#
        #expect(try session.send(same).answer["duplicate"] == true)
        let other = #"{"type":"betslip.place","placementId":"a","ifSlip":1}"#
        #expect(try session.reason(other) == "betslip.idReused")
    }
}
