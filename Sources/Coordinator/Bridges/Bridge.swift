/// One vendor: its traits, its page, its scripts and its messages (contract: domain, section 5).
///
/// Everything but the traits, the page and the messages has a default that does nothing.
package protocol Bridge: Sendable {
    /// What sets the vendor apart without any code.
    var traits: VendorTraits { get }

    /// The page for what is to be shown.
    ///
    /// - Throws: 422 when the content lacks something.
    func page(_ request: PageRequest) throws(Rejection) -> VendorPage

    /// The script that tells the page of a change; nil when the vendor has none for it.
    ///
    /// It sets and never toggles, is safe for any text, and returns whether the page had what it needs.
    func script(for change: PageChange, policy: Policy) -> String?

    /// Whether the message says that the page is ready.
    func isReady(_ message: BridgeMessage) -> Bool

    /// Applies a message of the page.
    ///
    /// - Throws: the rejection of the rule that the message asked for.
    func receive(_ message: BridgeMessage, in transition: inout Transition) throws(Rejection)

    /// The page has become ready; what the vendor adds to that.
    func becameReady(in transition: inout Transition)

    /// The web view navigated, which the common rules have seen already; `url` is as it was reported.
    func navigated(
        _ phase: DeviceFact.Navigation, url: String?, in transition: inout Transition)

    /// The content with a viewer's login; nil when the vendor has no login.
    func content(_ content: JSONObject, loggedInWith accessToken: String) -> JSONObject?
}

extension Bridge {
    /// No script.
    package func script(for change: PageChange, policy: Policy) -> String? { nil }

    /// No message says so.
    package func isReady(_ message: BridgeMessage) -> Bool { false }

    /// Nothing.
    package func becameReady(in transition: inout Transition) {}

    /// Nothing.
    package func navigated(
        _ phase: DeviceFact.Navigation, url: String?, in transition: inout Transition
    ) {}

    /// No login.
    package func content(
        _ content: JSONObject, loggedInWith accessToken: String
    ) -> JSONObject? { nil }
}

extension Transition {
    /// Hands a message to the bridge of its handler (contract: domain, section 3.3).
    mutating func relay(_ message: BridgeMessage) throws(Rejection) {
        // A late message of a page that is gone says nothing, whosever it was.
        if let page = message.page, let present = state.player.page, page < present {
            warn("bridge.stalePage", "the message is from page \(page), present is \(present)")
            return
        }
        let owner = policy.vendor(handling: message.handler)
        if let owner, let loaded = state.vendor, owner != loaded {
            throw .conflict(
                "vendor.other",
                "the handler \(message.handler) belongs to \(owner.rawValue), loaded is "
                    + loaded.rawValue)
        }
        guard let owner, let bridge = policy.vendors.bridge(of: owner) else {
            isSignal = true
            warn("bridge.unhandled", "nobody serves the handler \(message.handler.prefix(64))")
            return
        }
        state.vendor = owner
        try bridge.receive(message, in: &self)
    }

    /// Tells the page of a change by its vendor's script, where there is one.
    package mutating func tell(_ change: PageChange, afterMilliseconds delay: Int? = nil) {
        guard let script = bridge?.script(for: change, policy: policy) else { return }
        emit(.evaluateJavaScript(change.script, script, afterMilliseconds: delay))
    }
}
