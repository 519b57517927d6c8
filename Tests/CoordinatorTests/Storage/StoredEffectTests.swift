import Coordinator
import TestSupport
import Testing

@Suite struct StoredEffectTests {
    /// A page as the rules make it.
    private static func page() throws -> Page {
        var session = try TestSession.staged()
        try session.send(
            #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1"}}"#)
        guard case .loadPage(let page) = session.viewing.memory.outbox.effects.first?.order else {
            throw StorageFault("no page")
        }
        return page
    }

    private static func orders() throws -> [EffectOrder] {
        let state = try SessionState(stored: try JSONParser.parse(text: StoredSamples.state).root)
        let toast = try #require(state.toast)
        var html = try page()
        html.userScripts = ["one()", "two()"]
        var url = html
        url.source = .url("https://a.example/?accessToken=hunter2")
        url.baseURL = nil
        url.userScripts = []
        url.webView.inlineMedia = false
        url.webView.pictureInPicture = true
        url.webView.elementFullscreen = true
        url.webView.scrolling = true
        let entry = EffectOrder.CalendarEntry(
            title: "t", start: Instant(milliseconds: 1), end: Instant(milliseconds: 2),
            url: "https://a.example/", description: "d")
        let bare = EffectOrder.CalendarEntry(
            title: "", start: Instant(milliseconds: -1), end: Instant(milliseconds: 0))
        return [
            .loadPage(html), .loadPage(url), .evaluateJavaScript(.fullscreen, "a()"),
            .evaluateJavaScript(.close, "b(\"\u{2028}\")"), .setFullscreen(true),
            .setFullscreen(false), .requestOrientation(.portraitUpsideDown), .hideKeyboard,
            .setKeepAwake(true), .setKeepAwake(false), .reportFacts,
            .placeBet(id: "p1", state.betslip), .placeBet(id: "", SessionState().betslip),
            .showToast(toast), .dismissPlayer,
            .evaluateJavaScript(.widget(selector: "#a:b"), "c()", afterMilliseconds: 500),
            .evaluateJavaScript(.widget(selector: ""), "c()"), .evaluateJavaScript(.theme, ""),
            .evaluateJavaScript(.locale, "d"), .evaluateJavaScript(.pipButton, "e"),
            .evaluateJavaScript(.pipOverlay, "f"), .evaluateJavaScript(.appConfig, "g"),
            .startPictureInPicture, .stopPictureInPicture, .presentPlayer,
            .presentShare(url: "https://a.example/?token=hunter2"),
            .presentLogin(returnURL: "https://a.example/"), .openURL("https://a.example/x"),
            .showProduct(["a": .null, "b": [.null, 1]]), .showProduct(.null),
            .showItem(target: "match", data: ["id": 1]), .showItem(target: "", data: nil),
            .addToCalendar(entry), .addToCalendar(bare),
        ]
    }

    private static func outbox(_ order: EffectOrder) -> SessionMemory {
        var memory = SessionMemory()
        _ = memory.outbox.nextSeq()
        _ = memory.outbox.append(order, rev: 7, limit: 64)
        return memory
    }

    @Test func `every order comes back`() throws {
        let vault = try StoredMirror.vault()
        for order in try Self.orders() {
            let memory = Self.outbox(order)
            let bytes = JSONWriter.bytes(of: memory.document(vault))
            let restored = try SessionMemory(stored: try StoredMirror.parse(bytes), vault)
            #expect(restored == memory)
        }
    }

    @Test func `orders with somebody else's text are sealed and all others are open`() throws {
        let vault = try StoredMirror.vault()
        for order in try Self.orders() {
            let effect = Self.outbox(order).document(vault)["outbox"]?["effects"]?["2"]?.object
            let names = effect?.members.map(\.key)
            switch order {
            case .loadPage, .evaluateJavaScript, .presentShare, .presentLogin, .openURL,
                .showProduct, .showItem, .addToCalendar:
                #expect(names == ["rev", "kind", "sealed"])
            case .setFullscreen, .setKeepAwake: #expect(names == ["rev", "kind", "on"])
            case .requestOrientation: #expect(names == ["rev", "kind", "orientation"])
            case .placeBet: #expect(names == ["rev", "kind", "placementId", "slip"])
            case .showToast: #expect(names == ["rev", "kind", "toast"])
            case .hideKeyboard, .reportFacts, .dismissPlayer, .startPictureInPicture,
                .stopPictureInPicture, .presentPlayer:
                #expect(names == ["rev", "kind"])
            }
        }
    }

    @Test func `an outbox that only counts is stored`() throws {
        let vault = try StoredMirror.vault()
        var memory = SessionMemory()
        _ = memory.outbox.nextSeq()
        #expect(memory.document(vault) == ["outbox": ["last": 1]])
        #expect(try SessionMemory(stored: memory.document(vault), vault) == memory)
    }
}
