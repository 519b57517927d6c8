/// Something the stage device must do; always "set", never "toggle" (contract: domain, section 6).
package struct Effect: Sendable, Equatable {
    /// Increases within a session; merged effects leave gaps.
    package var seq: UInt64
    /// The revision that asked for it.
    package var rev: UInt64
    /// What to do.
    package let order: EffectOrder
    /// Bytes that it takes in the outbox; a little more for what is short.
    package let weight: Int

    /// An effect under its number.
    package init(seq: UInt64, rev: UInt64, order: EffectOrder) {
        self.seq = seq
        self.rev = rev
        self.order = order
        weight = order.weight
    }

    /// The effect as the stage receives it.
    package var json: JSON {
        var object = JSONObject()
        object.append("seq", .integer(seq))
        object.append("rev", .integer(rev))
        object.append("kind", .string(order.kind))
        for member in order.fields.members { object.append(member.key, member.value) }
        return .object(object)
    }
}

/// What an effect asks for, one case per kind.
package enum EffectOrder: Sendable, Equatable {
    /// Load a page into the web view.
    case loadPage(Page)
    /// Evaluate a script in the page; the text is safe for any page.
    case evaluateJavaScript(Script, String, afterMilliseconds: Int? = nil)
    /// Show the player in full screen, or inline again.
    case setFullscreen(Bool)
    /// Ask the system to draw the screen this way.
    case requestOrientation(InterfaceOrientation)
    /// Hide the keyboard.
    case hideKeyboard
    /// Keep the device awake, or no longer.
    case setKeepAwake(Bool)
    /// Send a full report of facts.
    case reportFacts
    /// Place the bet on this slip, with the id as the book's idempotency key; told once.
    case placeBet(id: String, BetslipState)
    /// Show a short notice until its time.
    case showToast(Toast)
    /// Let the picture go into a small window.
    case startPictureInPicture
    /// Take the small window away.
    case stopPictureInPicture
    /// Show the player's view again.
    case presentPlayer
    /// Offer an address for sharing.
    case presentShare(url: String)
    /// Let the viewer log in; the page comes back to `returnURL`.
    case presentLogin(returnURL: String)
    /// Open an address outside the player.
    case openURL(String)
    /// Show a product, as the page described it.
    case showProduct(JSON)
    /// Show what was tapped in a widget.
    case showItem(target: String, data: JSON?)
    /// Offer an entry for the calendar.
    case addToCalendar(CalendarEntry)
    /// Take the player's view away.
    case dismissPlayer

    /// Which script it is; a later one of the same name replaces an earlier one.
    package enum Script: Sendable, Equatable {
        case fullscreen, close, theme, locale, pipButton, pipOverlay, appConfig
        case widget(selector: String)

        private static let widgetPrefix = "widget:"
        private static let plain: [Script] = [
            .fullscreen, .close, .theme, .locale, .pipButton, .pipOverlay, .appConfig,
        ]

        /// The name in merge keys and in the store.
        package var name: String {
            switch self {
            case .fullscreen: "fullscreen"
            case .close: "close"
            case .theme: "theme"
            case .locale: "locale"
            case .pipButton: "pipButton"
            case .pipOverlay: "pipOverlay"
            case .appConfig: "appConfig"
            case .widget(let selector): Self.widgetPrefix + selector
            }
        }

        /// The script of a name; nil for a name that no script has.
        package init?(name: String) {
            if name.hasPrefix(Self.widgetPrefix) {
                self = .widget(selector: String(name.dropFirst(Self.widgetPrefix.count)))
            } else if let script = Self.plain.first(where: { $0.name == name }) {
                self = script
            } else {
                return nil
            }
        }
    }

    /// An entry for the viewer's calendar (contract: domain, section 5.5).
    package struct CalendarEntry: Sendable, Equatable {
        /// At most 200 characters.
        package var title: String
        /// When it begins.
        package var start: Instant
        /// When it ends, later than its start.
        package var end: Instant
        /// An http(s) address.
        package var url: String?
        /// Whatever the page says about it.
        package var description: String?

        /// An entry with what every one has.
        package init(
            title: String, start: Instant, end: Instant, url: String? = nil,
            description: String? = nil
        ) {
            self.title = title
            self.start = start
            self.end = end
            self.url = url
            self.description = description
        }

        var fields: JSONObject {
            var object = JSONObject()
            object.append("title", .string(title))
            object.append("start", .integer(start.milliseconds))
            object.append("end", .integer(end.milliseconds))
            object.append("url", ifPresent: url.map { .string($0) })
            object.append("description", ifPresent: description.map { .string($0) })
            return object
        }
    }

    /// Seconds after which the device asserts keep-awake again by itself.
    private static let keepAwakeRefreshSeconds = 10

    /// The kind's name.
    package var kind: String {
        switch self {
        case .loadPage: "loadPage"
        case .evaluateJavaScript: "evaluateJavaScript"
        case .setFullscreen: "setFullscreen"
        case .requestOrientation: "requestOrientation"
        case .hideKeyboard: "hideKeyboard"
        case .setKeepAwake: "setKeepAwake"
        case .reportFacts: "reportFacts"
        case .placeBet: "placeBet"
        case .showToast: "showToast"
        case .startPictureInPicture: "startPictureInPicture"
        case .stopPictureInPicture: "stopPictureInPicture"
        case .presentPlayer: "presentPlayer"
        case .presentShare: "presentShare"
        case .presentLogin: "presentLogin"
        case .openURL: "openURL"
        case .showProduct: "showProduct"
        case .showItem: "showItem"
        case .addToCalendar: "addToCalendar"
        case .dismissPlayer: "dismissPlayer"
        }
    }

    /// Effects of the same key replace each other in the outbox; nil for those that all count
    /// (contract: domain, section 4.7).
    package var mergeKey: String? {
        switch self {
        case .setFullscreen, .setKeepAwake, .requestOrientation: kind
        case .evaluateJavaScript(let script, _, _): "evaluateJavaScript.\(script.name)"
        case .loadPage, .hideKeyboard, .reportFacts, .placeBet, .showToast, .startPictureInPicture,
            .stopPictureInPicture, .presentPlayer, .presentShare, .presentLogin, .openURL,
            .showProduct, .showItem, .addToCalendar, .dismissPlayer:
            nil
        }
    }

    /// What is short is not written down to be counted.
    private static let shortWeight = 256

    fileprivate var weight: Int {
        switch self {
        case .setFullscreen, .requestOrientation, .hideKeyboard, .setKeepAwake, .reportFacts,
            .startPictureInPicture, .stopPictureInPicture, .presentPlayer, .dismissPlayer,
            .showToast:
            Self.shortWeight
        case .evaluateJavaScript(_, let script, _) where script.utf8.count < Self.shortWeight:
            2 * Self.shortWeight
        case .loadPage, .evaluateJavaScript, .placeBet, .presentShare, .presentLogin, .openURL,
            .showProduct, .showItem, .addToCalendar:
            Self.shortWeight + JSONWriter.bytes(of: .object(fields)).count
        }
    }

    fileprivate var fields: JSONObject {
        switch self {
        case .loadPage(let page): return page.fields
        case .evaluateJavaScript(_, let script, let delay):
            var object = JSONObject([.init(key: "script", value: .string(script))])
            object.append("afterMs", ifPresent: delay.map { .integer($0) })
            return object
        case .setFullscreen(let on):
            return JSONObject([.init(key: "on", value: .bool(on))])
        case .requestOrientation(let orientation):
            return JSONObject([.init(key: "orientation", value: .string(orientation.rawValue))])
        case .setKeepAwake(let on):
            return JSONObject([
                .init(key: "on", value: .bool(on)),
                .init(key: "refreshSeconds", value: .integer(Self.keepAwakeRefreshSeconds)),
            ])
        case .placeBet(let id, let slip):
            var object = JSONObject()
            object.append("placementId", .string(id))
            object.append("selections", .array(slip.selections.map(\.json)))
            object.append("stake", ifPresent: slip.stake?.json)
            object.append("totals", ifPresent: slip.totals?.json)
            return object
        case .showToast(let toast):
            return JSONObject([
                .init(key: "toast", value: .string(toast.kind)),
                .init(key: "until", value: .integer(toast.until.milliseconds)),
            ])
        case .presentShare(let url), .openURL(let url):
            return JSONObject([.init(key: "url", value: .string(url))])
        case .presentLogin(let url):
            return JSONObject([.init(key: "returnURL", value: .string(url))])
        case .showProduct(let data): return JSONObject([.init(key: "data", value: data)])
        case .showItem(let target, let data):
            var object = JSONObject([.init(key: "target", value: .string(target))])
            object.append("data", ifPresent: data)
            return object
        case .addToCalendar(let entry): return entry.fields
        case .hideKeyboard, .reportFacts, .startPictureInPicture, .stopPictureInPicture,
            .presentPlayer, .dismissPlayer:
            return JSONObject()
        }
    }
}

