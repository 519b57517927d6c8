import Coordinator
import TestSupport
import Testing

/// The LiSA page, its messages and its navigation (contract: domain, section 5.3).
@Suite struct LisaBridgeTests {
    private static let content = #"{"clientId":"shop-1","showId":"s 1"}"#
    private static let url = "https://shop-1.loveslisa.tech/s/s%201"
    private static let live = "https://shop-1.loveslisa.tech/live?q=1&token=S3CRET"
    private static let script: JSON = [
        "source": #"window._lscLocalThemeOptions={"playerDismissCtaState":"enabled"};"#,
        "injectionTime": "documentEnd", "mainFrameOnly": true,
    ]

    private static func page(_ number: Int, _ url: String) -> JSON {
        [
            "kind": "loadPage", "page": .integer(number), "url": .string(url),
            "userScripts": [script],
            "webView": [
                "allowsInlineMediaPlayback": true, "allowsPictureInPictureMediaPlayback": true,
                "isElementFullscreenEnabled": true, "scrollEnabled": true,
            ],
        ]
    }

    private static func ready() throws -> TestSession {
        var session = try TestSession.loading("lisa", content)
        try session.navigate("finished", url)
        return session
    }

    @Test func `the page is the show, with the theme options`() throws {
        var session = try TestSession.staged()
        let outcome = try session.load("lisa", Self.content)
        #expect(outcome.orders == [Self.page(1, Self.url)])
        #expect(
            outcome.patch == [
                "vendor": "lisa",
                "player": [
                    "phase": "loading", "page": 1, "url": .string(Self.url),
                    "content": ["clientId": "shop-1", "showId": "s 1"],
                ],
            ])
        #expect(try session.load("lisa", Self.content).kind == .unchanged)
    }

    @Test(arguments: [
        ("{}", "clientId is missing"),
        (#"{"clientId":7,"showId":"s"}"#, "clientId must be a string"),
        (#"{"clientId":"","showId":"s"}"#, "clientId is empty"),
        (#"{"clientId":"a.b","showId":"s"}"#, "clientId must have 1–63"),
        (#"{"clientId":"a/b","showId":"s"}"#, "clientId must have 1–63"),
        (#"{"clientId":"a@evil.example","showId":"s"}"#, "clientId must have 1–63"),
        (#"{"clientId":"é","showId":"s"}"#, "clientId must have 1–63"),
        (#"{"clientId":"a_b","showId":"s"}"#, "clientId must have 1–63"),
        (#"{"clientId":"a\u0000","showId":"s"}"#, "clientId must have 1–63"),
        (
            #"{"clientId":"\#(String(repeating: "a", count: 64))","showId":"s"}"#,
            "clientId must have 1–63"
        ),
        (#"{"clientId":"a"}"#, "showId is missing"),
        (#"{"clientId":"a","showId":["s"]}"#, "showId must be a string, not an array"),
        (#"{"clientId":"a","showId":""}"#, "showId is empty"),
        (#"{"clientId":"a","showId":"."}"#, "showId must not be ."),
        (#"{"clientId":"a","showId":".."}"#, "showId must not be .."),
    ])
    func `content without a usable client or show is refused`(
        content: String, why: String
    ) throws {
        var session = try TestSession.staged()
        let before = session.viewing
        let rejection = #expect(throws: Rejection.self) { try session.load("lisa", content) }
        #expect(rejection?.code == 422)
        #expect(rejection?.message.hasPrefix("event.invalid: event.content.\(why)") == true)
        #expect(session.viewing == before)
    }

    @Test(arguments: ["a", "A-9", "-", String(repeating: "a", count: 63)])
    func `a host label is a client`(client: String) throws {
        let session = try TestSession.loading("lisa", #"{"clientId":"\#(client)","showId":"s"}"#)
        #expect(session.viewing.state.player.url == "https://\(client).loveslisa.tech/s/s")
    }

    @Test(arguments: [
        (#"{"autoRotate":true,"closeOnPipClose":true}"#, #"{"playerDismissCtaState":"enabled"}"#),
        (
            #"{"color":"red","n":[1.50,null]}"#,
            #"{"playerDismissCtaState":"enabled","color":"red","n":[1.50,null]}"#
        ),
        (
            #"{"a":1,"playerDismissCtaState":"hidden"}"#,
            #"{"playerDismissCtaState":"hidden","a":1}"#
        ),
        (#"{"a":null,"playerDismissCtaState":null}"#, #"{"playerDismissCtaState":"enabled"}"#),
        (
            #"{"</script>":"</script>\u2028\u2029\"'\\"}"#,
            #"{"playerDismissCtaState":"enabled","\u003c/script>":"\u003c/script>\u2028\u2029\"'\\"}"#
        ),
    ])
    func `options extend what the page reads`(options: String, theme: String) throws {
        var session = try TestSession.staged()
        let outcome = try session.load("lisa", Self.content, options: options)
        let source = outcome.orders.first?["userScripts"]?.array?.first?["source"]
        #expect(source == .string("window._lscLocalThemeOptions=\(theme);"))
        #expect(outcome.patch["player"]?["content"] == ["clientId": "shop-1", "showId": "s 1"])
    }

    @Test func `other options are another page, the rest is none`() throws {
        var session = try Self.ready()
        #expect(
            try session.load("lisa", Self.content, options: #"{"autoRotate":true}"#).effects.isEmpty
        )
        let outcome = try session.load("lisa", Self.content, options: #"{"color":"red"}"#)
        #expect(outcome.effects.map(\.order.kind) == ["loadPage", "setKeepAwake"])
        try session.restart()
        let death = try session.navigate("terminated")
        #expect(death.orders.first?["userScripts"] == outcome.orders.first?["userScripts"])
    }

    @Test func `options have the bound of content`() throws {
        var session = try TestSession.staged()
        let long = String(repeating: "x", count: 16_384)
        #expect(throws: Rejection.self) {
            try session.load("lisa", Self.content, options: #"{"a":"\#(long)"}"#)
        }
    }

    @Test(arguments: ["null", "7", #""text""#, "{}", #"{"type":"ready"}"#, "[1e400]", #""{""#])
    func `every message is a signal without a warning`(body: String) throws {
        var session = try TestSession.loading("lisa", Self.content)
        let outcome = try session.post("MessageFromLiSA", body)
        #expect(outcome.kind == .signal)
        #expect(outcome.codes.isEmpty)
        #expect(session.viewing.state.player.phase == .loading)
    }

    @Test func `the page is ready when it has loaded, and a redirect is its address`() throws {
        var session = try TestSession.loading("lisa", Self.content)
        let ready = try session.navigate("finished", Self.live)
        #expect(
            ready.patch == [
                "player": ["phase": "ready", "url": "https://shop-1.loveslisa.tech/live?q=1"],
                "keepAwake": true,
            ])
        let moved = try session.navigate("finished", Self.url)
        #expect(moved.patch == ["player": ["url": .string(Self.url)]])
    }

    @Test func `a new window is loaded in place of the page`() throws {
        var session = try Self.ready()
        let event = #"{"type":"device.navigation","phase":"newWindow","url":"\#(Self.live)"}"#
        let outcome = try session.send(event)
        #expect(
            outcome.orders == [
                Self.page(2, Self.live),
                ["kind": "setKeepAwake", "on": false, "refreshSeconds": 10],
            ])
        #expect(
            outcome.patch == [
                "player": [
                    "phase": "loading", "page": 2, "url": "https://shop-1.loveslisa.tech/live?q=1",
                ], "keepAwake": false,
            ])
        #expect(!(try session.shown(event, outcome)).contains("S3CRET"))
        // A second tap changes nothing while it is under way.
        #expect(try session.navigate("newWindow", Self.live).kind == .unchanged)
        try session.navigate("finished", Self.live)
        #expect(session.viewing.state.player.phase == .ready)
        // Afterwards the page may be somewhere else, so it is loaded again.
        #expect(
            try session.navigate("newWindow", Self.live).orders.first == Self.page(3, Self.live))
    }

    @Test(arguments: [
        nil, "", "about:blank", "javascript:alert(1)", "mailto:a@b.example", "/s/2",
        "https://a b/?token=S3CRET", "ftp://a.example/?token=S3CRET", "https://a.example/\n",
    ])
    func `a new window without a web address is warned of`(url: String?) throws {
        var session = try Self.ready()
        let outcome = try session.navigate("newWindow", url)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.codes == ["navigation.invalid"])
        #expect(!outcome.warnings[0].message.contains("S3CRET"))
    }

    @Test func `the same content again goes back to the first page`() throws {
        var session = try Self.ready()
        try session.navigate("newWindow", Self.live)
        #expect(try session.load("lisa", Self.content).orders.first == Self.page(3, Self.url))
        #expect(try session.navigate("terminated").orders.first == Self.page(4, Self.url))
    }

    @Test func `a take-over, a dead web process and a restart load the followed address`() throws {
        var session = try Self.ready()
        try session.navigate("newWindow", Self.live)
        try session.restart()
        #expect(try session.navigate("terminated").orders.first == Self.page(3, Self.live))
        try session.navigate("finished", Self.live)
        try session.take("tv")
        try session.restart()
        #expect(try session.attach("tv").orders == [Self.page(4, Self.live)])
        #expect(session.viewing.state.player.url == "https://shop-1.loveslisa.tech/live?q=1")
    }

    @Test func `a followed address is stored sealed`() throws {
        var session = try Self.ready()
        var mirror = try StoredMirror(session.viewing)
        try session.navigate("newWindow", Self.live)
        try mirror.fold(session.viewing)
        try mirror.check("after the new window")
        let written = mirror.written.map { String(decoding: $0, as: UTF8.self) }
        #expect(!written.contains { $0.contains("S3CRET") })
    }

    @Test func `full screen stays when a new window is followed`() throws {
        var session = try Self.ready()
        try session.send(#"{"type":"fullscreen.set","on":true}"#)
        try session.navigate("newWindow", Self.live)
        #expect(session.viewing.state.presentation.mode == .fullscreen)
    }

    @Test func `a failed page may be left by a new window`() throws {
        var session = try Self.ready()
        try session.navigate("failed")
        let outcome = try session.navigate("newWindow", Self.live)
        #expect(outcome.orders.first == Self.page(2, Self.live))
        #expect(outcome.patch["player"]?["error"] == .null)
    }

    @Test func `a page of the app's own is followed, too`() throws {
        var session = try TestSession.staged()
        try session.post("MessageFromLiSA")
        #expect(session.viewing.state.vendor == .lisa)
        let outcome = try session.navigate("newWindow", Self.live)
        #expect(outcome.orders.first?["url"] == .string(Self.live))
        #expect(outcome.orders.first?["webView"] == Self.page(1, "")["webView"])
        #expect(try session.navigate("terminated").orders.first?["url"] == .string(Self.live))
    }

    @Test func `a closed player follows nothing`() throws {
        var session = try Self.ready()
        try session.send(#"{"type":"player.close"}"#)
        let outcome = try session.navigate("newWindow", Self.live)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.effects.isEmpty)
    }

    @Test func `a close before the page has loaded stays closed`() throws {
        var session = try TestSession.loading("lisa", Self.content)
        try session.send(#"{"type":"player.close"}"#)
        for _ in 1...2 {
            #expect(try session.navigate("finished", Self.url).kind == .unchanged)
            #expect(session.viewing.state.player.phase == .closed)
        }
    }

    @Test func `the small window needs no script`() throws {
        var session = try Self.ready()
        try session.send(#"{"type":"pip.toggle"}"#)
        let started = try session.pip("started")
        #expect(started.orders.isEmpty)
        #expect(session.viewing.state.pip.overlayHidden)
        #expect(try session.pip("stopped").orders.isEmpty)
    }
}
