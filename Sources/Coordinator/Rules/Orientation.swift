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

    private var isFullscreen: Bool { state.presentation.mode == .fullscreen }

    private func agrees(_ held: Class) -> Bool {
        (held == .landscape) == isFullscreen
    }

    private var autoRotates: Bool {
        (memory.options.autoRotate ?? bridge?.autoRotates ?? false)
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
        state.presentation.mode = held == .landscape ? .fullscreen : .inline
        emit(.hideKeyboard)
        emitFullscreen()
        settleNotch()
    }

    /// The screen is drawn this way now.
    mutating func draw(as orientation: InterfaceOrientation) {
        state.orientation.interface = orientation
        let confirms = state.orientation.requested == orientation
        if confirms { state.orientation.requested = nil }
        settleNotch(confirming: confirms ? orientation : nil)
    }

    /// A person's wish, by a command or the page's button.
    mutating func setFullscreen(_ on: Bool) throws(Rejection) {
        guard state.pip.phase == .inactive else {
            throw .conflict("pip.active", "picture-in-picture is \(state.pip.phase.rawValue)")
        }
        guard on != isFullscreen else { return }
        state.presentation.mode = on ? .fullscreen : .inline
        state.orientation.source = .programmatic
        let target = on ? memory.lastLandscape ?? .landscapeRight : .portrait
        let isUnconfirmed = state.orientation.requested != nil
        let isDrawn = state.orientation.interface == target
        state.orientation.requested = !isUnconfirmed && isDrawn ? nil : target
        state.orientation.armed = heldClass.map(agrees) ?? false
        emitFullscreen()
        if let requested = state.orientation.requested { emit(.requestOrientation(requested)) }
        settleNotch()
    }

    /// The device's own full-screen view was dismissed (contract: domain, section 3.1).
    mutating func dismissFullscreen() {
        guard state.player.phase != .closed else { return }
        state.presentation.mode = .inline
        state.orientation.requested = .portrait
        state.orientation.armed = heldClass.map(agrees) ?? false
        emitFullscreen()
        emit(.requestOrientation(.portrait))
        settleNotch()
    }

    /// Tells the device, and the page by the vendor's script.
    private mutating func emitFullscreen() {
        emit(.setFullscreen(isFullscreen))
        emitFullscreenScript()
    }

    mutating func emitFullscreenScript() {
        guard let script = bridge?.fullscreenScript(isFullscreen, policy: policy) else { return }
        emit(.evaluateJavaScript(.fullscreen, script))
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
