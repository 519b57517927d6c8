import Coordinator
import Testing

@Suite struct SessionStateTests {
    private static let newSession =
        #"{"player":{"phase":"idle"},"presentation":{"mode":"inline","tab":"video"},"#
        + #""orientation":{"device":"unknown","source":"none","armed":true,"notch":"none"},"#
        + #""pip":{"phase":"inactive","overlayHidden":false},"#
        + #""betslip":{"visible":false,"status":"empty","revision":0,"selections":[]},"#
        + #""keepAwake":false}"#

    private func event(_ text: String) throws -> Event {
        try Event.decode(JSONParser.parse(text: text), policy: Policy())
    }

    private func selection(_ fields: String) throws -> Selection {
        let event = try event(#"{"type":"betslip.add",\#(fields)}"#)
        guard case .betslip(.add(let selection)) = event else {
            throw Rejection.invalid("event", "is no selection")
        }
        return selection
    }

    private func text(_ json: JSON?) throws -> String { JSONWriter.text(of: try #require(json)) }

    @Test func `a new session shows the contract's values and nothing else`() throws {
        #expect(try text(SessionState().json) == Self.newSession)
    }

    @Test func `a player shows what is known, in the contract's order`() throws {
        var state = SessionState()
        state.vendor = .genius
        state.player.phase = .ready
        state.player.page = 1
        state.player.content = ["fixtureId": "10462057"]
        state.player.url = "https://a.b/"
        state.player.baseURL = "https://api.geniussports.com"
        state.player.height = 420
        state.player.locale = "en-GB"
        state.player.theme = "sportradardark"
        state.player.source = ""
        state.player.login = "required"
        let sources = try event(
            #"{"type":"player.sources","sources":[{"id":"","name":"DEFAULT"}]}"#)
        if case .player(.sources(let list)) = sources { state.player.sources = list }
        #expect(state.json["vendor"] == "genius")
        #expect(
            try text(state.json["player"])
                == #"{"phase":"ready","page":1,"content":{"fixtureId":"10462057"},"#
                + #""url":"https://a.b/","baseURL":"https://api.geniussports.com","height":420,"#
                + #""locale":"en-GB","theme":"sportradardark","#
                + #""sources":[{"id":"","name":"DEFAULT"}],"source":"","login":"required"}"#)
    }

    @Test func `an orientation shows lengths as they are`() throws {
        var state = SessionState()
        state.orientation.device = .landscapeLeft
        state.orientation.interface = .landscapeRight
        state.orientation.source = .accelerometer
        state.orientation.requested = .portrait
        state.orientation.armed = false
        state.orientation.notch = .left
        let fact = try event(
            #"{"type":"device.interface","orientation":"portrait","#
                + #""screen":{"width":390,"height":844.5},"#
                + #""safeArea":{"top":47,"left":0,"bottom":34,"right":0.25}}"#)
        if case .device(.interface(_, let geometry)) = fact {
            state.orientation.screen = geometry.screen
            state.orientation.safeArea = geometry.safeArea
        }
        #expect(
            try text(state.json["orientation"])
                == #"{"device":"landscapeLeft","interface":"landscapeRight","#
                + #""source":"accelerometer","requested":"portrait","armed":false,"notch":"left","#
                + #""screen":{"width":390,"height":844.5},"#
                + #""safeArea":{"top":47,"left":0,"bottom":34,"right":0.25}}"#)
    }

    @Test func `a slip shows prices as text, with totals`() throws {
        var state = SessionState()
        state.betslip.visible = true
        state.betslip.status = .open
        state.betslip.revision = 7
        state.betslip.selections = [
            try selection(
                #""sportsbookFixtureId":"f","sportsbookSelectionId":"s","sportsbookMarketId":"m","#
                    + #""sportsbookMarketContext":"c","marketId":"i","decimalPrice":1.85"#)
        ]
        state.betslip.selections[0].previousPrice = Amount(text: "1.80")
        state.betslip.stake = Amount(text: "10.00")
        #expect(
            try text(state.json["betslip"])
                == #"{"visible":true,"status":"open","revision":7,"#
                + #""selections":[{"sportsbookFixtureId":"f","sportsbookSelectionId":"s","#
                + #""sportsbookMarketId":"m","sportsbookMarketContext":"c","marketId":"i","#
                + #""decimalPrice":"1.85","previousPrice":"1.80"}],"stake":"10.00","#
                + #""totals":{"price":"1.85","return":"18.50"}}"#)
    }

    @Test func `totals need a price, the return a stake, and both fit in 18 digits`() throws {
        var slip = SessionState().betslip
        slip.stake = Amount(text: "10")
        #expect(slip.totals == nil)
        slip.selections = [try selection(#""sportsbookSelectionId":"a""#)]
        #expect(slip.totals == nil)
        slip.selections.append(
            try selection(#""sportsbookSelectionId":"b","decimalPrice":"1.005""#))
        // The product is 1.005: 1.00 when rounded, 10.05 when ten are staked.
        #expect(slip.totals?.price.text == "1.00" && slip.totals?.payout?.text == "10.05")
        slip.stake = nil
        #expect(slip.totals?.price.text == "1.00" && slip.totals?.payout == nil)
        slip.stake = Amount(text: "100000000000000000")
        #expect(slip.totals == nil)
    }

    @Test func `a patch has only what differs`() throws {
        let old = SessionState()
        var new = old
        #expect(try text(new.patch(from: old)) == "{}")
        new.player.phase = .loading
        new.player.page = 1
        new.keepAwake = true
        new.vendor = .genius
        #expect(
            try text(new.patch(from: old))
                == #"{"vendor":"genius","player":{"phase":"loading","page":1},"keepAwake":true}"#)
        #expect(
            try text(old.patch(from: new))
                == #"{"vendor":null,"player":{"phase":"idle","page":null},"keepAwake":false}"#)
    }

    @Test func `a patch leads from one state to the other`() throws {
        let old = SessionState()
        var new = old
        new.player.content = ["a": ["b": 1], "c": [1, 2]]
        new.betslip.stake = Amount(text: "2")
        new.betslip.selections = [try selection(#""sportsbookSelectionId":"a","decimalPrice":3"#)]
        new.pip.supported = false
        var newer = new
        newer.player.content = ["a": ["b": 2], "d": true]
        newer.betslip.selections = []
        newer.betslip.stake = nil
        for (before, after) in [(old, new), (new, newer), (newer, old), (newer, new)] {
            let patch = after.patch(from: before)
            #expect(MergePatch.apply(patch, to: before.json) == after.json)
        }
    }

    @Test func `other digits of an equal value are no difference`() {
        var old = SessionState()
        old.betslip.stake = Amount(text: "2")
        var new = old
        new.betslip.stake = Amount(text: "2.00")
        #expect(old == new)
        #expect(new.patch(from: old) == [:])
    }
}
