/// Where the sensor housing is (contract: domain, section 4.2).
extension Transition {
    /// Decides the side anew; `confirming` is the requested orientation that was just drawn.
    mutating func settleNotch(confirming confirmed: InterfaceOrientation? = nil) {
        guard let insets = state.orientation.safeArea else { return }
        let held =
            (confirmed ?? state.orientation.requested)?.deviceSide ?? state.orientation.device
        switch held {
        case .landscapeLeft where insets.left > 0: state.orientation.notch = .left
        case .landscapeRight where insets.right > 0: state.orientation.notch = .right
        case .portrait where insets.top > 0: state.orientation.notch = .top
        case .landscapeLeft, .landscapeRight, .portrait, .portraitUpsideDown, .unknown, .faceUp,
            .faceDown:
            break
        }
    }
}

extension InterfaceOrientation {
    /// How the device is held when the screen is drawn so.
    var deviceSide: DeviceOrientation {
        switch self {
        case .portrait: .portrait
        case .portraitUpsideDown: .portraitUpsideDown
        case .landscapeLeft: .landscapeRight
        case .landscapeRight: .landscapeLeft
        }
    }
}
