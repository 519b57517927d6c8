import Coordinator
import Testing

/// What the golden transcripts do not say about the Genius page's messages.
@Suite struct GeniusBridgeTests {
    private func multibet(_ payload: String) -> String {
        #"{"type":"multibet-event","payload":\#(payload)}"#
    }

    @Test func `odds that come with a close belong to the last selection`() throws {
        var session = try TestSession.ready()
        try session.page(
            multibet(#"{"command":"openBetslip","sportsbookSelectionId":"s","decimalPrice":2}"#))
        let outcome = try session.page(
            multibet(#"{"command":"closeBetslip","decimalPrice":"2.50"}"#))
        #expect(
            outcome.patch == [
                "betslip": [
                    "visible": false, "revision": 2,
                    "selections": [
                        [
                            "sportsbookSelectionId": "s", "decimalPrice": "2.50",
                            "previousPrice": "2",
                        ]
                    ], "totals": ["price": "2.50"],
                ]
            ])
    }

    @Test func `a stake counts although the selection beside it names nothing`() throws {
        var session = try TestSession.ready()
        let outcome = try session.page(
            multibet(#"{"command":"addToBetslip","decimalPrice":2,"stake":"5"}"#))
        #expect(outcome.patch == ["betslip": ["revision": 1, "stake": "5"]])
        #expect(outcome.warnings.map(\.code) == ["betslip.noSelection"])
    }

    @Test func `an addition with a stake is one change of the slip`() throws {
        var session = try TestSession.ready()
        try session.page(
            multibet(
                #"{"command":"addToBetslip","sportsbookSelectionId":"s","decimalPrice":2,"stake":5}"#
            ))
        #expect(session.viewing.state.betslip.revision == 1)
    }

    @Test(arguments: ["null", "7", #""openBetslip""#, "[]"])
    func `a payload that is no object is a bad field`(payload: String) throws {
        var session = try TestSession.ready()
        let outcome = try session.page(multibet(payload))
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
    }

    @Test func `an unknown command is the only warning, however bad the fields are`() throws {
        var session = try TestSession.ready()
        let name = String(repeating: "x", count: 1000)
        let outcome = try session.page(
            multibet(#"{"command":"\#(name)","decimalPrice":true,"stake":-1}"#))
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["betslip.unknownCommand"])
    }

    @Test(arguments: [
        ("1e-9223372036854775808", false), ("1e9223372036854775807", false), ("1e400", false),
        ("-0", false), ("1.850000000000000", false), ("185e-2", true), ("1.85", true),
    ])
    func `hostile numbers are bad fields and never trap`(number: String, isGood: Bool) throws {
        var session = try TestSession.ready()
        let outcome = try session.page(
            multibet(
                #"{"command":"addToBetslip","sportsbookSelectionId":"s","decimalPrice":\#(number)}"#
            ))
        #expect(outcome.warnings.isEmpty == isGood)
        #expect(session.viewing.state.betslip.selections.count == 1)
        #expect((session.viewing.state.betslip.selections[0].decimalPrice != nil) == isGood)
    }

    @Test(arguments: [" 5", "5 ", "+5", "5px", "0x5", "", "Infinity", "nan", "05", "5."])
    func `a text that is no number is no length`(text: String) throws {
        var session = try TestSession.ready()
        let outcome = try session.page(
            #"{"type":"betslip-container-dimensions","payload":{"top":0,"left":0,"width":"\#(text)","#
                + #""height":300}}"#)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
        #expect(session.viewing.state.betslip.frame == nil)
    }

    @Test func `a handler of any length is a signal`() throws {
        var session = try TestSession.ready()
        let name = String(repeating: "h", count: 2000)
        let outcome = try session.send(#"{"type":"bridge","handler":"\#(name)","body":1}"#)
        #expect(outcome.kind == .signal)
        #expect(outcome.warnings.map(\.code) == ["bridge.unhandled"])
        #expect(outcome.warnings[0].message.utf8.count < 200)
    }
}
