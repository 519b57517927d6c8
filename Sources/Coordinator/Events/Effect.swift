/// Something the stage device must do; always "set", never "toggle" (contract: domain, section 6).
package struct Effect: Sendable, Equatable {
    /// Increases within a session; merged effects leave gaps.
    package var seq: UInt64
    /// The revision that asked for it.
    package var rev: UInt64
    /// What to do.
    package var order: EffectOrder

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
    case evaluateJavaScript(Script, String)
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
    /// Take the player's view away.
    case dismissPlayer

    /// Which script it is; a later one of the same name replaces an earlier one.
    package enum Script: String, Sendable {
        case fullscreen, close
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
        case .dismissPlayer: "dismissPlayer"
        }
    }

    /// Effects of the same key replace each other in the outbox; nil for those that all count
    /// (contract: domain, section 4.7).
    package var mergeKey: String? {
        switch self {
        case .setFullscreen, .setKeepAwake, .requestOrientation: kind
        case .evaluateJavaScript(let script, _): "evaluateJavaScript.\(script.rawValue)"
        case .loadPage, .hideKeyboard, .reportFacts, .placeBet, .showToast, .dismissPlayer: nil
        }
    }

    fileprivate var fields: JSONObject {
        switch self {
        case .loadPage(let page): return page.fields
        case .evaluateJavaScript(_, let script):
            return JSONObject([.init(key: "script", value: .string(script))])
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
        case .hideKeyboard, .reportFacts, .dismissPlayer: return JSONObject()
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
