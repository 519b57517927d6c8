import Coordinator
import Testing

/// What the golden transcripts do not say about Bambuser's player.
@Suite struct BambuserBridgeTests {
    private func load(_ content: JSON) -> String {
        JSONWriter.text(of: ["type": "player.load", "vendor": "bambuser", "content": content])
    }

    private func loading(policy: Policy = Policy()) throws -> TestSession {
        var session = try TestSession.staged(policy: policy)
        try session.send(load(["pageURL": "https://shop.example/live"]))
        return session
    }

    private func say(
        _ event: String, _ data: String? = nil, to session: inout TestSession
    ) throws -> Outcome {
        let data = data.map { #","data":\#($0)"# } ?? ""
        return try session.send(
            #"{"type":"bridge","handler":"bambuserEventHandler","#
                + #""body":{"eventName":"player.EVENT.\#(event)"\#(data)}}"#)
    }

    private func calendar(_ data: String) throws -> Outcome {
        var session = try loading()
        return try say("SHOW_ADD_TO_CALENDAR", data, to: &session)
    }

    private func navigate(
        _ phase: String, _ url: String?, in session: inout TestSession
    ) throws -> Outcome {
        var event = JSONObject([.init(key: "type", value: "device.navigation")])
        event.append("phase", .string(phase))
        event.append("url", ifPresent: url.map { .string($0) })
        return try session.send(JSONWriter.text(of: .object(event)))
    }

    // MARK: Messages

    @Test func `a close is the player's, and asks for nothing of the page`() throws {
        var session = try loading()
        _ = try say("READY", to: &session)
        let outcome = try session.send(
            #"{"type":"bridge","handler":"bambuserEventHandler","body":{"#
                + #""eventName":"player.EVENT.CLOSE","message":"The player has been closed!"}}"#)
        #expect(outcome.patch == ["player": ["phase": "closed"], "keepAwake": false])
        #expect(outcome.effects.map(\.order) == [.setKeepAwake(false), .dismissPlayer])
    }

    @Test(arguments: [
        "null", "1", "[]", #""player.EVENT.READY""#, "{}", #"{"eventName":1}"#,
        #"{"eventname":"player.EVENT.READY"}"#,
    ])
    func `a body without a name is malformed`(body: String) throws {
        var session = try loading()
        let outcome = try session.send(
            #"{"type":"bridge","handler":"bambuserEventHandler","body":\#(body)}"#)
        #expect(outcome.kind == .signal)
        #expect(outcome.warnings.map(\.code) == ["bridge.malformed"])
    }

    @Test(arguments: ["", "ready", "READY ", "SHOW_CART", String(repeating: "x", count: 5000)])
    func `an unknown event is a signal`(name: String) throws {
        var session = try loading()
        let outcome = try say(name, to: &session)
        #expect(outcome.kind == .signal)
        #expect(outcome.warnings.map(\.code) == ["bridge.unhandled"])
        #expect(outcome.warnings[0].message.utf8.count < 200)
    }

    // MARK: Calendar

    @Test(arguments: [
        "2026-05-01T18:00:00Z", "2026-05-01T18:00:00.000Z", "2026-05-01T20:00:00+02:00",
        "2026-05-01T18:00:00",
    ])
    func `a start in any zone is one instant`(start: String) throws {
        for duration in ["1800000", #""1800000""#, "1.8e6", "1799999.2"] {
            let outcome = try calendar(
                #"{"title":"Show","start":"\#(start)","duration":\#(duration)}"#)
            #expect(outcome.warnings.isEmpty)
            let effect = JSONWriter.text(of: try #require(outcome.effects.first).json)
            #expect(
                effect.hasSuffix(
                    #""kind":"addToCalendar","title":"Show","start":1777658400000,"#
                        + #""end":1777660200000}"#))
        }
    }

    @Test(arguments: [
        "0", "-1", "-0.5", #""-1""#, #""""#, #"" 5""#, #""5 ms""#, #""1e400""#, "1e400", "true",
        "null", "[1]", "{}", "1e300", "253402300799999",
    ])
    func `a bad duration is refused by its name`(duration: String) throws {
        let outcome = try calendar(
            #"{"title":"x","start":"2026-05-01T18:00:00Z","duration":\#(duration)}"#)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["calendar.invalid"])
        #expect(outcome.warnings[0].message.contains("duration"))
        #expect(!outcome.warnings[0].message.contains("start"))
    }

    @Test(arguments: ["1777658400000", "null", #""tomorrow""#, #""2026-05-01""#, "{}"])
    func `a bad start is refused by its name`(start: String) throws {
        let outcome = try calendar(#"{"title":"x","start":\#(start),"duration":1}"#)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["calendar.invalid"])
        #expect(outcome.warnings[0].message.contains("start"))
        #expect(!outcome.warnings[0].message.contains("duration"))
    }

    @Test(arguments: [nil, "null", "7", "[]", #""text""#, "{}"])
    func `both are named where there is nothing`(data: String?) throws {
        var session = try loading()
        let outcome = try say("SHOW_ADD_TO_CALENDAR", data, to: &session)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["calendar.invalid", "calendar.invalid"])
    }

    @Test func `a title is cut between two characters`() throws {
        // A family of 25 bytes that is one character, and an e with its accent.
        for character in [
            "x", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}", "e\u{301}",
        ] {
            let title = String(repeating: character, count: 1000)
            let outcome = try calendar(
                #"{"title":"\#(title)","start":"2026-05-01T18:00:00Z","duration":1}"#)
            #expect(outcome.warnings.isEmpty)
            let cut = String(repeating: character, count: 200)
            #expect(outcome.effects.first?.json["title"] == .string(cut))
        }
    }

    @Test func `bad fields beside start and duration are left out`() throws {
        let outcome = try calendar(
            #"{"title":7,"start":"2026-05-01T18:00:00Z","duration":1,"url":"ftp://a.example","#
                + #""description":{}}"#)
        #expect(
            outcome.effects.map(\.order) == [
                .addToCalendar(
                    EffectOrder.CalendarEntry(
                        title: "", start: Instant(milliseconds: 1_777_658_400_000),
                        end: Instant(milliseconds: 1_777_658_400_001)))
            ])
        #expect(outcome.warnings.map(\.code) == Array(repeating: "bridge.badField", count: 3))
        let named = outcome.warnings.map { $0.message.prefix { $0 != " " } }
        #expect(named == ["data.title", "data.url", "data.description"])
    }

    @Test func `link and description are kept as they are`() throws {
        let outcome = try calendar(
            #"{"title":"a\nb","start":"2026-05-01T18:00:00Z","duration":1,"#
                + #""url":"HTTPS://shop.example/x?token=t","description":"<b>"}"#)
        #expect(outcome.warnings.isEmpty)
        let effect = try #require(outcome.effects.first).json
        #expect(effect["title"] == "a\nb" && effect["description"] == "<b>")
        #expect(effect["url"] == "HTTPS://shop.example/x?token=t")
    }

    // MARK: Share and product

    @Test(arguments: [
        (#"{"url":"https://shop.example/x"}"#, true), (#"{"url":"HTTP://shop.example"}"#, true),
        ("{}", false), (#"{"url":"javascript:alert(1)"}"#, false), (#"{"url":""}"#, false),
        (#"{"url":"//shop.example"}"#, false), (#"{"url":"https://"}"#, false),
        (#"{"url":"https://a b"}"#, false), (#"{"url":7}"#, false), ("7", false),
        (#"{"URL":"https://shop.example"}"#, false), ("null", false),
        (#""https://shop.example/x""#, false),
    ])
    func `only a web address is shared`(data: String, isShared: Bool) throws {
        var session = try loading()
        let outcome = try say("SHOW_SHARE", data, to: &session)
        #expect(outcome.effects.map(\.order.kind) == (isShared ? ["presentShare"] : []))
        #expect(outcome.warnings.map(\.code) == (isShared ? [] : ["share.noURL"]))
        #expect(outcome.kind == (isShared ? .revision : .unchanged))
    }

    @Test func `the same wish again is another one`() throws {
        var session = try loading()
        for _ in 1...2 {
            let outcome = try say("SHOW_SHARE", #"{"url":"https://a.example"}"#, to: &session)
            #expect(outcome.effects.count == 1)
            session.now = session.now.advanced(byMilliseconds: 300)
        }
        #expect(session.waiting == ["loadPage", "presentShare", "presentShare"])
    }

    @Test(arguments: [#"{"sku":1.50}"#, "[1]", "7", "null", #""{\"a\":1}""#, #""plain""#])
    func `a product is any JSON, passed on as it is`(data: String) throws {
        var session = try loading()
        let outcome = try say("SHOW_PRODUCT_VIEW", data, to: &session)
        #expect(outcome.warnings.isEmpty)
        let effect = JSONWriter.text(of: try #require(outcome.effects.first).json)
        #expect(effect.hasSuffix(#""kind":"showProduct","data":\#(data)}"#))
    }

    @Test(arguments: [
        nil, "1e400", #"{"price":-1e999}"#,
        String(repeating: "[", count: 25) + String(repeating: "]", count: 25),
    ])
    func `a product that cannot be passed on is a bad field`(data: String?) throws {
        var session = try loading()
        let outcome = try say("SHOW_PRODUCT_VIEW", data, to: &session)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.warnings.map(\.code) == ["bridge.badField"])
    }

    // MARK: Navigation

    @Test(arguments: [
        "en-GB", #"a"b\c"#, "</script><script>alert(1)</script>", "\u{2028}\u{2029}\n\u{0}", "'+'",
    ])
    func `each new document is told the language, whatever it is`(locale: String) throws {
        var session = try loading()
        let set = try session.send(
            JSONWriter.text(of: ["type": "locale.set", "locale": .string(locale)]))
        #expect(set.effects.isEmpty)
        let outcome = try navigate("committed", "https://shop.example/live", in: &session)
        let script = try #require(outcome.effects.first?.json["script"]?.string)
        let start = "(function(){window.iosAppConfig="
        let end = ";return true})()"
        #expect(script.hasPrefix(start) && script.hasSuffix(end))
        for mark in ["<", "\u{2028}", "\u{2029}", "\n", "\u{0}"] { #expect(!script.contains(mark)) }
        let json = String(script.dropFirst(start.count).dropLast(end.count))
        #expect(try JSONParser.parse(text: json).root == ["locale": .string(locale)])
    }

    @Test func `without a language a new document is told nothing`() throws {
        var session = try loading()
        let outcome = try navigate("committed", "https://shop.example/live", in: &session)
        #expect(outcome.kind == .unchanged)
    }

    @Test(arguments: [
        ("https://shop.example/privacy", "openURL"),
        ("https://shop.example/a/privacy-b?c", "openURL"),
        ("HTTPS://shop.example/privacy#top", "openURL"),
        ("https://shop.example/?next=/privacy", "navigation.unhandled"),
        ("https://shop.example/#/privacy", "navigation.unhandled"),
        ("https://shop.example/Privacy", "navigation.unhandled"),
        ("https://shop.example/privac", "navigation.unhandled"),
        ("https://privacy.example/", "navigation.unhandled"),
        ("https://shop.example", "navigation.unhandled"),
        ("javascript:location='/privacy'", "navigation.invalid"),
        ("/privacy", "navigation.invalid"),
        ("about:blank", "navigation.invalid"), ("https:///privacy", "navigation.invalid"),
        ("https://shop.example/privacy policy", "navigation.invalid"), ("", "navigation.invalid"),
    ])
    func `a new window is opened by its path`(url: String, result: String) throws {
        var session = try loading()
        let outcome = try navigate("newWindow", url, in: &session)
        let opens = result == "openURL"
        #expect(outcome.effects.map(\.order) == (opens ? [.openURL(url)] : []))
        #expect(outcome.warnings.map(\.code) == (opens ? [] : [result]))
        let kind: Outcome.Kind =
            opens ? .revision : result == "navigation.unhandled" ? .signal : .unchanged
        #expect(outcome.kind == kind)
    }

    @Test func `a new window without an address is invalid`() throws {
        var session = try loading()
        let outcome = try navigate("newWindow", nil, in: &session)
        #expect(outcome.warnings.map(\.code) == ["navigation.invalid"])
    }

    @Test func `the patterns are those of the configuration`() throws {
        var policy = Policy()
        policy.bambuser.openURLPatterns = ["/terms", "é"]
        var session = try loading(policy: policy)
        let expected = [
            ("https://a.example/terms", 1), ("https://a.example/caf\u{E9}", 1),
            ("https://a.example/cafe\u{301}", 0), ("https://a.example/privacy", 0),
        ]
        for (url, count) in expected {
            #expect(try navigate("newWindow", url, in: &session).effects.count == count, "\(url)")
        }
        policy.bambuser.openURLPatterns = []
        session.policy = policy
        #expect(try navigate("newWindow", "https://a.example/terms", in: &session).effects.isEmpty)
    }

    // MARK: Page

    @Test(arguments: [
        (#"{"pageURL":"https://a.example/p"}"#, "https://a.example/p"),
        (
            #"{"pageURL":"https://a.example/p","showId":"a b&c/é"}"#,
            "https://a.example/p?showId=a%20b%26c%2F%C3%A9"
        ),
        (
            #"{"pageURL":"https://a.example/p?x=1#f","showId":"s","mockLive":true}"#,
            "https://a.example/p?x=1&showId=s&mockLiveBambuser=true#f"
        ),
        (
            #"{"pageURL":"https://a.example/p?","mockLive":true}"#,
            "https://a.example/p?mockLiveBambuser=true"
        ),
        (#"{"pageURL":"https://a.example","mockLive":false,"showId":null}"#, "https://a.example"),
    ])
    func `the page's address carries what is to be shown`(content: String, url: String) throws {
        var session = try TestSession.staged()
        let outcome = try session.send(load(try JSONParser.parse(text: content).root))
        let effect = try #require(outcome.effects.first).json
        #expect(effect["url"] == .string(url))
        #expect(effect["html"] == nil && effect["userScripts"] == [])
        #expect(
            effect["webView"] == [
                "allowsInlineMediaPlayback": true, "allowsPictureInPictureMediaPlayback": false,
                "isElementFullscreenEnabled": false, "scrollEnabled": true,
            ])
    }

    @Test(arguments: [
        ("{}", "pageURL"), (#"{"pageURL":7}"#, "pageURL"), (#"{"pageURL":""}"#, "pageURL"),
        (#"{"pageURL":"file:///etc/passwd"}"#, "pageURL"),
        (#"{"pageURL":"javascript:alert(1)"}"#, "pageURL"),
        (#"{"pageURL":"https://a.example","showId":7}"#, "showId"),
        (#"{"pageURL":"https://a.example","showId":""}"#, "showId"),
        (#"{"pageURL":"https://a.example","mockLive":"true"}"#, "mockLive"),
    ])
    func `content that makes no page is refused`(content: String, member: String) throws {
        var session = try TestSession.staged()
        let content = try JSONParser.parse(text: content).root
        let rejection = #expect(throws: Rejection.self) { try session.send(load(content)) }
        #expect(rejection?.code == 422)
        #expect(rejection?.message.hasPrefix("event.invalid: event.content.\(member) ") == true)
    }

    @Test func `no secret of an address gets out`() throws {
        var session = try TestSession.staged()
        let secret = "https://shop.example/privac?token=hunter2"
        var outcomes = [try session.send(load(["pageURL": .string(secret)]))]
        outcomes.append(try navigate("newWindow", secret, in: &session))
        outcomes.append(try navigate("finished", secret, in: &session))
        outcomes.append(try say("SHOW_SHARE", #"{"url":"\#(secret)"}"#, to: &session))
        outcomes.append(try say("SHOW_PRODUCT_VIEW", #"{"url":"\#(secret)"}"#, to: &session))
        outcomes.append(try say("\(secret)", to: &session))
        for outcome in outcomes {
            #expect(!JSONWriter.text(of: outcome.patch).contains("hunter2"))
            #expect(outcome.warnings.allSatisfy { !$0.message.contains("hunter2") })
        }
        #expect(!JSONWriter.text(of: session.viewing.state.json).contains("hunter2"))
        #expect(session.folded == session.viewing.state.json)
    }
}
