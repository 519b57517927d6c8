import Coordinator
import TestSupport
import Testing

/// The Sauceflex page and its messages (contract: domain, section 5.2).
@Suite struct SauceflexBridgeTests {
    static let broadcast = "https://player.sauceflex.com/broadcast/"

    static func ready(
        _ content: String = #"{"liveId":"a"}"#, policy: Policy = Policy()
    ) throws -> TestSession {
        var session = try TestSession.loading("sauceflex", content, policy: policy)
        try session.post("sauceflexEnter")
        return session
    }

    @Test func `the page is the broadcast, with media inside, a small window and scrolling`() throws
    {
        var session = try TestSession.staged()
        let outcome = try session.load("sauceflex", #"{"liveId":"a"}"#)
        #expect(
            outcome.orders == [
                [
                    "kind": "loadPage", "page": 1,
                    "url": "https://player.sauceflex.com/broadcast/a", "userScripts": [],
                    "webView": [
                        "allowsInlineMediaPlayback": true,
                        "allowsPictureInPictureMediaPlayback": true,
                        "isElementFullscreenEnabled": false, "scrollEnabled": true,
                    ],
                ]
            ])
        #expect(
            outcome.patch == [
                "vendor": "sauceflex",
                "player": [
                    "phase": "loading", "page": 1, "content": ["liveId": "a"],
                    "url": "https://player.sauceflex.com/broadcast/a",
                ],
            ])
    }

    @Test(arguments: [
        ("a b/c", "a%20b%2Fc"), ("é", "%C3%A9"), ("Live-1_2.3~", "Live-1_2.3~"),
        ("../x", "..%2Fx"), ("...", "..."), ("%2e%2e", "%252e%252e"),
        ("x?accessToken=t#y", "x%3FaccessToken%3Dt%23y"),
        ("</script>\u{2028}", "%3C%2Fscript%3E%E2%80%A8"),
    ])
    func `whatever the live id is, it is one segment of the path`(
        id: String, encoded: String
    ) throws {
        let content = JSONWriter.text(of: ["liveId": .string(id)])
        let session = try TestSession.loading("sauceflex", content)
        #expect(session.viewing.state.player.url == Self.broadcast + encoded)
    }

    @Test(arguments: [
        ("{}", "event.content.liveId is missing"),
        (#"{"liveId":null}"#, "event.content.liveId is missing"),
        (#"{"liveId":7}"#, "event.content.liveId must be a string, not a number"),
        (#"{"liveId":""}"#, "event.content.liveId is empty"),
        (#"{"liveId":"."}"#, "event.content.liveId must not be ."),
        (#"{"liveId":".."}"#, "event.content.liveId must not be .."),
        (
            #"{"liveId":"a","accessToken":{}}"#,
            "event.content.accessToken must be a string, not an object"
        ),
    ])
    func `content without a usable live id or token is refused`(
        content: String, why: String
    ) throws {
        var session = try TestSession.staged()
        let before = session.viewing
        #expect(throws: Rejection(code: 422, message: "event.invalid: \(why)")) {
            try session.load("sauceflex", content)
        }
        #expect(session.viewing == before)
    }

    @Test func `an empty token is none`() throws {
        var session = try TestSession.staged()
        let outcome = try session.load("sauceflex", #"{"liveId":"a","accessToken":""}"#)
        #expect(outcome.orders.first?["url"] == "https://player.sauceflex.com/broadcast/a")
    }

    @Test func `entering makes it ready, and again does nothing`() throws {
        var session = try TestSession.loading("sauceflex", #"{"liveId":"a"}"#)
        #expect(try session.navigate("finished").kind == .unchanged)
        let outcome = try session.post("sauceflexEnter", "null")
        #expect(outcome.patch == ["player": ["phase": "ready"], "keepAwake": true])
        #expect(outcome.orders == [["kind": "setKeepAwake", "on": true, "refreshSeconds": 10]])
        #expect(try session.post("sauceflexEnter", #""again""#).kind == .unchanged)
    }

    @Test func `leaving closes the player and dismisses it`() throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexMoveExit", #""bye""#)
        #expect(outcome.patch == ["player": ["phase": "closed"], "keepAwake": false])
        #expect(
            outcome.orders == [
                ["kind": "setKeepAwake", "on": false, "refreshSeconds": 10],
                ["kind": "dismissPlayer"],
            ])
        #expect(try session.reason(TestSession.message("sauceflexMoveExit")) == "session.closed")
    }

    @Test func `leaving before the page was ready lets it enter once, without any effect`() throws {
        var session = try TestSession.loading("sauceflex", #"{"liveId":"a"}"#)
        try session.send(#"{"type":"pip.button","visible":true}"#)
        try session.post("sauceflexMoveExit")
        let late = try session.post("sauceflexEnter")
        #expect(late.kind == .unchanged)
        #expect(late.effects.isEmpty)
        #expect(try session.reason(TestSession.message("sauceflexEnter")) == "session.closed")
    }

    @Test(arguments: [
        (#"{"id":1,"price":12.50}"#, #"{"id":1,"price":12.50}"#),
        (#""{\"id\":1,\"price\":12.50}""#, #"{"id":1,"price":12.50}"#),
        (#""[1,null]""#, "[1,null]"), (#""null""#, "null"), (#""7""#, "7"),
        (#""\"text\"""#, #""text""#), ("{}", "{}"),
        (#"{"a":"https://a.example/?token=S3CRET"}"#, #"{"a":"https://a.example/?token=S3CRET"}"#),
    ])
    func `a product is an object or what a text of JSON says`(body: String, data: String) throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexMoveProduct", body)
        let data = try JSONParser.parse(text: data).root
        #expect(outcome.orders == [["kind": "showProduct", "data": data]])
        #expect(outcome.patch == [:])
        #expect(outcome.codes.isEmpty)
        try session.restart()
        #expect(session.viewing.memory.outbox.effects.last?.order == .showProduct(data))
    }

    @Test(arguments: [
        "null", "true", "7", "[1]", #""""#, #""product""#, #""{\"a\":1""#, #""{\"a\":1,\"a\":1}""#,
        #""\"\\ud800\"""#, #""{\"a\":1e400}""#, #"{"a":{"b":[1e400]}}"#,
        #""\#(String(repeating: "[", count: 25))\#(String(repeating: "]", count: 25))""#,
    ])
    func `any other product is a bad field`(body: String) throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexMoveProduct", body)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.codes == ["bridge.badField"])
    }

    private static let badAddresses = [
        "", "shop", "//a.example", "ftp://a.example/", "javascript:alert(1)", "https://",
        "https:a.example", "https:///x", "https://a.example/a b", "https://a.example/\u{0}",
        " https://a.example/", "http://:80/", "data:text/html,x",
    ]

    @Test(arguments: [
        #"{"linkUrl":"https://a.example/x?b=1","shortUrl":"https://b.example/"}"#,
        #""{\"linkUrl\":\"https:\/\/a.example\/x?b=1\"}""#, #""https://a.example/x?b=1""#,
        #"{"linkUrl":"https://a.example/x?b=1","price":1e400}"#,
    ])
    func `an address is shared, however it comes`(body: String) throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexOnShare", body)
        #expect(outcome.orders == [["kind": "presentShare", "url": "https://a.example/x?b=1"]])
        #expect(outcome.patch == [:])
    }

    @Test(arguments: [
        "null", "7", "[]", "{}", #""{""#, #"{"linkUrl":7}"#, #"{"linkUrl":null}"#,
        #"{"shortUrl":"https://a.example/"}"#, #"["https://a.example/"]"#,
        #""{\"linkUrl\":\"https://a.example/\",\"linkUrl\":\"https://b.example/\"}""#,
    ])
    func `without an address there is nothing to share`(body: String) throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexOnShare", body)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.codes == ["share.noURL"])
    }

    @Test(arguments: badAddresses)
    func `what is no web address is neither shared nor opened`(address: String) throws {
        var session = try Self.ready()
        let text = JSONWriter.text(of: .string(address))
        let body = JSONWriter.text(of: ["linkUrl": .string(address)])
        for body in [text, body] {
            #expect(try session.post("sauceflexOnShare", body).codes == ["share.noURL"])
            #expect(try session.post("sauceflexMoveBanner", body).codes == ["openURL.invalid"])
        }
        #expect(session.waiting == ["loadPage", "setKeepAwake"])
    }

    @Test func `the configuration chooses what is shared`() throws {
        var policy = Policy()
        policy.sauceflex.shareField = "shortUrl"
        var session = try Self.ready(policy: policy)
        let body = #"{"linkUrl":"https://a.example/","shortUrl":"https://b.example/"}"#
        let outcome = try session.post("sauceflexOnShare", body)
        #expect(outcome.orders == [["kind": "presentShare", "url": "https://b.example/"]])
        let without = try session.post("sauceflexOnShare", #"{"linkUrl":"https://a.example/"}"#)
        #expect(without.codes == ["share.noURL"])
    }

    @Test(arguments: [
        #"{"bannerId":1,"linkUrl":"HTTP://a.example","broadcastIdx":"x"}"#,
        #""{\"linkUrl\":\"HTTP://a.example\"}""#,
    ])
    func `a banner opens its address`(body: String) throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexMoveBanner", body)
        #expect(outcome.orders == [["kind": "openURL", "url": "HTTP://a.example"]])
    }

    @Test func `a bare address is no banner`() throws {
        var session = try Self.ready()
        let outcome = try session.post("sauceflexMoveBanner", #""https://a.example/""#)
        #expect(outcome.kind == .unchanged)
        #expect(outcome.codes == ["openURL.invalid"])
    }

    @Test(arguments: ["null", "7", #""text""#, "{}", #"{"type":"init"}"#, "[1e400]"])
    func `a free message is a signal without a warning`(body: String) throws {
        var session = try Self.ready()
        let outcome = try session.post("bridge", body)
        #expect(outcome.kind == .signal)
        #expect(outcome.codes.isEmpty)
    }

    @Test func `a name of the configuration says not which message it is`() throws {
        var policy = Policy()
        policy.handlers = ["shopExit": .sauceflex]
        var session = try Self.ready(policy: policy)
        let outcome = try session.post("shopExit")
        #expect(outcome.kind == .signal)
        #expect(outcome.codes == ["bridge.unhandled"])
    }

    @Test func `another vendor's message is refused`() throws {
        var session = try Self.ready()
        let other = TestSession.message("gsVideoPlayerBridge", #"{"type":"init"}"#)
        #expect(try session.reason(other) == "vendor.other")
        var genius = try TestSession.ready()
        #expect(try genius.reason(TestSession.message("bridge")) == "vendor.other")
    }
}
