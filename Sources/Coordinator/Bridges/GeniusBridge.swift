extension Vendor {
    /// Genius Sports, live video with a betslip.
    package static let genius = Vendor(rawValue: "genius")
}

/// Genius Sports: one handler, bodies of `type` and `payload` (contract: domain, section 5.1).
///
/// | message | does |
/// | --- | --- |
/// | `init` | ready |
/// | `toggleFullscreen` | full screen as told, or the other one |
/// | `multibet-event` | the betslip, by `command` |
/// | `betslip-container-dimensions` | the betslip's frame |
struct GeniusBridge: Bridge {
    let traits = {
        var traits = VendorTraits(vendor: .genius, handlers: ["gsVideoPlayerBridge"])
        traits.autoRotates = true
        return traits
    }()

    /// What a `multibet-event` may ask for.
    private enum Command: String {
        case open = "openBetslip"
        case add = "addToBetslip"
        case remove = "removeFromBetslip"
        case close = "closeBetslip"
    }

    func script(for change: PageChange, policy: Policy) -> String? {
        switch change {
        case .close: closeScript
        case .fullscreen(let on): fullscreenScript(on, policy: policy)
        case .theme, .locale, .pipButton, .pipOverlay, .widget, .appConfig: nil
        }
    }

    /// Without it the page's HTTP requests leak.
    private var closeScript: String {
        """
        (function(){var player=window.GeniusLivePlayer&&window.GeniusLivePlayer.player;\
        if(!player){return false}player.close();return true})()
        """
    }

    /// Sets the class by force, so that a repeated script does no harm, and tells whether anything
    /// in the page matched.
    private func fullscreenScript(_ on: Bool, policy: Policy) -> String {
        let selector = ScriptText.json(.string(policy.genius.fullscreenSelector))
        return """
            (function(selector,on){var found=document.querySelectorAll(selector);\
            for(var i=0;i<found.length;i++){found[i].classList.toggle("full-screen",on)}\
            return found.length>0})(\(selector),\(on))
            """
    }

    func isReady(_ message: BridgeMessage) -> Bool {
        message.body["type"]?.string == "init"
    }

    func receive(
        _ message: BridgeMessage, in transition: inout Transition
    ) throws(Rejection) {
        guard let type = message.body["type"]?.string else {
            transition.isSignal = true
            return transition.warn("bridge.unhandled", "the body is no object with a type")
        }
        // No effect of this vendor needs a secret of a message, and the state must not have one.
        let payload = message.body["payload"].map {
            Redaction.publishable($0, policy: transition.policy)
        }
        switch type {
        case "init": transition.becomeReady()
        case "toggleFullscreen": try toggleFullscreen(payload, in: &transition)
        case "multibet-event":
            guard let fields = payload?.object else {
                return transition.warn("bridge.badField", "payload must be an object")
            }
            try multibet(BridgeFields(fields), in: &transition)
        case "betslip-container-dimensions": setFrame(payload, in: &transition)
        default:
            transition.isSignal = true
            transition.warn("bridge.unhandled", "the message \(type.prefix(64)) is unknown")
        }
    }

    private func toggleFullscreen(
        _ payload: JSON?, in transition: inout Transition
    ) throws(Rejection) {
        var fields = BridgeFields(payload?.object ?? JSONObject())
        let wanted = fields.bool("isFullscreen")
        transition.warnings += fields.warnings
        try transition.setFullscreen(wanted ?? (transition.state.presentation.mode != .fullscreen))
    }

    private func setFrame(_ payload: JSON?, in transition: inout Transition) {
        var fields = BridgeFields(payload?.object ?? JSONObject())
        let top = fields.length("top")
        let left = fields.length("left")
        let width = fields.length("width", isSize: true)
        let height = fields.length("height", isSize: true)
        guard let top, let left, let width, let height else {
            // The frame counts as a whole, so one warning is enough.
            transition.warnings += fields.warnings.prefix(1)
            return
        }
        transition.state.betslip.frame = BetslipState.Frame(
            top: top, left: left, width: width, height: height)
    }

    private func multibet(
        _ given: BridgeFields, in transition: inout Transition
    ) throws(Rejection) {
        var fields = given
        let limit = transition.policy.textBytes
        var command: Command?
        if let name = fields.text("command") {
            command = Command(rawValue: name)
            guard command != nil else {
                return transition.warn(
                    "betslip.unknownCommand", "the command \(name.prefix(64)) is unknown")
            }
        }
        var selection = Selection()
        selection.sportsbookFixtureId = fields.text("sportsbookFixtureId", limit: limit)
        selection.sportsbookSelectionId = fields.text("sportsbookSelectionId", limit: limit)
        selection.sportsbookMarketId = fields.text("sportsbookMarketId", limit: limit)
        selection.sportsbookMarketContext = fields.text("sportsbookMarketContext", limit: limit)
        selection.marketId = fields.text("marketId", limit: limit)
        selection.decimalPrice = fields.amount("decimalPrice", isPrice: true)
        let stake = fields.amount("stake", isPrice: false)
        transition.warnings += fields.warnings
        switch command {
        case .open: try transition.bridgeOpen(selection, stake: stake)
        case .add: try transition.bridgeAdd(selection, stake: stake)
        case .remove: transition.bridgeRemove(selection, stake: stake)
        case .close: transition.bridgeClose(selection, stake: stake)
        case nil where selection.hasKey: try transition.bridgeOpen(selection, stake: stake)
        case nil: transition.bridgeUpdateLast(selection, stake: stake)
        }
    }
}
