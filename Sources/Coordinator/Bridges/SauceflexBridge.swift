extension Vendor {
    /// Sauceflex, live shopping.
    package static let sauceflex = Vendor(rawValue: "sauceflex")
}

/// Sauceflex: one handler per message, a body of its own for each (contract: domain, section 5.2).
///
/// | handler | does |
/// | --- | --- |
/// | `sauceflexEnter` | ready |
/// | `sauceflexMoveExit` | closes the player |
/// | `sauceflexMoveLogin` | asks for a login |
/// | `sauceflexMoveProduct` | shows a product |
/// | `sauceflexMoveBanner` | opens a banner's address |
/// | `sauceflexOnShare` | shares an address |
/// | `sauceflexPictureInPicture` | the small window; the page sees to its overlay by itself |
/// | `sauceflexPictureInPictureNoEvent` | the small window; the page is told about its overlay |
/// | `bridge` | passed on |
struct SauceflexBridge: Bridge {
    private enum Handler: String, CaseIterable {
        case enter = "sauceflexEnter"
        case exit = "sauceflexMoveExit"
        case login = "sauceflexMoveLogin"
        case product = "sauceflexMoveProduct"
        case banner = "sauceflexMoveBanner"
        case share = "sauceflexOnShare"
        case pictureInPicture = "sauceflexPictureInPicture"
        case pictureInPictureNoEvent = "sauceflexPictureInPictureNoEvent"
        case free = "bridge"
    }

    let traits = {
        var traits = VendorTraits(
            vendor: .sauceflex, handlers: Set(Handler.allCases.map(\.rawValue)))
        traits.webView.pictureInPicture = true
        traits.webView.scrolling = true
        return traits
    }()

    func page(_ request: PageRequest) throws(Rejection) -> VendorPage {
        let broadcast = "https://player.sauceflex.com/broadcast/"
        var url = broadcast + (try request.pathSegment("liveId"))
        if let token = try request.optionalText("accessToken"), !token.isEmpty {
            url += "?accessToken=" + WebAddress.percentEncoded(token)
        }
        var page = VendorPage(url: url)
        page.webView = traits.webView
        return page
    }

    func content(_ content: JSONObject, loggedInWith accessToken: String) -> JSONObject? {
        var content = content
        content["accessToken"] = .string(accessToken)
        return content
    }

    func isReady(_ message: BridgeMessage) -> Bool {
        message.handler == Handler.enter.rawValue
    }

    /// A page that is told too early loses the script, so it waits a moment.
    func becameReady(in transition: inout Transition) {
        guard let visible = transition.state.pip.button else { return }
        transition.tell(
            .pipButton(visible),
            afterMilliseconds: transition.policy.sauceflex.pipUseDelayMilliseconds)
    }

    func script(for change: PageChange, policy: Policy) -> String? {
        switch change {
        case .pipButton(let visible):
            """
            (function(){if(typeof sauceflexPictureInPictureUse!=="function"){return false}\
            window.dispatchEvent(sauceflexPictureInPictureUse(\(visible)));return true})()
            """
        case .pipOverlay(let hidden):
            dispatch("sauceflexPictureInPicture" + (hidden ? "On" : "Off"))
        case .close, .fullscreen, .theme, .locale, .widget, .appConfig: nil
        }
    }

    private func dispatch(_ event: String) -> String {
        """
        (function(){if(typeof \(event)==="undefined"){return false}\
        window.dispatchEvent(\(event));return true})()
        """
    }

    func receive(
        _ message: BridgeMessage, in transition: inout Transition
    ) throws(Rejection) {
        switch Handler(rawValue: message.handler) {
        case .enter: transition.becomeReady()
        case .exit: transition.closePlayer(dismisses: true)
        case .login: transition.requireLogin()
        case .product: showProduct(message.body, in: &transition)
        case .banner: openBanner(message.body, in: &transition)
        case .share: share(message.body, in: &transition)
        case .pictureInPicture: try toggle(message, byPage: true, in: &transition)
        case .pictureInPictureNoEvent: try toggle(message, byPage: false, in: &transition)
        case .free: transition.isSignal = true
        case nil:
            // A name of the configuration: it says whose message it is, not which.
            transition.isSignal = true
            transition.warn("bridge.unhandled", "the handler says not which message this is")
        }
    }

    private func toggle(
        _ message: BridgeMessage, byPage: Bool, in transition: inout Transition
    ) throws(Rejection) {
        transition.notePictureInPicture(by: message.handler, mixed: "sauceflex.pipMixed")
        try transition.togglePictureInPicture(byPage: byPage)
    }

    private func showProduct(_ body: JSON, in transition: inout Transition) {
        guard body.object != nil || body.string != nil, let data = MessageText.value(of: body)
        else {
            return transition.warn(
                "bridge.badField", "a product must be an object or text of JSON")
        }
        transition.emit(.showProduct(data))
    }

    private func openBanner(_ body: JSON, in transition: inout Transition) {
        guard let address = address("linkUrl", in: MessageText.fields(of: body)) else {
            return transition.warn("openURL.invalid", "linkUrl is no http(s) address")
        }
        transition.emit(.openURL(address))
    }

    private func share(_ body: JSON, in transition: inout Transition) {
        let field = transition.policy.sauceflex.shareField
        // A page may share the bare address, too.
        let plain = body.string.flatMap(WebAddress.init)?.text
        guard let address = plain ?? address(field, in: MessageText.fields(of: body)) else {
            return transition.warn("share.noURL", "\(field) is no http(s) address")
        }
        transition.emit(.presentShare(url: address))
    }

    private func address(_ key: String, in fields: JSONObject?) -> String? {
        fields?[key]?.string.flatMap(WebAddress.init)?.text
    }
}
