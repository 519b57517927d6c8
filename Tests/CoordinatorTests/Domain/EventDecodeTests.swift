import Coordinator
import Testing

@Suite struct EventDecodeTests {
    private func decode(_ text: String, policy: Policy = Policy()) throws -> Event {
        try Event.decode(JSONParser.parse(text: text), policy: policy)
    }

    private func refusal(_ text: String, policy: Policy = Policy()) throws -> Rejection? {
        do {
            _ = try decode(text, policy: policy)
            return nil
        } catch let rejection as Rejection {
            return rejection
        }
    }

    private func expect(_ text: String, isRefusedAt path: String) throws {
        let rejection = try #require(try refusal(text), "\(text) was taken")
        #expect(rejection.code == 422)
        #expect(
            rejection.message.hasPrefix("event.invalid: \(path) ")
                || rejection.message.hasPrefix("event.invalid: \(path): "),
            "\(text): \(rejection.message)")
    }

    @Test(arguments: EventSamples.all)
    func `an event of every type is read, extra fields and all`(text: String) throws {
        let event = try decode(text)
        let extended = text.dropLast() + #","extra":{"deep":[1,null]},"nothing":null}"#
        #expect(try decode(String(extended)) == event)
    }

    /// The samples' fields that may not be missing, by path.
    @Test(arguments: [
        (#"{"type":"device.capabilities"}"#, "event.pip"),
        (#"{"type":"device.orientation"}"#, "event.orientation"),
        (#"{"type":"device.interface"}"#, "event.orientation"),
        (#"{"type":"device.screen"}"#, "event.screen"),
        (#"{"type":"device.screen","screen":{"height":1}}"#, "event.screen.width"),
        (#"{"type":"device.screen","screen":{"width":1}}"#, "event.screen.height"),
        (#"{"type":"device.safeArea"}"#, "event.safeArea"),
        (
            #"{"type":"device.safeArea","safeArea":{"top":0,"left":0,"bottom":0}}"#,
            "event.safeArea.right"
        ),
        (#"{"type":"device.tab"}"#, "event.tab"),
        (#"{"type":"device.keyboard"}"#, "event.height"),
        (#"{"type":"device.lifecycle"}"#, "event.phase"),
        (#"{"type":"device.pip"}"#, "event.phase"),
        (#"{"type":"device.navigation"}"#, "event.phase"),
        (#"{"type":"device.report"}"#, "event.facts"),
        (#"{"type":"device.report","facts":{"capabilities":{}}}"#, "event.facts.capabilities.pip"),
        (#"{"type":"player.load","content":{}}"#, "event.vendor"),
        (#"{"type":"player.load","vendor":"genius"}"#, "event.content"),
        (#"{"type":"player.sources"}"#, "event.sources"),
        (
            #"{"type":"player.sources","sources":[{"id":"a","name":"b"},{"id":"c"}]}"#,
            "event.sources[1].name"
        ),
        (#"{"type":"player.sources","sources":[{"name":"b"}]}"#, "event.sources[0].id"),
        (#"{"type":"player.source"}"#, "event.id"),
        (#"{"type":"fullscreen.set"}"#, "event.on"),
        (#"{"type":"fullscreen.set","on":null}"#, "event.on"),
        (#"{"type":"pip.button"}"#, "event.visible"),
        (#"{"type":"betslip.place"}"#, "event.placementId"),
        (#"{"type":"betslip.settle","outcome":"accepted"}"#, "event.placementId"),
        (#"{"type":"betslip.settle","placementId":"p"}"#, "event.outcome"),
        (#"{"type":"betslip.add","decimalPrice":2}"#, "event.sportsbookSelectionId"),
        (#"{"type":"betslip.remove","marketId":"m"}"#, "event.sportsbookSelectionId"),
        (#"{"type":"betslip.update"}"#, "event.stake"),
        (#"{"type":"betslip.update","sportsbookSelectionId":"s"}"#, "event.decimalPrice"),
        (#"{"type":"betslip.update","decimalPrice":2}"#, "event.decimalPrice"),
        (#"{"type":"betslip.open","decimalPrice":2}"#, "event.decimalPrice"),
        (#"{"type":"widget.update"}"#, "event.props"),
        (#"{"type":"theme.set"}"#, "event.theme"),
        (#"{"type":"locale.set"}"#, "event.locale"),
        (#"{"type":"login.complete"}"#, "event.accessToken"),
        (#"{"type":"bridge","body":1}"#, "event.handler"),
        (#"{"type":"bridge","handler":"h"}"#, "event.body"),
        (#"{}"#, "event.type"), (#"{"type":null}"#, "event.type"),
    ])
    func `a missing field is named`(text: String, path: String) throws {
        try expect(text, isRefusedAt: path)
    }

    @Test(arguments: [
        (#"{"type":7}"#, "event.type"), (#"[]"#, "event"), (#"null"#, "event"),
        (#""bridge""#, "event"),
        (#"{"type":"device.capabilities","pip":1}"#, "event.pip"),
        (#"{"type":"device.capabilities","pip":true,"idiom":"watch"}"#, "event.idiom"),
        (#"{"type":"device.capabilities","pip":true,"os":18}"#, "event.os"),
        (#"{"type":"device.orientation","orientation":true}"#, "event.orientation"),
        (#"{"type":"device.orientation","orientation":"portrait","screen":[]}"#, "event.screen"),
        (#"{"type":"device.interface","orientation":"faceUp"}"#, "event.orientation"),
        (#"{"type":"device.interface","orientation":3}"#, "event.orientation"),
        (#"{"type":"device.screen","screen":{"width":"390","height":1}}"#, "event.screen.width"),
        (#"{"type":"device.screen","screen":{"width":0,"height":1}}"#, "event.screen.width"),
        (#"{"type":"device.screen","screen":{"width":1,"height":-1}}"#, "event.screen.height"),
        (
            #"{"type":"device.safeArea","safeArea":{"top":-1,"left":0,"bottom":0,"right":0}}"#,
            "event.safeArea.top"
        ),
        (#"{"type":"device.tab","tab":"audio"}"#, "event.tab"),
        (#"{"type":"device.keyboard","height":-1}"#, "event.height"),
        (#"{"type":"device.keyboard","height":"0"}"#, "event.height"),
        (#"{"type":"device.lifecycle","phase":"dead"}"#, "event.phase"),
        (#"{"type":"device.pip","phase":"active"}"#, "event.phase"),
        (#"{"type":"device.pip","phase":"failed","error":1}"#, "event.error"),
        (#"{"type":"device.navigation","phase":"started"}"#, "event.phase"),
        (#"{"type":"device.navigation","phase":"finished","url":1}"#, "event.url"),
        (#"{"type":"device.report","facts":[]}"#, "event.facts"),
        (#"{"type":"device.report","facts":{"interface":"unknown"}}"#, "event.facts.interface"),
        (#"{"type":"device.report","facts":{"tab":1}}"#, "event.facts.tab"),
        (#"{"type":"device.report","facts":{"lifecycle":""}}"#, "event.facts.lifecycle"),
        (#"{"type":"device.report","facts":{"pip":"starting"}}"#, "event.facts.pip"),
        (
            #"{"type":"device.report","facts":{"screen":{"width":-1,"height":1}}}"#,
            "event.facts.screen.width"
        ),
        (#"{"type":"player.load","vendor":"Genius","content":{}}"#, "event.vendor"),
        (#"{"type":"player.load","vendor":"genius","content":[]}"#, "event.content"),
        (#"{"type":"player.load","vendor":"genius","content":{},"options":1}"#, "event.options"),
        (
            #"{"type":"player.load","vendor":"genius","content":{},"options":{"autoRotate":1}}"#,
            "event.options.autoRotate"
        ),
        (
            #"{"type":"player.load","vendor":"genius","content":{},"options":{"closeOnPipClose":"no"}}"#,
            "event.options.closeOnPipClose"
        ),
        (#"{"type":"player.sources","sources":{}}"#, "event.sources"),
        (#"{"type":"player.sources","sources":[1]}"#, "event.sources[0]"),
        (#"{"type":"player.source","id":1}"#, "event.id"),
        (#"{"type":"fullscreen.set","on":"true"}"#, "event.on"),
        (#"{"type":"pip.button","visible":0}"#, "event.visible"),
        (#"{"type":"betslip.add","sportsbookSelectionId":1}"#, "event.sportsbookSelectionId"),
        (#"{"type":"betslip.open","sportsbookFixtureId":[]}"#, "event.sportsbookFixtureId"),
        (#"{"type":"betslip.open","stake":true}"#, "event.stake"),
        (#"{"type":"betslip.place","placementId":""}"#, "event.placementId"),
        (#"{"type":"betslip.place","placementId":1}"#, "event.placementId"),
        (#"{"type":"betslip.place","placementId":"p","ifSlip":-1}"#, "event.ifSlip"),
        (#"{"type":"betslip.place","placementId":"p","ifSlip":1.5}"#, "event.ifSlip"),
        (#"{"type":"betslip.place","placementId":"p","ifSlip":"1"}"#, "event.ifSlip"),
        (#"{"type":"betslip.place","placementId":"p","decimalPrice":0.9}"#, "event.decimalPrice"),
        (#"{"type":"betslip.settle","placementId":"p","outcome":"placed"}"#, "event.outcome"),
        (
            #"{"type":"betslip.settle","placementId":"p","outcome":"rejected","reason":1}"#,
            "event.reason"
        ),
        (
            #"{"type":"betslip.settle","placementId":"p","outcome":"accepted","stake":-1}"#,
            "event.stake"
        ),
        (#"{"type":"widget.update","props":"{}"}"#, "event.props"),
        (#"{"type":"widget.update","props":{},"selector":1}"#, "event.selector"),
        (#"{"type":"theme.set","theme":1}"#, "event.theme"),
        (#"{"type":"locale.set","locale":[]}"#, "event.locale"),
        (#"{"type":"login.complete","accessToken":{}}"#, "event.accessToken"),
        (#"{"type":"bridge","handler":1,"body":1}"#, "event.handler"),
        (#"{"type":"bridge","handler":"h","body":1,"page":"1"}"#, "event.page"),
        (#"{"type":"bridge","handler":"h","body":1,"page":-1}"#, "event.page"),
    ])
    func `a mistyped field is named`(text: String, path: String) throws {
        try expect(text, isRefusedAt: path)
    }

    @Test(arguments: [
        #""""#, #""abc""#, #"" 2""#, #""2,5""#, #""+2""#, #""-2""#, #""1e1""#, #"".5""#, "null",
        "true", "[]",
        "{}", "-2", "2.123456789012345", #""1234567890123456789""#,
    ])
    func `what is no amount is refused as price and as stake`(value: String) throws {
        try expect(
            #"{"type":"betslip.add","sportsbookSelectionId":"s","decimalPrice":\#(value)}"#,
            isRefusedAt: "event.decimalPrice")
        try expect(#"{"type":"betslip.update","stake":\#(value)}"#, isRefusedAt: "event.stake")
    }

    @Test(arguments: ["1", "1.0", "0.5", "0", #""1.00""#])
    func `a price of one or less is refused, as a stake it may stand`(value: String) throws {
        try expect(
            #"{"type":"betslip.add","sportsbookSelectionId":"s","decimalPrice":\#(value)}"#,
            isRefusedAt: "event.decimalPrice")
        _ = try decode(#"{"type":"betslip.update","stake":\#(value)}"#)
    }

    @Test(arguments: [
        "nothing", "", "Bridge", "betslip", "betslip.", "betslip.win", "device.x", "player.",
        "stage.attached", "effect.done",
    ])
    func `an unknown type is refused by its own reason`(type: String) throws {
        let rejection = try #require(try refusal(#"{"type":"\#(type)"}"#))
        #expect(rejection.code == 422)
        #expect(rejection.message.hasPrefix("event.unknownType: "))
    }

    @Test(arguments: [
        (#"{"type":"betslip.update","stake":1e400}"#, "event.stake"),
        (
            #"{"type":"player.load","vendor":"genius","content":{"a":[{"b":-1e400}]}}"#,
            "event.content.a[0].b"
        ),
        (#"{"type":"fullscreen.toggle","extra":1e309}"#, "event.extra"),
        (#"{"type":"bridge","handler":"h","body":1,"page":1e400}"#, "event.page"),
        (#"{"type":"device.screen","screen":{"width":1e400,"height":1}}"#, "event.screen.width"),
    ])
    func `a number out of range is refused wherever the event has it`(
        text: String, path: String
    ) throws {
        try expect(text, isRefusedAt: path)
    }

    @Test func `in the body of a message a number out of range is left to the vendor`() throws {
        let event = try decode(#"{"type":"bridge","handler":"h","body":{"x":1e400}}"#)
        guard case .bridge(let message) = event else {
            Issue.record("it is a message")
            return
        }
        #expect(message.body["x"]?.number?.text == "1e400")
        #expect(message.handler == "h" && message.page == nil)
    }

    @Test(arguments: [
        (#"{"type":"pip.start","a":1,"a":1}"#, "event.a"),
        (#"{"type":"bridge","handler":"h","body":{"b":[{"c":1,"c":2}]}}"#, "event.body.b[0].c"),
        (#"{"type":"theme.set","theme":"\ud800"}"#, "event.theme"),
        (#"{"type":"bridge","handler":"h","body":"\udc00"}"#, "event.body"),
    ])
    func `doubled names and half pairs are refused, in the body of a message too`(
        text: String, path: String
    ) throws {
        try expect(text, isRefusedAt: path)
    }

    @Test func `any body is a body, null as well`() throws {
        for body in ["null", "1", #""text""#, "[]", "{}"] {
            _ = try decode(#"{"type":"bridge","handler":"h","body":\#(body)}"#)
        }
    }

    @Test func `ids and texts of a selection have at most 256 bytes`() throws {
        let long = String(repeating: "é", count: 128)
        _ = try decode(#"{"type":"betslip.add","sportsbookSelectionId":"\#(long)"}"#)
        try expect(
            #"{"type":"betslip.add","sportsbookSelectionId":"\#(long)x"}"#,
            isRefusedAt: "event.sportsbookSelectionId")
        try expect(
            #"{"type":"betslip.add","sportsbookSelectionId":"s","marketId":"\#(long)x"}"#,
            isRefusedAt: "event.marketId")
    }

    @Test func `a placement's id has at most 128 characters`() throws {
        let longest = String(repeating: "p", count: 128)
        _ = try decode(#"{"type":"betslip.place","placementId":"\#(longest)"}"#)
        try expect(
            #"{"type":"betslip.place","placementId":"\#(longest)p"}"#,
            isRefusedAt: "event.placementId")
    }

    @Test func `content has at most as many bytes as the policy allows`() throws {
        var policy = Policy()
        policy.contentBytes = 9
        _ = try decode(
            #"{"type":"player.load","vendor":"genius","content":{"a":"b"}}"#, policy: policy)
        let text = #"{"type":"player.load","vendor":"genius","content":{"a":"bc"}}"#
        let rejection = try refusal(text, policy: policy)
        #expect(rejection?.message.hasPrefix("event.invalid: event.content ") == true)
    }

    @Test func `a long unknown type is not repeated in full`() throws {
        let rejection = try refusal(#"{"type":"\#(String(repeating: "x", count: 10_000))"}"#)
        #expect(try #require(rejection).message.utf8.count < 200)
    }
}
