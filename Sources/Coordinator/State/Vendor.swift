/// The systems whose players a session can coordinate (contract: domain, section 2).
package enum Vendor: String, Sendable, Hashable, CaseIterable {
    case genius, sauceflex, lisa, sportradar, bambuser

    /// The names of its page's message handlers (contract: domain, section 5).
    private var handlers: Set<String> {
        switch self {
        case .genius: ["gsVideoPlayerBridge"]
        case .sauceflex:
            [
                "sauceflexEnter", "sauceflexMoveExit", "sauceflexMoveLogin",
                "sauceflexMoveProduct", "sauceflexOnShare", "sauceflexPictureInPicture",
                "sauceflexPictureInPictureNoEvent", "sauceflexMoveBanner", "bridge",
            ]
        case .lisa: ["MessageFromLiSA"]
        case .sportradar: ["srBridge"]
        case .bambuser: ["bambuserEventHandler"]
        }
    }

    /// The vendor whose page has a message handler of this name; nil for an unknown one.
    init?(handler name: String) {
        guard let vendor = Self.allCases.first(where: { $0.handlers.contains(name) }) else {
            return nil
        }
        self = vendor
    }
}
