extension Vendor {
    /// Bambuser, live shopping on a page of the shop.
    package static let bambuser = Vendor(rawValue: "bambuser")
}

/// Bambuser: one handler, bodies of `eventName` and `data` (contract: domain, section 5.5).
///
/// | `player.EVENT.` | does |
/// | --- | --- |
/// | `READY` | ready |
/// | `CLOSE` | closes the player |
/// | `SHOW_ADD_TO_CALENDAR` | the app offers an entry for the calendar |
/// | `SHOW_SHARE` | the app offers an address for sharing |
/// | `SHOW_PRODUCT_VIEW` | the app shows a product |
struct BambuserBridge: Bridge {
    let traits = {
        var traits = VendorTraits(vendor: .bambuser, handlers: ["bambuserEventHandler"])
        traits.webView.scrolling = true
        return traits
    }()

    /// What the page may say.
    private enum PageEvent: String {
        case ready = "player.EVENT.READY"
        case close = "player.EVENT.CLOSE"
        case calendar = "player.EVENT.SHOW_ADD_TO_CALENDAR"
        case share = "player.EVENT.SHOW_SHARE"
        case product = "player.EVENT.SHOW_PRODUCT_VIEW"
    }

    func script(for change: PageChange, policy: Policy) -> String? {
        switch change {
        case .appConfig(let locale):
            let configuration = ScriptText.json(["locale": .string(locale)])
            return "(function(){window.iosAppConfig=\(configuration);return true})()"
        case .fullscreen, .close, .theme, .locale, .pipButton, .pipOverlay, .widget: return nil
        }
    }

    func isReady(_ message: BridgeMessage) -> Bool {
        message.body["eventName"]?.string == PageEvent.ready.rawValue
    }

    func receive(_ message: BridgeMessage, in transition: inout Transition) {
        guard let name = message.body["eventName"]?.string else {
            transition.isSignal = true
            return transition.warn("bridge.malformed", "the body is no object with an eventName")
        }
        let data = message.body["data"]
        switch PageEvent(rawValue: name) {
        case .ready: transition.becomeReady()
        case .close: transition.closePlayer(dismisses: true)
        case .calendar: addToCalendar(data?.object ?? JSONObject(), in: &transition)
        case .share: share(data?["url"], in: &transition)
        case .product: showProduct(data, in: &transition)
        case nil:
            transition.isSignal = true
            transition.warn("bridge.unhandled", "the event \(name.prefix(64)) is unknown")
        }
    }

    /// Characters of a title (contract: domain, section 5.5).
    private static let titleLimit = 200

    private func addToCalendar(_ data: JSONObject, in transition: inout Transition) {
        let start = data["start"]?.string.flatMap { Instant(iso8601: $0) }
        if start == nil {
            transition.warn("calendar.invalid", "data.start is no date and time of ISO 8601")
        }
        // Without a start the length is judged all the same.
        let end = end(of: start ?? Instant(milliseconds: 0), duration: data["duration"])
        if end == nil {
            transition.warn(
                "calendar.invalid", "data.duration is no number of milliseconds above 0")
        }
        guard let start, let end else { return }
        var fields = BridgeFields(data, of: "data")
        let title = fields.requiredText("title") ?? ""
        var entry = EffectOrder.CalendarEntry(
            title: String(title.prefix(Self.titleLimit)), start: start, end: end)
        entry.url = fields.address("url")
        entry.description = fields.text("description")
        transition.warnings += fields.warnings
        transition.emit(.addToCalendar(entry))
    }

    /// Later than its start, and not beyond the calendar.
    private func end(of start: Instant, duration: JSON?) -> Instant? {
        let last = Instant.lastOfCalendar
        guard let milliseconds = duration.flatMap({ BridgeFields.finite($0) }), milliseconds > 0,
            milliseconds <= Double(last.milliseconds)
        else { return nil }
        let end = start.advanced(byMilliseconds: Int64(milliseconds.rounded(.up)))
        return end <= last ? end : nil
    }

    private func share(_ value: JSON?, in transition: inout Transition) {
        guard let address = value?.string.flatMap({ WebAddress($0) }) else {
            return transition.warn("share.noURL", "data.url is no http or https address")
        }
        transition.emit(.presentShare(url: address.text))
    }

    private func showProduct(_ data: JSON?, in transition: inout Transition) {
        // A text is shown as it is, even one of JSON.
        let isText = data?.string != nil
        guard let product = isText ? data : data.flatMap(MessageText.value) else {
            let what =
                data == nil ? "is missing" : "is nested too deep, or has a number out of range"
            return transition.warn("bridge.badField", "data \(what)")
        }
        transition.emit(.showProduct(product))
    }

    func navigated(
        _ phase: DeviceFact.Navigation, url: String?, in transition: inout Transition
    ) {
        switch phase {
        case .committed:
            guard let locale = transition.state.player.locale else { return }
            transition.tell(.appConfig(locale: locale))
        case .newWindow: open(url, in: &transition)
        case .finished, .failed, .provisionalFailed, .terminated: break
        }
    }

    /// The page wanted to open a window.
    private func open(_ url: String?, in transition: inout Transition) {
        guard let address = url.flatMap({ WebAddress($0) }) else {
            return transition.warn(
                "navigation.invalid", "the new window has no http or https address")
        }
        let path = Array(address.path.utf8)
        if transition.policy.bambuser.openURLPatterns.contains(where: { path.contains($0.utf8) }) {
            transition.emit(.openURL(address.text))
        } else {
            transition.isSignal = true
            transition.warn("navigation.unhandled", "nobody opens \(address.text.prefix(256))")
        }
    }

    func page(_ request: PageRequest) throws(Rejection) -> VendorPage {
        guard var address = WebAddress(try request.text("pageURL")) else {
            throw .invalid("event.content.pageURL", "must be an http or https address")
        }
        if request.content["showId"] != nil {
            address = address.adding("showId", try request.text("showId"))
        }
        if try request.bool("mockLive") == true {
            address = address.adding("mockLiveBambuser", "true")
        }
        var page = VendorPage(url: address.text)
        page.webView = traits.webView
        return page
    }
}
