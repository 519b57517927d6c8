extension Transition {
    /// What a closed session still takes beside its own events (contract: domain, section 3).
    private func checkOpen(for event: Event) throws(Rejection) {
        guard state.player.phase == .closed else { return }
        switch event {
        case .player(.load), .player(.close), .betslip(.settle), .device: return
        case .bridge(let message): if isAwaited(message) { return }
        case .player, .fullscreen, .pip, .betslip, .widgetUpdate, .setTheme, .setLocale,
            .loginComplete:
            break
        }
        throw .conflict("session.closed", "load a player first")
    }

    /// Whether this is the ready message of a page that was closed before it was ready.
    private func isAwaited(_ message: BridgeMessage) -> Bool {
        guard memory.remembersClose, let bridge,
            policy.vendor(handling: message.handler) == bridge.traits.vendor,
            message.page == nil || message.page == state.player.page
        else { return false }
        return bridge.isReady(message)
    }

    /// Sends an event to its rule.
    mutating func apply(_ event: Event, from origin: Origin) throws(Rejection) {
        try checkOpen(for: event)
        switch event {
        case .bridge(let message): try relay(message)
        case .device(let fact): try take(fact)
        case .player(.load(let vendor, let content, let options)):
            try load(vendor: vendor, content: content, options: options)
        case .player(.close): closePlayer(dismisses: true)
        case .player(.sources(let sources)): state.player.sources = sources
        case .player(.source(let id)): try choose(source: id)
        case .fullscreen(.set(let on)): try setFullscreen(on)
        case .fullscreen(.toggle): try setFullscreen(state.presentation.mode != .fullscreen)
        case .pip(let command): try pictureInPicture(command)
        case .betslip(let command): try betslip(command, from: origin)
        case .widgetUpdate(let selector, let props):
            let change = PageChange.widget(selector: selector, props: props)
            guard bridge?.script(for: change, policy: policy) != nil else {
                throw .conflict("widget.unsupported", "the vendor has no widgets")
            }
            tell(change)
        case .setTheme(let theme):
            guard state.player.theme != theme else { return }
            state.player.theme = theme
            tell(.theme(theme))
        case .setLocale(let locale):
            guard state.player.locale != locale else { return }
            state.player.locale = locale
            tell(.locale(locale))
        case .loginComplete(let token): try completeLogin(token)
        }
    }

    /// A fact about the device (contract: domain, section 3.1).
    private mutating func take(_ fact: DeviceFact) throws(Rejection) {
        switch fact {
        case .capabilities(let pip): state.pip.supported = pip
        case .orientation(let orientation, let geometry):
            try store(geometry, path: "event")
            turn(to: orientation)
        case .interface(let orientation, let geometry):
            try store(geometry, path: "event")
            draw(as: orientation)
        case .geometry(let geometry):
            try store(geometry, path: "event")
            settleNotch()
        case .tab(let tab): state.presentation.tab = tab
        case .keyboard: isSignal = true
        case .lifecycle(let phase):
            memory.lifecycle = phase
            isSignal = true
            if phase == .active, state.pip.phase != .inactive { emit(.reportFacts) }
        case .pip(let phase, let error): observe(phase, error: error)
        case .navigation(let phase, let url, let error):
            navigate(phase, url: url, error: error)
        case .dismissed: dismissFullscreen()
        case .disappeared: closePlayer(dismisses: false)
        case .report(let facts): try take(facts, path: "event.facts")
        }
    }

    /// A full report, found at `path`: each fact as in its own event.
    mutating func take(_ facts: DeviceFact.Facts, path: String) throws(Rejection) {
        if let pip = facts.supportsPictureInPicture { state.pip.supported = pip }
        if let lifecycle = facts.lifecycle { memory.lifecycle = lifecycle }
        if let tab = facts.tab { state.presentation.tab = tab }
        try store(facts.geometry, path: path)
        // First how it is held: that is to know of a request which the interface then confirms.
        if let isActive = facts.pipActive { report(pictureInPicture: isActive) }
        if let orientation = facts.orientation { turn(to: orientation) }
        if let interface = facts.interface { draw(as: interface) }
        settleNotch()
    }

    /// Stores the screen and its safe area.
    ///
    /// - Throws: 422 when the insets leave nothing of the screen known from before.
    private mutating func store(
        _ geometry: DeviceFact.Geometry, path: String
    ) throws(Rejection) {
        if let screen = geometry.screen { state.orientation.screen = screen }
        if let insets = geometry.safeArea { state.orientation.safeArea = insets }
        guard let screen = state.orientation.screen, let insets = state.orientation.safeArea else {
            return
        }
        try insets.check(
            within: screen, path: path + (geometry.safeArea == nil ? ".screen" : ".safeArea"))
    }
}