/// A page for the web view (contract: domain, section 4.6, `loadPage`).
package struct Page: Sendable, Equatable {
    /// Where the page comes from.
    package enum Source: Sendable, Equatable {
        /// An address to navigate to.
        case url(String)
        /// The page's text.
        case html(String)
    }

    /// How the web view is set up for a vendor (contract: domain, section 5, first table).
    package struct WebView: Sendable, Equatable {
        /// Whether media plays inside the page.
        package var inlineMedia = true
        /// Whether media may go into picture-in-picture.
        package var pictureInPicture = false
        /// Whether an element of the page may go full screen by itself.
        package var elementFullscreen = false
        /// Whether the page scrolls.
        package var scrolling = false
    }

    /// Generation of the web page.
    package var generation: UInt64
    /// Where the page comes from.
    package var source: Source
    /// The address that the page's HTML counts as coming from.
    package var baseURL: String?
    /// Sources of scripts that run at the document's end in the main frame.
    package var userScripts: [String] = []
    /// How the web view is set up.
    package var webView = WebView()

    fileprivate var fields: JSONObject {
        var object = JSONObject()
        object.append("page", .integer(generation))
        switch source {
        case .url(let url): object.append("url", .string(url))
        case .html(let html): object.append("html", .string(html))
        }
        object.append("baseURL", ifPresent: baseURL.map { .string($0) })
        object.append(
            "userScripts",
            .array(
                userScripts.map {
                    [
                        "source": .string($0), "injectionTime": "documentEnd",
                        "mainFrameOnly": true,
                    ]
                }))
        object.append(
            "webView",
            [
                "allowsInlineMediaPlayback": .bool(webView.inlineMedia),
                "allowsPictureInPictureMediaPlayback": .bool(webView.pictureInPicture),
                "isElementFullscreenEnabled": .bool(webView.elementFullscreen),
                "scrollEnabled": .bool(webView.scrolling),
            ])
        return object
    }
}
