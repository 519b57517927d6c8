extension Vendor {
    /// LiSA, live shopping.
    package static let lisa = Vendor(rawValue: "lisa")
}

/// LiSA: messages that say nothing to coordd, and a page that is ready when it has loaded (contract:
/// domain, section 5.3).
///
/// | what | does |
/// | --- | --- |
/// | `MessageFromLiSA`, any body | passed on |
/// | navigation `newWindow` | loads the address in the same web view |
struct LisaBridge: Bridge {
    let traits = {
        var traits = VendorTraits(vendor: .lisa, handlers: ["MessageFromLiSA"])
        traits.webView.pictureInPicture = true
        traits.webView.elementFullscreen = true
        traits.webView.scrolling = true
        traits.isReadyWhenFinished = true
        return traits
    }()

    /// Characters of a host label (RFC 1035, section 2.3.4).
    private static let labelLength = 1...63

    func page(_ request: PageRequest) throws(Rejection) -> VendorPage {
        let client = try request.text("clientId")
        guard Self.isHostLabel(client) else {
            throw .invalid(
                "event.content.clientId", "must have 1–63 letters, digits or hyphens only")
        }
        let show = try request.pathSegment("showId")
        var page = VendorPage(url: "https://\(client).loveslisa.tech/s/\(show)")
        page.userScripts = [themeScript(request.options)]
        page.webView = traits.webView
        return page
    }

    private static func isHostLabel(_ text: String) -> Bool {
        labelLength.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// What the page reads about its look before it starts.
    private func themeScript(_ options: LoadOptions) -> String {
        var theme = JSONObject()
        theme.append("playerDismissCtaState", "enabled")
        for option in options.others.members { theme[option.key] = option.value }
        return "window._lscLocalThemeOptions=\(ScriptText.json(.object(theme)));"
    }

    func receive(_ message: BridgeMessage, in transition: inout Transition) throws(Rejection) {
        transition.isSignal = true
    }

    func navigated(
        _ phase: DeviceFact.Navigation, url: String?, in transition: inout Transition
    ) {
        guard phase == .newWindow else { return }
        guard let address = url.flatMap(WebAddress.init) else {
            return transition.warn("navigation.invalid", "the new window has no http(s) address")
        }
        transition.follow(address)
    }
}
