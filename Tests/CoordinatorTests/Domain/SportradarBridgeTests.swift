import Coordinator
import Foundation
import Testing

/// What the golden transcripts do not say about Sportradar's widgets.
@Suite struct SportradarBridgeTests {
    private static let content: JSON = [
        "clientId": "c1", "widget": "match.lmtPlus", "props": ["matchId": 1],
    ]

    private func load(_ content: JSON) -> String {
        JSONWriter.text(
            of: ["type": "player.load", "vendor": "sportradar", "content": content])
    }

    private func loading(policy: Policy = Policy()) throws -> TestSession {
        var session = try TestSession.staged(policy: policy)
        try session.send(load(Self.content))
        return session
    }

    private func ready() throws -> TestSession {
        var session = try loading()
        try session.send(#"{"type":"device.navigation","phase":"finished"}"#)
        return session
    }

    private func say(_ body: String, to session: inout TestSession) throws -> Outcome {
        try session.send(#"{"type":"bridge","handler":"srBridge","body":\#(body)}"#)
    }

    private func scripts(_ outcome: Outcome) -> [String] {
        outcome.effects.compactMap { $0.json["script"]?.string }
    }

    // MARK: Messages

    @Test(arguments: [
        ("419.2", "420"), ("420", "420"), ("0.0001", "1"), ("4.2e2", "420"),
        ("1e15", "1000000000000000"),
    ])
    func `a height is rounded up`(given: String, stored: String) throws {
        var session = try ready()
        let outcome = try say(#"{"type":"height","height":\#(given)}"#, to: &session)
        #expect(JSONWriter.text(of: outcome.patch) == #"{"player":{"height":\#(stored)}}"#)
        #expect(outcome.effects.isEmpty && outcome.warnings.isEmpty)
        // The same again, and one that is the same when rounded up.
        for height in [given, stored] {
            let again = try say(#"{"type":"height","height":\#(height)}"#, to: &session)
            #expect(again.kind == .unchanged && again.warnings.isEmpty)
        }
    }

    @Test(arguments: [
        #","height":0"#, #","height":-1"#, #","height":-0.0"#, #","height":"420""#,
        #","height":true"#,
        #","height":null"#, #","height":[420]"#, #","height":{}"#, #","height":1e400"#,
        #","height":-1e400"#, #","height":1e-400"#, #","height":1e-9223372036854775808"#, "",
    ])
    func `what is no height keeps the old one`(member: String) throws {
        var session = try ready()
        _ = try say(#"{"type":"height","height":7}"#, to: &session)
        let outcome = try say(#"{"type":"height"\#(member)}"#, to: &session)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
        #expect(session.viewing.state.player.height == 7)
    }

    @Test func `a new page has no height yet`() throws {
        var session = try ready()
        _ = try say(#"{"type":"height","height":7}"#, to: &session)
        try session.send(#"{"type":"device.navigation","phase":"terminated"}"#)
        #expect(session.viewing.state.player.height == nil)
    }

    @Test func `tracking is a signal under its name`() throws {
        var session = try ready()
        let outcome = try say(
            #"{"type":"onTrack","eventName":"tab_click","eventData":{"a":[1]}}"#, to: &session)
        #expect(outcome.kind == .signal && !outcome.isDurable)
        #expect(outcome.tracked == "tab_click")
        #expect(outcome.warnings.isEmpty && outcome.effects.isEmpty)
    }

    @Test(arguments: [#"{"type":"onTrack"}"#, #"{"type":"onTrack","eventName":7}"#])
    func `tracking without a name is passed on and not counted`(body: String) throws {
        var session = try ready()
        let outcome = try say(body, to: &session)
        #expect(outcome.kind == .signal)
        #expect(outcome.tracked == nil)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
    }

    @Test(arguments: [
        (#"{"id":1,"n":2.50}"#, #"{"id":1,"n":2.50}"#), (#""{\"id\":1}""#, #"{"id":1}"#),
        (#""[1,null]""#, "[1,null]"), (#"" 5 ""#, "5"), (#""\"x\"""#, #""x""#),
        (#""null""#, "null"),
        ("{}", "{}"),
    ])
    func `an item is shown with its data`(given: String, data: String) throws {
        var session = try ready()
        let outcome = try say(
            #"{"type":"onItemClick","target":"match","data":\#(given)}"#, to: &session)
        #expect(outcome.patch == [:] && outcome.warnings.isEmpty)
        #expect(outcome.effects.map(\.order.kind) == ["showItem"])
        let effect = JSONWriter.text(of: try #require(outcome.effects.first).json)
        #expect(effect.hasSuffix(#""kind":"showItem","target":"match","data":\#(data)}"#))
    }

    @Test(arguments: [
        "5", "true", "null", "[]", #""{""#, #""""#, #""{\"a\":1,\"a\":2}""#, #""\"\\ud800\"""#,
        #"{"n":1e400}"#, #""1e400""#,
    ])
    func `an item with bad data is shown without it`(data: String) throws {
        var session = try ready()
        let outcome = try say(
            #"{"type":"onItemClick","target":"t","data":\#(data)}"#, to: &session)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
        let effect = JSONWriter.text(of: try #require(outcome.effects.first).json)
        #expect(effect.hasSuffix(#""kind":"showItem","target":"t"}"#))
    }

    @Test func `an item may have no data`() throws {
        var session = try ready()
        let outcome = try say(#"{"type":"onItemClick","target":""}"#, to: &session)
        #expect(outcome.warnings.isEmpty)
        #expect(outcome.effects.map(\.order) == [.showItem(target: "", data: nil)])
    }

    @Test(arguments: [#"{"type":"onItemClick","data":{}}"#, #"{"type":"onItemClick","target":1}"#])
    func `an item without a target is not shown`(body: String) throws {
        var session = try ready()
        let outcome = try say(body, to: &session)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
    }

    @Test(arguments: [
        #"{"type":"betslip"}"#, #"{"type":"","x":1}"#, #"{"type":"HEIGHT","height":1}"#,
    ])
    func `another type is passed on without a warning`(body: String) throws {
        var session = try ready()
        let outcome = try say(body, to: &session)
        #expect(outcome.kind == .signal)
        #expect(outcome.warnings.isEmpty && outcome.effects.isEmpty)
    }

    @Test(arguments: ["null", "1", #""height""#, "[]", "{}", #"{"type":1}"#, #"{"Type":"height"}"#])
    func `a body without a type is malformed`(body: String) throws {
        var session = try ready()
        let outcome = try say(body, to: &session)
        #expect(outcome.kind == .signal)
        #expect(outcome.warnings.map(\.code) == ["bridge.malformed"])
    }

    // MARK: Scripts

    @Test func `commands are calls of the widget loader`() throws {
        var session = try ready()
        func script(_ call: String) -> String {
            #"(function(){if(typeof SIR!=="function"){return false}SIR(\#(call));return true})()"#
        }
        #expect(
            scripts(try session.send(#"{"type":"theme.set","theme":"dark"}"#))
                == [script(#""setClientTheme", "dark""#)])
        #expect(
            scripts(try session.send(#"{"type":"locale.set","locale":"de"}"#))
                == [script(#""changeLanguage", "de""#)])
        #expect(
            scripts(try session.send(#"{"type":"widget.update","props":{"matchId":1}}"#))
                == [script(##""updateWidget", "#sr-widget", {"matchId":1}"##)])
        #expect(
            scripts(try session.send(#"{"type":"widget.update","selector":".b","props":{}}"#))
                == [script(#""updateWidget", ".b", {}"#)])
    }

    @Test(arguments: ["</script>", "a\u{2028}b\u{2029}", #"");alert("1"#, "\\", "\n", "${1}`"])
    func `hostile text stays text`(text: String) throws {
        var session = try ready()
        let quoted = JSONWriter.text(of: .string(text))
        let outcomes = [
            try session.send(#"{"type":"theme.set","theme":\#(quoted)}"#),
            try session.send(
                #"{"type":"widget.update","selector":\#(quoted),"props":{"a":\#(quoted)}}"#),
        ]
        for outcome in outcomes {
            let script = try #require(scripts(outcome).first)
            for mark in ["<", "\u{2028}", "\u{2029}", "\n"] { #expect(!script.contains(mark)) }
            // What stands in the call's brackets is JSON: as a list it is what was given.
            let start = try #require(script.range(of: "SIR("))
            let end = try #require(script.range(of: ");return true})()", options: .backwards))
            let list = script[start.upperBound..<end.lowerBound]
            let arguments = try JSONParser.parse(text: "[\(list)]").root.array ?? []
            #expect(arguments.contains(.string(text)))
        }
    }

    @Test func `a page that is ready is told theme and language, the theme first`() throws {
        var session = try loading()
        try session.send(#"{"type":"locale.set","locale":"de"}"#)
        try session.send(#"{"type":"theme.set","theme":"dark"}"#)
        for _ in 1...2 {
            let outcome = try session.send(#"{"type":"device.navigation","phase":"finished"}"#)
            let calls = scripts(outcome).map { $0.contains("setClientTheme") }
            #expect(calls == [true, false])
            try session.send(#"{"type":"device.navigation","phase":"terminated"}"#)
        }
    }

    // MARK: Page

    @Test func `a template makes the page`() throws {
        var policy = Policy()
        policy.sportradar.template = try PageTemplate("<p>{{config}}</p>")
        let session = try loading(policy: policy)
        let effect = try #require(session.viewing.memory.outbox.effects.first).json
        #expect(
            effect["html"]
                == #"<p>{"clientId":"c1","widget":"match.lmtPlus","props":{"matchId":1}}</p>"#)
        #expect(effect["baseURL"] == "https://widgets.sir.sportradar.com/")
        #expect(effect["url"] == nil)
        #expect(
            effect["webView"] == [
                "allowsInlineMediaPlayback": true, "allowsPictureInPictureMediaPlayback": false,
                "isElementFullscreenEnabled": false, "scrollEnabled": true,
            ])
    }

    @Test func `props are an empty object unless given`() throws {
        var session = try TestSession.staged()
        let outcome = try session.send(load(["clientId": "c", "widget": "w"]))
        let html = try #require(outcome.effects.first?.json["html"]?.string)
        #expect(html.contains(#"{"clientId":"c","widget":"w","props":{}}"#))
    }

    @Test func `a page of one's own is used as it is`() throws {
        var session = try TestSession.staged()
        let html = "<html>{{config}} </script>\u{2028}"
        let outcome = try session.send(load(["html": .string(html), "clientId": 7]))
        #expect(outcome.effects.first?.json["html"] == .string(html))
        let scripts = outcome.effects.first?.json["userScripts"]?.array
        #expect(scripts?.count == 1)
    }

    @Test(arguments: [
        (#"{"widget":"w"}"#, "clientId"), (#"{"clientId":"c"}"#, "widget"),
        (#"{"clientId":"","widget":"w"}"#, "clientId"), (#"{"clientId":"c","widget":7}"#, "widget"),
        (#"{"clientId":"c","widget":"w","props":[]}"#, "props"), (#"{"html":7}"#, "html"),
        (#"{"html":""}"#, "html"), (#"{"html":"<p>","disableScroll":1}"#, "disableScroll"),
    ])
    func `content that makes no page is refused`(content: String, member: String) throws {
        var session = try TestSession.staged()
        let content = try JSONParser.parse(text: content).root
        let rejection = #expect(throws: Rejection.self) { try session.send(load(content)) }
        #expect(rejection?.code == 422)
        #expect(rejection?.message.hasPrefix("event.invalid: event.content.\(member) ") == true)
    }

    @Test func `the same page in another web view is another page`() throws {
        var session = try ready()
        var content = try #require(Self.content.object)
        #expect(try session.send(load(.object(content))).kind == .unchanged)
        content["disableScroll"] = true
        let outcome = try session.send(load(.object(content)))
        #expect(outcome.effects.first?.json["webView"]?["scrollEnabled"] == false)
        #expect(outcome.effects.first?.json["page"] == 2)
    }

    @Test func `a tracked name loses its secrets before it is counted`() throws {
        var session = try TestSession.staged()
        let outcome = try session.send(
            #"{"type":"bridge","handler":"srBridge","body":{"type":"onTrack","#
                + #""eventName":"https://a.example/p?token=hunter2&x=1"}}"#)
        #expect(outcome.tracked == "https://a.example/p?x=1")
    }

    @Test func `an update reaches the page whole and the mirrors without its secrets`() throws {
        var session = try TestSession.staged()
        try session.send(
            #"{"type":"player.load","vendor":"sportradar","content":{"clientId":"c","widget":"w"}}"#
        )
        let event =
            #"{"type":"widget.update","props":{"feed":"https://a.example/f?token=hunter2&b=1"}}"#
        let outcome = try session.send(event)
        let script = try #require(outcome.effects.first?.json["script"]?.string)
        #expect(script.contains("https://a.example/f?token=hunter2&b=1"))
        let published = Redaction.publishable(
            try JSONParser.parse(text: event).root, policy: session.policy)
        #expect(published["props"]?["feed"] == "https://a.example/f?b=1")
        #expect(!JSONWriter.text(of: session.viewing.state.json).contains("hunter2"))
    }

    @Test func `no secret of an address gets out`() throws {
        var session = try ready()
        let outcome = try say(
            #"{"type":"onItemClick","target":"https://a.example/?token=hunter2","#
                + #""data":"{\"url\":\"https:\\/\\/a.example\\/?apikey=hunter2\"}"}"#,
            to: &session)
        // The stage alone is told all of it.
        #expect(JSONWriter.text(of: try #require(outcome.effects.first).json).contains("hunter2"))
        let published = Redaction.publishable(
            [
                "type": "bridge", "handler": "srBridge",
                "body": [
                    "type": "onItemClick", "target": "https://a.example/?token=hunter2",
                    "data": #"{"url":"https:\/\/a.example\/?apikey=hunter2"}"#,
                ],
            ], policy: session.policy)
        #expect(!JSONWriter.text(of: published).contains("hunter2"))
        #expect(!JSONWriter.text(of: session.folded).contains("hunter2"))
        #expect(session.folded == session.viewing.state.json)
    }

    // MARK: Shipped texts

    private static let template: String? = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Config/sportradar.html")
        return try? String(contentsOf: file, encoding: .utf8)
    }()

    @Test func `the shipped template is one, with what the widget needs`() throws {
        let text = try #require(Self.template)
        #expect(throws: Never.self) { try PageTemplate(text) }
        for part in [
            #"<div id="sr-widget" data-sr-height-root></div>"#, "messageHandlers", "srBridge",
            "widgetloader", ##"SIR("addWidget", "#sr-widget""##, "onTrack", "onItemClick",
            "background: transparent",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test func `the height observer goes with every page`() throws {
        let session = try loading()
        let effect = try #require(session.viewing.memory.outbox.effects.first).json
        let script = try #require(effect["userScripts"]?.array?.first)
        #expect(script["injectionTime"] == "documentEnd" && script["mainFrameOnly"] == true)
        let source = try #require(script["source"]?.string)
        for part in ["[data-sr-height-root]", "document.body", "ResizeObserver", "srBridge"] {
            #expect(source.contains(part), "\(part)")
        }
    }
}
