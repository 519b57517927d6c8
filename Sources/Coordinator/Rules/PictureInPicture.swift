/// Picture-in-picture: what people and pages ask for (contract: domain, section 4.3).
extension Transition {
    mutating func pictureInPicture(_ command: PictureInPictureCommand) throws(Rejection) {
        switch command {
        case .button(let visible):
            guard state.pip.button != visible else { return }
            state.pip.button = visible
            if state.player.phase == .ready { tell(.pipButton(visible)) }
        case .start: try startPictureInPicture(byPage: false)
        case .stop: stopPictureInPicture(byPage: false)
        case .toggle: try togglePictureInPicture(byPage: false)
        }
    }

    /// Starts or stops it; `byPage` when the page hides and shows its overlay by itself.
    package mutating func togglePictureInPicture(byPage: Bool) throws(Rejection) {
        switch state.pip.phase {
        case .inactive, .stopping: try startPictureInPicture(byPage: byPage)
        case .starting, .active: stopPictureInPicture(byPage: byPage)
        }
    }

    /// Remembers by which handler a page asks, and warns when it uses more than one.
    package mutating func notePictureInPicture(by handler: String, mixed code: String) {
        if !memory.pip.handlers.contains(handler) { memory.pip.handlers.append(handler) }
        if memory.pip.handlers.count > 1 {
            warn(code, "the page uses " + memory.pip.handlers.joined(separator: " and "))
        }
    }

    private mutating func startPictureInPicture(byPage: Bool) throws(Rejection) {
        let hasNone = bridge.map { !$0.traits.webView.pictureInPicture } ?? false
        guard state.pip.supported != false, !hasNone else {
            throw .conflict(
                "pip.unsupported",
                hasNone
                    ? "the vendor's web view has no picture-in-picture"
                    : "the device has no picture-in-picture")
        }
        switch state.pip.phase {
        case .starting, .active: return
        case .stopping: throw .conflict("pip.stopping", "the small window is going away")
        case .inactive: break
        }
        state.pip.phase = .starting
        state.pip.error = nil
        memory.pip.isByPage = byPage
        memory.pip.lateStart = nil
        memory.pip.startDeadline = effectDeadline
        emit(.startPictureInPicture)
    }

    private mutating func stopPictureInPicture(byPage: Bool) {
        switch state.pip.phase {
        case .inactive, .stopping: return
        case .starting, .active: break
        }
        takeBackStart()
        memory.pip.isByPage = byPage
        state.pip.phase = .stopping
        emit(.stopPictureInPicture)
    }

    /// A start that the stage has not acknowledged is not wanted any more.
    mutating func takeBackStart() {
        memory.pip.startDeadline = nil
        memory.outbox.removeAll { $0 == .startPictureInPicture }
    }

    /// The page goes away, and the small window with it.
    mutating func leavePictureInPicture() {
        switch state.pip.phase {
        case .inactive, .stopping: return
        case .starting:
            takeBackStart()
            state.pip.phase = .inactive
            memory.pip.isByPage = false
            memory.pip.sawWillStart = false
            memory.pip.lateStart = .takenBack
        case .active:
            takeBackStart()
            memory.pip.isByPage = false
            state.pip.phase = .stopping
            emit(.stopPictureInPicture)
        }
    }

    /// The stage goes to another device, where no small window is.
    mutating func forgetPictureInPicture() {
        if state.presentation.mode == .pip { state.presentation.mode = memory.pip.mode ?? .inline }
        state.pip.phase = .inactive
        state.pip.overlayHidden = false
        state.pip.supported = nil
        memory.pip = PictureInPictureMemory(handlers: memory.pip.handlers)
    }
}
