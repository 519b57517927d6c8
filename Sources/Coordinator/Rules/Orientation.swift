/// Orientation and full screen (contract: domain, section 4.1).
extension Transition {
    private enum Class {
        case portrait, landscape
    }

    /// The class of how the device is held; a flat or unknown one is judged by the screen until the
    /// device was held in a real one for the first time.
    private var heldClass: Class? {
        switch state.orientation.device {
        case .portrait, .portraitUpsideDown: return .portrait
        case .landscapeLeft, .landscapeRight: return .landscape
        case .unknown, .faceUp, .faceDown:
            guard !memory.sawOrientation, let screen = state.orientation.screen else { return nil }
            return screen.width < screen.height ? .portrait : .landscape
        }
    }

    var isFullscreen: Bool { state.presentation.mode == .fullscreen }

    private func agrees(_ held: Class) -> Bool {
        (held == .landscape) == isFullscreen
    }

    private var autoRotates: Bool {
        (memory.options.autoRotate ?? bridge?.traits.autoRotates ?? false)
            && state.player.phase == .ready && state.presentation.tab == .video
            && state.pip.phase == .inactive
    }

    /// The device was turned.
    mutating func turn(to orientation: DeviceOrientation) {
        state.orientation.device = orientation
        if state.orientation.requested == nil { state.orientation.source = .accelerometer }
        switch orientation {
        case .portrait, .portraitUpsideDown: memory.sawOrientation = true
        case .landscapeLeft, .landscapeRight:
            memory.sawOrientation = true
            memory.lastLandscape = orientation.interfaceSide
        case .unknown, .faceUp, .faceDown: break
        }
        rotate()
        settleNotch()
    }

    /// The rotation rule: what the sensor says about full screen, when it may say something.
    mutating func rotate() {
        guard autoRotates, let held = heldClass else { return }
        guard state.orientation.armed else {
            // Only how it is really held arms the sensor again.
            if agrees(held), state.orientation.device.isHeld { state.orientation.armed = true }
            return
        }
        guard !agrees(held) else { return }
        emit(.hideKeyboard)
        show(held == .landscape ? .fullscreen : .inline)
    }

    /// The screen is drawn this way now.
    mutating func draw(as orientation: InterfaceOrientation) {
        state.orientation.interface = orientation
        if state.orientation.requested == orientation {
            state.orientation.requested = nil
            memory.orientationRequest = nil
            confirmed = orientation
        }
        settleNotch()
    }

    /// A person's wish, by a command or the page's button.
    package mutating func setFullscreen(_ on: Bool) throws(Rejection) {
        guard state.pip.phase == .inactive else {
            throw .conflict("pip.active", "picture-in-picture is \(state.pip.phase.rawValue)")
        }
        guard on != isFullscreen else { return }
        let before = OrientationRequest(
            mode: state.presentation.mode, armed: state.orientation.armed)
        show(on ? .fullscreen : .inline)
        state.orientation.source = .programmatic
        let target = on ? memory.lastLandscape ?? .landscapeRight : .portrait
        let isUnconfirmed = state.orientation.requested != nil
        let isDrawn = state.orientation.interface == target
        state.orientation.requested = !isUnconfirmed && isDrawn ? nil : target
        state.orientation.armed = heldClass.map(agrees) ?? false
        if let requested = state.orientation.requested {
            request(requested, before: before)
        } else {
            memory.orientationRequest = nil
            // An older request that was drawn but never acknowledged must not come back.
            memory.outbox.removeAll { order in
                if case .requestOrientation = order { true } else { false }
            }
        }
        settleNotch()
    }

    /// The device's own full-screen view was dismissed (contract: domain, section 3.1).
    mutating func dismissFullscreen() {
        // Whatever rule showed it otherwise, it is not shown so any more, nor after a small window.
        if state.presentation.mode == .pip {
            memory.pip.mode = .inline
        } else {
            state.presentation.mode = .inline
        }
        emitFullscreen()
        state.orientation.requested = .portrait
        state.orientation.armed = heldClass.map(agrees) ?? false
        // What the device did by itself is no wish that could be refused.
        request(
            .portrait,
            before: OrientationRequest(mode: .inline, armed: state.orientation.armed))
        settleNotch()
    }

    /// Shows the player in another way; whenever that begins or ends full screen, the device is told,
    /// and the page when it stays.
    mutating func show(_ mode: Presentation.Mode, pageStays: Bool = true) {
        let wasFullscreen = isFullscreen
        state.presentation.mode = mode
        // An open request that is refused later must not undo this.
        if mode != .pip { memory.orientationRequest?.mode = mode }
        guard isFullscreen != wasFullscreen else { return }
        if pageStays { emitFullscreen() } else { emit(.setFullscreen(isFullscreen)) }
        settleNotch()
    }

    /// Tells the device, and the page by the vendor's script.
    private mutating func emitFullscreen() {
        emit(.setFullscreen(isFullscreen))
        tell(.fullscreen(isFullscreen))
    }
}

extension DeviceOrientation {
    /// Whether the device is held upright or sideways, not flat or unknown.
    fileprivate var isHeld: Bool {
        switch self {
        case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight: true
        case .unknown, .faceUp, .faceDown: false
        }
    }

    /// How the screen is drawn when the device is held so in landscape.
    fileprivate var interfaceSide: InterfaceOrientation? {
        switch self {
        case .landscapeLeft: .landscapeRight
        case .landscapeRight: .landscapeLeft
        case .portrait, .portraitUpsideDown, .unknown, .faceUp, .faceDown: nil
        }
    }
}
