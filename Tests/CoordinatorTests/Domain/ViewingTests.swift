import Coordinator
import Testing

@Suite struct ViewingTests {
    @Test func `the published state has a bound, and a refused event changes nothing`() throws {
        var policy = Policy()
        policy.stateBytes = 1000
        var session = try TestSession.staged(policy: policy)
        let before = session.viewing
        let theme = String(repeating: "x", count: 700)
        #expect(
            try session.reason(#"{"type":"theme.set","theme":"\#(theme)"}"#) == "state.tooLarge")
        #expect(session.viewing == before)
        // Up to the bound it fits, and the same bytes again are no growth.
        let room = policy.stateBytes - JSONWriter.bytes(of: before.state.json).count
        let fitting = String(repeating: "x", count: room - #","theme":"""#.utf8.count)
        for _ in 0..<20 {
            try session.send(#"{"type":"theme.set","theme":"\#(fitting)"}"#)
            try session.send(#"{"type":"theme.set","theme":"\#(fitting.uppercased())"}"#)
        }
        #expect(JSONWriter.bytes(of: session.viewing.state.json).count == policy.stateBytes)
        #expect(try session.reason(#"{"type":"betslip.open","stake":"1"}"#) == "state.tooLarge")
    }

    @Test func `a full state keeps no player open and no bet unsettled`() throws {
        var policy = Policy()
        policy.stateBytes = 4096
        var session = try TestSession.ready(policy: policy)
        try session.send(
            #"{"type":"betslip.add","sportsbookSelectionId":"s","decimalPrice":"2"}"#)
        try session.send(#"{"type":"betslip.place","placementId":"p"}"#)
        // The longest theme that fits: one more letter is refused.
        let room = 4096 - JSONWriter.bytes(of: session.viewing.state.json).count
        let theme = String(repeating: "x", count: room - #","theme":"""#.utf8.count)
        let longer = #"{"type":"theme.set","theme":"\#(theme)x"}"#
        #expect(try session.reason(longer) == "state.tooLarge")
        try session.send(#"{"type":"theme.set","theme":"\#(theme)"}"#)
        #expect(try session.reason(#"{"type":"locale.set","locale":"en"}"#) == "state.tooLarge")
        try session.send(
            #"{"type":"betslip.settle","placementId":"p","outcome":"rejected","reason":"closed"}"#)
        let long = String(repeating: "y", count: 2000)
        #expect(
            try session.reason(
                #"{"type":"device.navigation","phase":"failed","error":"\#(long)"}"#)
                == "state.tooLarge")
        try session.send(#"{"type":"device.interface","orientation":"portrait"}"#)
        try session.send(#"{"type":"player.close"}"#)
        #expect(session.viewing.state.player.phase == .closed)
    }

    @Test func `a state that its own events made too large can still shrink`() throws {
        var policy = Policy()
        policy.stateBytes = 1000
        var session = try TestSession.staged(policy: policy)
        let room = policy.stateBytes - JSONWriter.bytes(of: session.viewing.state.json).count
        let fitting = String(repeating: "x", count: room - #","theme":"""#.utf8.count)
        try session.send(#"{"type":"theme.set","theme":"\#(fitting)"}"#)
        session.detach()
        #expect(JSONWriter.bytes(of: session.viewing.state.json).count == policy.stateBytes + 1)
        #expect(
            try session.reason(
                #"{"type":"theme.set","theme":"\#(fitting.dropLast())"}"#,
                from: Origin(device: nil, role: .api)) == nil)
    }

    @Test func `text that only looks alike does not drift from the folded patches`() throws {
        var session = try TestSession.staged()
        try session.send(##"{"type":"theme.set","theme":"caf\u00e9"}"##)
        // Canonically equivalent: no change for the rules, so none for the state either.
        let outcome = try session.send(##"{"type":"theme.set","theme":"cafe\u0301"}"##)
        #expect(outcome.kind == .unchanged)
        try session.send(#"{"type":"locale.set","locale":"fr"}"#)
        #expect(session.folded == session.viewing.state.json)
        #expect(session.viewing.state.player.theme?.utf8.count == 5)
    }

    @Test func `amounts in other digits do not drift from the folded patches`() throws {
        var session = try TestSession.staged()
        try session.send(#"{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":2}"#)
        for price in ["2.0", "3", "2.00", "3.0", "3.000"] {
            try session.send(
                #"{"type":"betslip.update","sportsbookSelectionId":"s","decimalPrice":\#(price)}"#)
            #expect(session.folded == session.viewing.state.json)
        }
        #expect(session.viewing.state.betslip.selections[0].decimalPrice?.text == "3.0")
        #expect(session.viewing.state.betslip.selections[0].previousPrice?.text == "2.00")
        #expect(session.viewing.state.betslip.revision == 4)
    }

    @Test func `timers fire in the order of time`() throws {
        var policy = Policy()
        policy.betslipConfirm = .auto
        policy.toastMilliseconds = 40_000
        var session = try TestSession.staged(policy: policy)
        try session.send(
            #"{"type":"betslip.open","sportsbookSelectionId":"s","decimalPrice":2}"#)
        try session.send(#"{"type":"betslip.place","placementId":"p"}"#)
        session.detach()
        #expect(session.viewing.nextDeadline == session.now.advanced(bySeconds: 30))
        session.now = session.now.advanced(bySeconds: 3600)
        #expect(session.expire()?.published?["type"] == "stage.vacated")
        #expect(session.expire()?.published?["type"] == "toast.expired")
        #expect(session.expire() == nil)
        #expect(session.viewing.nextDeadline == nil)
    }

    @Test func `a full outbox drops its oldest with a warning`() throws {
        var policy = Policy()
        policy.outboxLimit = 2
        var session = try TestSession.ready(policy: policy)
        let outcome = try session.send(#"{"type":"fullscreen.set","on":true}"#)
        #expect(outcome.effects.count == 3)
        #expect(Set(outcome.warnings.map(\.code)) == ["outbox.full"])
        #expect(session.waiting == ["evaluateJavaScript", "requestOrientation"])
    }

    @Test func `a request that was drawn but never acknowledged does not come back`() throws {
        var session = try TestSession.ready()
        try session.send(#"{"type":"fullscreen.set","on":true}"#)
        try session.send(#"{"type":"device.interface","orientation":"landscapeRight"}"#)
        // The sensor turned the screen meanwhile, so the wish finds it as wanted.
        try session.send(#"{"type":"device.interface","orientation":"portrait"}"#)
        try session.send(#"{"type":"fullscreen.set","on":false}"#)
        #expect(!session.waiting.contains("requestOrientation"))
    }
}
