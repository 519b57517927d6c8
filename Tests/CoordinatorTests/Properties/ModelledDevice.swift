import Coordinator

/// A phone as the contract describes it: it does what each effect says, and nothing else (contract:
/// domain, section 6).
///
/// Written apart from the rules, on the effects' JSON, so that a mistake there shows as a difference.
struct ModelledDevice: Equatable {
    /// What the web view shows.
    struct Page: Equatable {
        /// The effect that loaded it, without its number and revision.
        let order: JSON
        let generation: UInt64
        /// What scripts told it, by what they are about.
        var told: [String: String] = [:]
    }

    private(set) var page: Page?
    private(set) var isFullscreen = false
    private(set) var keepsAwake = false
    /// The orientation it asked the system for last.
    private(set) var asked: String?
    /// Whether it was asked last for a small window or for none.
    private(set) var smallWindow: Bool?
    private(set) var isKeyboardHidden = false
    private(set) var owesReport = false
    private(set) var isPresented = true
    private(set) var toast: JSON?
    /// What was handed to the system last, of each kind.
    private(set) var handed: [String: JSON] = [:]

    /// What no device understands.
    struct Misunderstood: Error {
        let effect: JSON
    }

    /// Carries an effect out.
    mutating func execute(_ effect: JSON) throws(Misunderstood) {
        let order = effect.object.map { object in
            JSON.object(
                JSONObject(object.members.filter { $0.key != "seq" && $0.key != "rev" }))
        }
        guard let order, let kind = effect["kind"]?.string else {
            throw Misunderstood(effect: effect)
        }
        switch kind {
        case "loadPage":
            guard let generation = effect["page"]?.number?.unsigned,
                (effect["url"] == nil) != (effect["html"] == nil), effect["webView"] != nil
            else { throw Misunderstood(effect: effect) }
            page = Page(order: order, generation: generation)
            isPresented = true
        case "evaluateJavaScript":
            guard let script = effect["script"]?.string, let (about, value) = Self.meaning(script)
            else { throw Misunderstood(effect: effect) }
            page?.told[about] = value
        case "setFullscreen": isFullscreen = try Self.isOn(effect)
        case "setKeepAwake": keepsAwake = try Self.isOn(effect)
        case "requestOrientation":
            guard let orientation = effect["orientation"]?.string else {
                throw Misunderstood(effect: effect)
            }
            asked = orientation
        case "startPictureInPicture": smallWindow = true
        case "stopPictureInPicture": smallWindow = false
        case "hideKeyboard": isKeyboardHidden = true
        case "reportFacts": owesReport = true
        case "presentPlayer": isPresented = true
        case "dismissPlayer": isPresented = false
        case "showToast":
            guard effect["until"]?.number != nil else { throw Misunderstood(effect: effect) }
            toast = order
        case "presentShare", "presentLogin", "openURL", "showProduct", "showItem",
            "addToCalendar":
            handed[kind] = order
        default: throw Misunderstood(effect: effect)
        }
    }

    /// The page has begun to listen; whatever it was told before is lost.
    mutating func pageBecameReady() {
        page?.told = [:]
    }

    private static func isOn(_ effect: JSON) throws(Misunderstood) -> Bool {
        guard let on = effect["on"]?.bool else { throw Misunderstood(effect: effect) }
        return on
    }

    /// What a script sets, and to what (contract: domain, sections 5.1 to 5.5).
    private static func meaning(_ script: String) -> (about: String, value: String)? {
        func argument(after start: String, until end: String) -> String? {
            guard let start = script.firstRange(of: start) else { return nil }
            let rest = script[start.upperBound...]
            return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
        }
        if script.contains("GeniusLivePlayer") { return ("close", "") }
        if script.contains("full-screen") {
            return ("fullscreen", script.hasSuffix(",true)") ? "true" : "false")
        }
        if let theme = argument(after: #"SIR("setClientTheme", "#, until: ");") {
            return ("theme", theme)
        }
        if let locale = argument(after: #"SIR("changeLanguage", "#, until: ");") {
            return ("locale", locale)
        }
        if let widget = argument(after: #"SIR("updateWidget", "#, until: ");") {
            return ("widget \(widget.prefix { $0 != "," })", widget)
        }
        if let configuration = argument(after: "window.iosAppConfig=", until: ";") {
            return ("appConfig", configuration)
        }
        if let shown = argument(after: "sauceflexPictureInPictureUse(", until: ")") {
            return ("button", shown)
        }
        if script.contains("dispatchEvent(sauceflexPictureInPictureOn)") {
            return ("overlay", "hidden")
        }
        if script.contains("dispatchEvent(sauceflexPictureInPictureOff)") {
            return ("overlay", "shown")
        }
        return nil
    }
}
