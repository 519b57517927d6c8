extension Transition {
    /// What a closed session still takes beside its own events (contract: domain, section 3).
    private func checkOpen(for event: Event) throws(Rejection) {
        guard state.player.phase == .closed else { return }
        switch event {
        case .player(.load), .player(.close), .betslip(.settle), .device: return
        case .bridge(let message):
            // The one message that a close before it is remembered for.
            if memory.remembersClose, bridge?.isReady(message) == true { return }
        case .player, .fullscreen, .pip, .betslip, .widgetUpdate, .setTheme, .setLocale,
            .loginComplete:
            break
        }
        throw .conflict("session.closed", "load a player first")
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
        case .widgetUpdate:
            throw .conflict("widget.unsupported", "the vendor has no widgets")
        case .setTheme(let theme): state.player.theme = theme
        case .setLocale(let locale): state.player.locale = locale
        case .loginComplete:
            throw .conflict("login.notRequired", "the player asks for no login")
        }
    }

    /// A fact about the device (contract: domain, section 3.1).
    private mutating func take(_ fact: DeviceFact) throws(Rejection) {
        switch fact {
        case .capabilities(let pip): state.pip.supported = pip
        case .orientation(let orientation, let geometry):
            try store(geometry)
            turn(to: orientation)
        case .interface(let orientation, let geometry):
            try store(geometry)
            draw(as: orientation)
        case .geometry(let geometry):
            try store(geometry)
            settleNotch()
        case .tab(let tab): state.presentation.tab = tab
        case .keyboard: isSignal = true
        case .lifecycle(let phase):
            memory.lifecycle = phase
            isSignal = true
            if phase == .active, state.pip.phase != .inactive { emit(.reportFacts) }
        case .pip: break
        case .navigation(let phase, let url, let error):
            navigate(phase, url: url, error: error)
        case .dismissed: dismissFullscreen()
        case .disappeared: closePlayer(dismisses: false)
        case .report(let facts): try take(facts)
        }
    }

    /// A full report: each fact as in its own event.
    mutating func take(_ facts: DeviceFact.Facts) throws(Rejection) {
        if let pip = facts.supportsPictureInPicture { state.pip.supported = pip }
        if let lifecycle = facts.lifecycle { memory.lifecycle = lifecycle }
        // Before the orientation: the rotation rule asks for the tab, the notch for the insets.
        if let tab = facts.tab { state.presentation.tab = tab }
        try store(facts.geometry)
        if let orientation = facts.orientation { turn(to: orientation) }
        if let interface = facts.interface { draw(as: interface) }
        settleNotch()
    }

    /// Stores the screen and its safe area.
    ///
    /// - Throws: 422 when the insets leave no room.
    private mutating func store(_ geometry: DeviceFact.Geometry) throws(Rejection) {
        if let screen = geometry.screen { state.orientation.screen = screen }
        guard let insets = geometry.safeArea else { return }
        if let screen = state.orientation.screen {
            guard insets.left + insets.right < screen.width else {
                throw .invalid("event.safeArea", "left and right leave no width of \(screen.width)")
            }
            guard insets.top + insets.bottom < screen.height else {
                throw .invalid(
                    "event.safeArea", "top and bottom leave no height of \(screen.height)")
            }
        }
        state.orientation.safeArea = insets
    }
}
