import Coordinator
import TestSupport
import Testing

/// The viewer's token, and other secrets of the Sauceflex page (contract: domain, sections 4.6, 5.2).
@Suite struct SauceflexLoginTests {
    private static let token = "S3CRET/+"
    private static let login = #"{"type":"login.complete","accessToken":"S3CRET/+"}"#
    private static let url = "https://player.sauceflex.com/broadcast/a"
    private static let openURL = JSON.string(url + "?accessToken=S3CRET%2F%2B")

    /// A session whose viewer has logged in; the page with the token is loading.
    private static func loggedIn() throws -> TestSession {
        var session = try SauceflexBridgeTests.ready()
        try session.post("sauceflexMoveLogin")
        try session.send(login)
        return session
    }

    @Test func `a login is asked for, and its token loads the page again`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.send(#"{"type":"fullscreen.set","on":true}"#)
        let asked = try session.post("sauceflexMoveLogin", #""any""#)
        #expect(asked.patch == ["player": ["login": "required"]])
        #expect(asked.orders == [["kind": "presentLogin", "returnURL": .string(Self.url)]])
        let outcome = try session.send(Self.login)
        #expect(
            outcome.patch == [
                "player": ["phase": "loading", "page": 2, "login": .null], "keepAwake": false,
            ])
        #expect(outcome.effects.map(\.order.kind) == ["loadPage", "setKeepAwake"])
        #expect(outcome.orders.first?["url"] == Self.openURL)
        #expect(session.viewing.state.presentation.mode == .fullscreen)
        #expect(!(try session.shown(Self.login, outcome)).contains("S3CRET"))
        #expect(try session.post("sauceflexEnter").effects.map(\.order.kind) == ["setKeepAwake"])
        #expect(try session.reason(Self.login) == "login.notRequired")
    }

    @Test func `a login that is asked for again is offered again`() throws {
        var session = try SauceflexBridgeTests.ready()
        try session.post("sauceflexMoveLogin")
        let again = try session.post("sauceflexMoveLogin")
        #expect(again.patch == [:])
        #expect(again.effects.map(\.order.kind) == ["presentLogin"])
    }

    @Test func `the address to come back to has no old token`() throws {
        var session = try SauceflexBridgeTests.ready(#"{"liveId":"a","accessToken":"0LD"}"#)
        let outcome = try session.post("sauceflexMoveLogin")
        #expect(outcome.orders == [["kind": "presentLogin", "returnURL": .string(Self.url)]])
        #expect(try session.send(Self.login).orders.first?["url"] == Self.openURL)
    }

    @Test func `nothing can be logged in for where nothing was loaded`() throws {
        var session = try TestSession.staged()
        try session.post("sauceflexEnter")
        let outcome = try session.post("sauceflexMoveLogin")
        #expect(outcome.orders == [["kind": "presentLogin", "returnURL": ""]])
        #expect(try session.reason(Self.login) == "login.noContent")
        #expect(
            try session.reason(#"{"type":"login.complete","accessToken":""}"#) == "event.invalid")
    }

    @Test func `a take-over, a dead web process and a restart remember the token`() throws {
        var session = try Self.loggedIn()
        try session.restart()
        let death = try session.navigate("terminated")
        #expect(death.orders.first?["url"] == Self.openURL)
        try session.post("sauceflexEnter")
        try session.take("tv")
        try session.restart()
        let attached = try session.attach("tv")
        #expect(attached.orders == [death.orders[0]].map { Self.page(4, $0) })
        #expect(session.viewing.state.player.login == nil)
    }

    private static func page(_ number: Int, _ order: JSON) -> JSON {
        var object = order.object ?? JSONObject()
        object["page"] = .integer(number)
        return .object(object)
    }

    @Test func `a load as before is one without the token`() throws {
        var session = try Self.loggedIn()
        let outcome = try session.load("sauceflex", #"{"liveId":"a"}"#)
        #expect(outcome.orders.first?["url"] == .string(Self.url))
    }

    @Test func `no token can be read where it is stored`() throws {
        var session = try SauceflexBridgeTests.ready()
        var mirror = try StoredMirror(session.viewing)
        try session.post("sauceflexMoveLogin")
        try mirror.fold(session.viewing)
        try session.send(Self.login)
        try mirror.fold(session.viewing)
        try session.post("sauceflexOnShare", #"{"linkUrl":"https://a.example/?token=S3CRET"}"#)
        try mirror.fold(session.viewing)
        try mirror.check("after the login")
        let written = mirror.written.map { String(decoding: $0, as: UTF8.self) }
        #expect(!written.contains { $0.contains("S3CRET") })
    }

    @Test(arguments: [
        ("sauceflexOnShare", #"{"linkUrl":"https://a.example/?q=1&token=S3CRET"}"#),
        ("sauceflexOnShare", #""https://a.example/?q=1&token=S3CRET""#),
        ("sauceflexOnShare", #""{\"linkUrl\":\"https://a.example/?q=1&token=S3CRET\"}""#),
        (
            "sauceflexOnShare",
            #""{\"linkUrl\":\"https://a.example/?q=1\\u0026token\\u003dS3CRET\"}""#
        ),
        ("sauceflexMoveBanner", #"{"linkUrl":"https://a.example/?q=1&token=S3CRET"}"#),
        (
            "sauceflexMoveBanner",
            #""{\"linkUrl\":\"\\u0068ttps:\\u002f/a.example/\\u003fq=1&t\\u006fken=S3CRET\"}""#
        ),
    ])
    func `only the stage sees the secrets of an address`(handler: String, body: String) throws {
        var session = try SauceflexBridgeTests.ready()
        let event = TestSession.message(handler, body)
        let outcome = try session.send(event)
        #expect(outcome.orders.first?["url"] == "https://a.example/?q=1&token=S3CRET")
        #expect(!(try session.shown(event, outcome)).contains("S3CRET"))
    }

    @Test(arguments: [
        ("sauceflexMoveProduct", #""https://a.example/?token=S3CRET""#),
        ("sauceflexOnShare", #"{"linkUrl":"https://a example/?token=S3CRET"}"#),
        ("sauceflexMoveBanner", #"{"linkUrl":"https://a example/?token=S3CRET"}"#),
        ("bridge", #"{"see":["https://a.example/?token=S3CRET"]}"#),
    ])
    func `a message that comes to nothing tells no secret`(handler: String, body: String) throws {
        var session = try SauceflexBridgeTests.ready()
        let event = TestSession.message(handler, body)
        #expect(!(try session.shown(event, try session.send(event))).contains("S3CRET"))
    }

    @Test func `the page's own token is a secret whatever the configuration names`() throws {
        var policy = Policy()
        policy.secretQueryParameters = ["sid"]
        var session = try TestSession.staged(policy: policy)
        let load =
            #"{"type":"player.load","vendor":"sauceflex","content":{"liveId":"a","accessToken":"S3CRET"}}"#
        let loaded = try session.send(load)
        #expect(!(try session.shown(load, loaded)).contains("S3CRET"))
        let event =
            #"{"type":"device.navigation","phase":"finished","url":"\#(Self.url)?accessToken=S3CRET"}"#
        #expect(!(try session.shown(event, try session.send(event))).contains("S3CRET"))
    }
}
