/// One vendor: its messages, its scripts and its page.
protocol Bridge: Sendable {
    /// Whose player it is.
    var vendor: Vendor { get }
    /// Whether the sensor may change full screen without being asked to (contract: domain, 5).
    var autoRotates: Bool { get }
    /// The script that closes the player in the page; nil when the vendor has none.
    var closeScript: String? { get }

    /// The script that tells the page about full screen; nil when the vendor has none.
    func fullscreenScript(_ on: Bool, policy: Policy) -> String?

    /// The page for what is to be shown.
    ///
    /// - Throws: 422 when the content lacks something.
    func page(content: JSONObject, source: String?, policy: Policy) throws(Rejection) -> VendorPage

    /// Whether the message says that the page is ready.
    func isReady(_ message: BridgeMessage) -> Bool

    /// Applies a message of the page.
    ///
    /// - Throws: the rejection of the rule that the message asked for.
    func receive(
        _ message: BridgeMessage, in transition: inout Transition
    ) throws(Rejection)
}

/// The vendors that are served; a further one is a file of its own and a line here.
enum Bridges {
    private static let all: [any Bridge] = [GeniusBridge()]

    static func bridge(of vendor: Vendor) -> (any Bridge)? {
        all.first { $0.vendor == vendor }
    }

}

extension Transition {
    /// Hands a message to the bridge of its handler (contract: domain, section 3.3).
    mutating func relay(_ message: BridgeMessage) throws(Rejection) {
        let owner = policy.vendor(handling: message.handler)
        if let owner, let loaded = state.vendor, owner != loaded {
            throw .conflict(
                "vendor.other",
                "the handler \(message.handler) belongs to \(owner.rawValue), loaded is "
                    + loaded.rawValue)
        }
        guard let bridge = owner.flatMap({ Bridges.bridge(of: $0) }) else {
            isSignal = true
            warn("bridge.unhandled", "nobody serves the handler \(message.handler.prefix(64))")
            return
        }
        if let page = message.page, let present = state.player.page, page < present {
            warn("bridge.stalePage", "the message is from page \(page), present is \(present)")
            return
        }
        state.vendor = bridge.vendor
        try bridge.receive(message, in: &self)
    }
}
