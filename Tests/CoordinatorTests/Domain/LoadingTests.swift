import Coordinator
import Testing

/// What the golden transcripts do not say about loading and closing.
@Suite struct LoadingTests {
    private static let load =
        #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1"}}"#

    @Test(arguments: [
        #"{"type":"toggleFullscreen"}"#, #"{"type":"other"}"#, "7",
        #"{"type":"multibet-event","payload":{"command":"openBetslip"}}"#,
    ])
    func `a remembered close lets only the ready message pass`(body: String) throws {
        var session = try TestSession.staged()
        try session.send(Self.load)
        try session.send(#"{"type":"player.close"}"#)
        let message = #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":\#(body)}"#
        #expect(try session.reason(message) == "session.closed")
        let outcome = try session.page(#"{"type":"init"}"#)
        #expect(outcome.kind == .revision)
        #expect(outcome.patch == [:])
        #expect(outcome.effects.map(\.order.kind) == ["evaluateJavaScript"])
        #expect(session.viewing.state.player.phase == .closed)
        let again = #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"init"}}"#
        #expect(try session.reason(again) == "session.closed")
    }

    @Test func `an older page's ready message does not use up a remembered close`() throws {
        var session = try TestSession.staged()
        try session.send(Self.load)
        try session.send(
            #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"2"}}"#)
        try session.send(#"{"type":"player.close"}"#)
        func ready(_ page: Int) -> String {
            #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"init"},"page":\#(page)}"#
        }
        #expect(try session.reason(ready(1)) == "session.closed")
        #expect(try session.reason(ready(2)) == nil)
    }

    @Test func `a page that was closed while ready is not waited for`() throws {
        var session = try TestSession.ready()
        try session.send(#"{"type":"player.close"}"#)
        let ready = #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"init"}}"#
        #expect(try session.reason(ready) == "session.closed")
    }

    @Test func `pages that nobody was there to load do not take the shown page's close script`()
        throws
    {
        var session = try TestSession.ready()
        session.acknowledge(session.viewing.memory.outbox.effects.map(\.seq))
        session.detach()
        for fixture in ["2", "3"] {
            try session.load("genius", #"{"fixtureId":"\#(fixture)"}"#)
        }
        #expect(
            session.waiting.filter { $0 != "setKeepAwake" } == [
                "evaluateJavaScript", "loadPage", "evaluateJavaScript", "loadPage",
            ])
    }

    @Test func `another stream keeps full screen and the slip`() throws {
        var session = try TestSession.ready()
        try session.send(
            #"{"type":"player.sources","sources":[{"id":"","name":"A"},{"id":"b","name":"B"}]}"#)
        try session.send(#"{"type":"fullscreen.set","on":true}"#)
        try session.send(#"{"type":"betslip.open"}"#)
        let outcome = try session.send(#"{"type":"player.source","id":"b"}"#)
        #expect(
            outcome.effects.map(\.order.kind) == ["evaluateJavaScript", "loadPage", "setKeepAwake"])
        #expect(session.viewing.state.presentation.mode == .fullscreen)
        #expect(session.viewing.state.betslip.visible)
        #expect(session.viewing.state.player.baseURL?.contains("liveStreamId=b&") == true)
        let ready = try session.page(#"{"type":"init"}"#)
        #expect(ready.effects.map(\.order.kind) == ["evaluateJavaScript", "setKeepAwake"])
    }

    @Test func `a close script that still waits survives the next load`() throws {
        var session = try TestSession.ready()
        session.detach()
        try session.send(#"{"type":"player.close"}"#, from: Origin(device: nil, role: .api))
        try session.send(Self.load, from: Origin(device: nil, role: .api))
        #expect(session.waiting.contains("evaluateJavaScript"))
    }

    @Test func `null members do not make other content`() throws {
        var session = try TestSession.staged()
        try session.send(Self.load)
        let outcome = try session.send(
            #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1","culture":null}}"#)
        #expect(outcome.kind == .unchanged)
    }

    @Test func `a vendor that nobody serves is named`() throws {
        var session = try TestSession.staged()
        #expect(
            try session.reason(#"{"type":"player.load","vendor":"nobody","content":{}}"#)
                == "event.invalid")
    }

    @Test func `secrets reach the stage and nothing else`() throws {
        var session = try TestSession.staged()
        let secrets = ["sesame-key", "sesame-user", "sesame-pass", "sesame@mail", "sesame-token"]
        let load = """
            {"type":"player.load","vendor":"genius","content":{"fixtureId":"1",\
            "apiKey":"sesame-key","user":"sesame-user","password":"sesame-pass",\
            "userEmail":"sesame@mail","page":"https://a.b/?token=sesame-token&q=1"}}
            """
        let outcome = try session.send(load)
        let html = JSONWriter.text(of: outcome.effects[0].json)
        let published = try Redaction.publishable(
            JSONParser.parse(text: load).root, policy: session.policy)
        let shown = [
            JSONWriter.text(of: session.viewing.state.json), JSONWriter.text(of: outcome.patch),
            JSONWriter.text(of: published), "\(session.viewing.state)",
            String(reflecting: session.viewing.memory.content),
        ]
        for text in shown { #expect(!text.contains("sesame"), "\(text)") }
        for secret in secrets.prefix(3) { #expect(html.contains(secret)) }
        // The address itself goes nowhere; its hash does.
        #expect(!html.contains("sesame@mail"))
        #expect(html.contains("hashedUserEmail"))
    }

    @Test func `more than three deaths of the page in a minute fail, later ones load again`() throws
    {
        var session = try TestSession.ready()
        let death = #"{"type":"device.navigation","phase":"terminated"}"#
        for page in 2...4 {
            session.now = session.now.advanced(bySeconds: 10)
            try session.send(death)
            #expect(session.viewing.state.player.page == UInt64(page))
        }
        try session.send(death)
        #expect(session.viewing.state.player.phase == .failed)
        session.now = session.now.advanced(bySeconds: 41)
        try session.send(death)
        #expect(session.viewing.state.player.phase == .loading)
        #expect(session.viewing.state.player.error == nil)
    }

    @Test(arguments: [
        #"{"type":"device.navigation","phase":"failed","error":"no https://a.b/?token=S3CRET"}"#,
        #"{"type":"betslip.open","sportsbookMarketContext":"https://a.b/?token=S3CRET"}"#,
        #"{"type":"theme.set","theme":"https://a.b/?token=S3CRET"}"#,
        #"{"type":"bridge","handler":"https://a.b/?token=S3CRET","body":{}}"#,
        #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"multibet-event","payload":{"sportsbookSelectionId":"https://a.b/?token=S3CRET"}}}"#,
        #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"https://a.b/?token=S3CRET"}}"#,
    ])
    func `a secret in any text reaches neither state nor warning`(event: String) throws {
        var session = try TestSession.ready()
        let outcome = try session.send(event)
        let said =
            [outcome.patch, session.viewing.state.json] + outcome.warnings.map(\.json)
        #expect(!said.contains { JSONWriter.text(of: $0).contains("S3CRET") })
    }
}
