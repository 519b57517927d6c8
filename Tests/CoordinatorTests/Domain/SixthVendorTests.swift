import Coordinator
import TestSupport
import Testing

extension Vendor {
    /// Arena, quizzes beside a live match; made up.
    static let arena = Vendor(rawValue: "arena")
}

/// Arena: one handler, bodies of `say` and what belongs to it.
///
/// | `say` | does |
/// | --- | --- |
/// | `hello` | ready |
/// | `big` | full screen as `on` says |
/// | `float` | the small window |
/// | `bet` | opens the slip with `id` and `odds` |
/// | `share` | the app offers `link` for sharing |
/// | `bye` | closes the player |
struct ArenaBridge: Bridge {
    var traits = {
        var traits = VendorTraits(vendor: .arena, handlers: ["arenaPlayer"])
        traits.webView.pictureInPicture = true
        return traits
    }()

    /// What the page may say.
    private enum Saying: String {
        case hello, big, float, bet, share, bye
    }

    func page(_ request: PageRequest) throws(Rejection) -> VendorPage {
        let quiz = try request.pathSegment("quiz")
        var page = VendorPage(url: "https://arena.example/play/\(quiz)")
        page.webView = traits.webView
        return page
    }

    func script(for change: PageChange, policy: Policy) -> String? {
        switch change {
        case .fullscreen(let on): call("setBig", .bool(on))
        case .theme(let name): call("setTheme", .string(name))
        case .close, .locale, .pipButton, .pipOverlay, .widget, .appConfig: nil
        }
    }

    private func call(_ function: String, _ argument: JSON) -> String {
        """
        (function(){if(typeof arena!=="object"){return false}\
        arena.\(function)(\(ScriptText.json(argument)));return true})()
        """
    }

    func isReady(_ message: BridgeMessage) -> Bool {
        message.body["say"]?.string == Saying.hello.rawValue
    }

    func receive(
        _ message: BridgeMessage, in transition: inout Transition
    ) throws(Rejection) {
        var fields = BridgeFields(message.body.object ?? JSONObject(), of: "body")
        defer { transition.warnings += fields.warnings }
        switch fields.requiredText("say").flatMap(Saying.init) {
        case .hello: transition.becomeReady()
        case .big: if let on = fields.bool("on") { try transition.setFullscreen(on) }
        case .float: try transition.togglePictureInPicture(byPage: false)
        case .bet:
            var selection = Selection()
            selection.sportsbookSelectionId = fields.text("id", limit: transition.policy.textBytes)
            selection.decimalPrice = fields.amount("odds", isPrice: true)
            try transition.bridgeOpen(selection, stake: nil)
        case .share:
            if let link = fields.address("link") { transition.emit(.presentShare(url: link)) }
        case .bye: transition.closePlayer(dismisses: true)
        case nil:
            transition.isSignal = true
            transition.warn("bridge.unhandled", "Arena says something unknown")
        }
    }
}

/// A vendor more is one file and one line: this file, and `adding` in place of the line.
@Suite struct SixthVendorTests {
    private static func policy(_ bridge: ArenaBridge = ArenaBridge()) -> Policy {
        var policy = Policy()
        policy.vendors = .standard.adding(bridge)
        return policy
    }

    private static let load =
        #"{"type":"player.load","vendor":"arena","content":{"quiz":"a/b"}}"#

    private static func says(_ body: String, handler: String = "arenaPlayer") -> String {
        #"{"type":"bridge","handler":"\#(handler)","body":\#(body)}"#
    }

    private func loaded(policy: Policy = Self.policy()) throws -> TestSession {
        var session = try TestSession.staged(policy: policy)
        try session.send(Self.load)
        return session
    }

