extension Vendor {
    /// Sportradar, widgets about a match.
    package static let sportradar = Vendor(rawValue: "sportradar")
}

/// Sportradar: one handler, bodies of `type` and what belongs to it (contract: domain, section 5.4).
///
/// | message | does |
/// | --- | --- |
/// | `height` | the height of the page |
/// | `onTrack` | counted by its name |
/// | `onItemClick` | the app shows the item |
/// | any other | passed on, since new widgets say new things |
struct SportradarBridge: Bridge {
    let traits = {
        var traits = VendorTraits(vendor: .sportradar, handlers: ["srBridge"])
        traits.webView.scrolling = true
        traits.isReadyWhenFinished = true
        return traits
    }()

    func script(for change: PageChange, policy: Policy) -> String? {
        switch change {
        case .theme(let theme): call("setClientTheme", .string(theme))
        case .locale(let locale): call("changeLanguage", .string(locale))
        case .widget(let selector, let props):
            call("updateWidget", .string(selector), .object(props))
        case .fullscreen, .close, .pipButton, .pipOverlay, .appConfig: nil
        }
    }

    private func call(_ name: JSON, _ arguments: JSON...) -> String {
        let list = ([name] + arguments).map { ScriptText.json($0) }.joined(separator: ", ")
        return
            #"(function(){if(typeof SIR!=="function"){return false}SIR(\#(list));return true})()"#
    }

    func receive(_ message: BridgeMessage, in transition: inout Transition) {
        guard let type = message.body["type"]?.string else {
            transition.isSignal = true
            return transition.warn("bridge.malformed", "the body is no object with a type")
        }
        switch type {
        case "height": setHeight(message.body["height"], in: &transition)
        case "onTrack": track(message.body["eventName"], in: &transition)
        case "onItemClick": showItem(message.body, in: &transition)
        default: transition.isSignal = true
        }
    }

    private func setHeight(_ value: JSON?, in transition: inout Transition) {
        guard let height = value?.number?.double, height > 0 else {
            return transition.warn("bridge.badField", "height must be a number above 0")
        }
        transition.state.player.height = height.rounded(.up)
    }

    private func track(_ value: JSON?, in transition: inout Transition) {
        transition.isSignal = true
        guard let name = value?.string else {
            return transition.warn("bridge.badField", "eventName must be a string")
        }
        // Everybody may read the metrics.
        transition.tracked = Redaction.url(name, policy: transition.policy)
    }

    private func showItem(_ body: JSON, in transition: inout Transition) {
        guard let target = body["target"]?.string else {
            return transition.warn("bridge.badField", "target must be a string")
        }
        let data: JSON? =
            switch body["data"] {
            case .some(let value) where value.string != nil || value.object != nil:
                MessageText.value(of: value)
            default: nil
            }
        if data == nil, body["data"] != nil {
            transition.warn("bridge.badField", "data must be an object, or the text of JSON")
        }
        transition.emit(.showItem(target: target, data: data))
    }

    /// A page that is new, or was loaded anew, knows neither theme nor language.
    func becameReady(in transition: inout Transition) {
        if let theme = transition.state.player.theme { transition.tell(.theme(theme)) }
        if let locale = transition.state.player.locale { transition.tell(.locale(locale)) }
    }
}