    private func ready(policy: Policy = Self.policy()) throws -> TestSession {
        var session = try loaded(policy: policy)
        try session.send(Self.says(#"{"say":"hello"}"#))
        return session
    }

    private func effects(_ outcome: Outcome) -> [JSON] {
        outcome.effects.map { effect in
            var object = effect.json.object ?? JSONObject()
            object["seq"] = nil
            object["rev"] = nil
            return .object(object)
        }
    }

    @Test func `without its line nobody knows the vendor`() throws {
        var session = try TestSession.staged()
        #expect(try session.reason(Self.load) == "event.invalid")
        let outcome = try session.send(Self.says(#"{"say":"hello"}"#))
        #expect(outcome.kind == .signal)
        #expect(outcome.warnings.map(\.code) == ["bridge.unhandled"])
    }

    @Test func `its page loads and becomes ready`() throws {
        var session = try TestSession.staged(policy: Self.policy())
        let loading = try session.send(Self.load)
        #expect(
            effects(loading) == [
                [
                    "kind": "loadPage", "page": 1, "url": "https://arena.example/play/a%2Fb",
                    "userScripts": [],
                    "webView": [
                        "allowsInlineMediaPlayback": true,
                        "allowsPictureInPictureMediaPlayback": true,
                        "isElementFullscreenEnabled": false, "scrollEnabled": false,
                    ],
                ]
            ])
        #expect(session.viewing.state.vendor == .arena)
        #expect(session.viewing.state.player.phase == .loading)
        let ready = try session.send(Self.says(#"{"say":"hello"}"#))
        #expect(ready.patch == ["player": ["phase": "ready"], "keepAwake": true])
    }

    @Test func `content that it needs is named when it is missing`() throws {
        var session = try TestSession.staged(policy: Self.policy())
        #expect(
            throws: Rejection(code: 422, message: "event.invalid: event.content.quiz is missing")
        ) { try session.send(#"{"type":"player.load","vendor":"arena","content":{}}"#) }
    }

    @Test func `its messages open the slip and the sheet for sharing`() throws {
        var session = try ready()
        let bet = try session.send(Self.says(#"{"say":"bet","id":"q7","odds":"1.85"}"#))
        #expect(
            bet.patch == [
                "betslip": [
                    "visible": true, "status": "open", "revision": 1,
                    "selections": [["sportsbookSelectionId": "q7", "decimalPrice": "1.85"]],
                    "totals": ["price": "1.85"],
                ]
            ])
        let share = try session.send(
            Self.says(#"{"say":"share","link":"https://arena.example/q7"}"#))
        #expect(
            effects(share) == [["kind": "presentShare", "url": "https://arena.example/q7"]])
    }

    @Test(arguments: [
        #"{"say":"share","link":"ftp://arena.example"}"#, #"{"say":"share","link":7}"#,
        #"{"say":"big","on":"yes"}"#, #"{"say":"what"}"#, #"{"say":null}"#, "7",
    ])
    func `what it says wrong is a warning and changes nothing`(body: String) throws {
        var session = try ready()
        let outcome = try session.send(Self.says(body))
        #expect(!outcome.warnings.isEmpty)
        #expect(outcome.kind != .revision)
    }

    @Test func `its own script tells the page of full screen`() throws {
        var session = try ready()
        let outcome = try session.send(#"{"type":"fullscreen.set","on":true}"#)
        #expect(
            effects(outcome).prefix(2) == [
                ["kind": "setFullscreen", "on": true],
                [
                    "kind": "evaluateJavaScript",
                    "script": """
                    (function(){if(typeof arena!=="object"){return false}\
                    arena.setBig(true);return true})()
                    """,
                ],
            ])
        // What it has no script for is left to the app.
        let locale = try session.send(#"{"type":"locale.set","locale":"de"}"#)
        #expect(locale.effects.isEmpty)
        let widget = #"{"type":"widget.update","props":{}}"#
        #expect(try session.reason(widget) == "widget.unsupported")
    }

    @Test func `its traits say whether there is picture-in-picture`() throws {
        var session = try ready()
        let outcome = try session.send(Self.says(#"{"say":"float"}"#))
        #expect(effects(outcome) == [["kind": "startPictureInPicture"]])

        var bridge = ArenaBridge()
        bridge.traits.webView.pictureInPicture = false
        var other = try ready(policy: Self.policy(bridge))
        #expect(try other.reason(Self.says(#"{"say":"float"}"#)) == "pip.unsupported")
        #expect(try other.reason(#"{"type":"pip.start"}"#) == "pip.unsupported")
        #expect(other.viewing.state.pip.phase == .inactive)
    }

    @Test func `another vendor's handler is refused, both ways`() throws {
        var session = try ready()
        let genius = Self.says(#"{"type":"init"}"#, handler: "gsVideoPlayerBridge")
        #expect(try session.reason(genius) == "vendor.other")
        var other = TestSession()
        other.policy = Self.policy()
        _ = try other.attach("phone")
        try other.send(genius)
        #expect(try other.reason(Self.says(#"{"say":"hello"}"#)) == "vendor.other")
    }

    @Test func `the configuration can give its handler another name`() throws {
        var policy = Self.policy()
        policy.handlers["quizPlayer"] = .arena
        var session = try loaded(policy: policy)
        try session.send(Self.says(#"{"say":"hello"}"#, handler: "quizPlayer"))
        #expect(session.viewing.state.player.phase == .ready)
    }

    @Test func `a close before it is ready is remembered`() throws {
        var session = try loaded()
        try session.send(#"{"type":"player.close"}"#)
        #expect(try session.reason(Self.says(#"{"say":"bye"}"#)) == "session.closed")
        #expect(try session.reason(Self.says(#"{"say":"hello"}"#)) == nil)
        #expect(session.viewing.state.player.phase == .closed)
    }

    @Test func `what it says last closes the player`() throws {
        var session = try ready()
        let outcome = try session.send(Self.says(#"{"say":"bye"}"#))
        #expect(
            effects(outcome) == [
                ["kind": "setKeepAwake", "on": false, "refreshSeconds": 10],
                ["kind": "dismissPlayer"],
            ])
    }

    @Test func `a session of it comes back from the store and goes on`() throws {
        var session = try TestSession.staged(policy: Self.policy())
        var mirror = try StoredMirror(session.viewing)
        for event in [
            Self.load, Self.says(#"{"say":"hello"}"#), #"{"type":"fullscreen.set","on":true}"#,
            Self.says(#"{"say":"bet","id":"q7","odds":2}"#),
        ] {
            try session.send(event)
            try mirror.fold(session.viewing)
            try mirror.check(event)
        }
        // The same, taken over by another device: from the store comes what the page is made of.
        let vault = try StoredMirror.vault()
        let bytes = (
            JSONWriter.bytes(of: session.viewing.state.json),
            JSONWriter.bytes(of: session.viewing.memory.document(vault))
        )
        session.viewing = Viewing(
            state: try SessionState(stored: try StoredMirror.parse(bytes.0)),
            memory: try SessionMemory(stored: try StoredMirror.parse(bytes.1), vault))
        #expect(session.viewing.state.vendor == .arena)
        try session.take("tv")
        let attached = try session.attach("tv")
        let pages = effects(attached).filter { $0["kind"] == "loadPage" }
        #expect(pages.map { $0["url"] } == ["https://arena.example/play/a%2Fb"])
    }
}
