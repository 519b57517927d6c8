/// Picture-in-picture: what the device says about it (contract: domain, section 4.3).
extension Transition {
    mutating func observe(_ fact: DeviceFact.PictureInPicture, error: String?) {
        switch fact {
        case .willStart:
            memory.pip.sawRestore = false
            switch state.pip.phase {
            case .inactive, .starting:
                memory.pip.sawWillStart = true
                if memory.pip.lateStart == .expired { memory.pip.lateStart = nil }
            case .active, .stopping: break
            }
        case .started: pictureInPictureStarted()
        case .willStop: break
        case .restore:
            guard state.player.phase != .closed, !memory.pip.sawRestore else { return }
            memory.pip.sawRestore = true
            emit(.presentPlayer)
        case .stopped: pictureInPictureStopped(closes: true)
        case .failed: pictureInPictureFailed(error.map { Redaction.url($0, policy: policy) })
        }
    }

    private mutating func pictureInPictureStarted() {
        switch state.pip.phase {
        case .active: return
        case .stopping:
            // Too late, but now there is something that the device will report as stopped.
            memory.pip.mode = memory.pip.mode ?? state.presentation.mode
            // Unless a stop is still under way, one goes out once more.
            if !isAsked(.stopPictureInPicture) { emit(.stopPictureInPicture) }
        case .inactive where memory.pip.lateStart != nil:
            memory.pip.lateStart = nil
            memory.pip.sawWillStart = false
            emit(.stopPictureInPicture)
        case .inactive where !memory.pip.sawWillStart: return
        case .inactive where state.player.phase == .closed:
            memory.pip.sawWillStart = false
            emit(.stopPictureInPicture)
        case .inactive, .starting: beginSmallWindow()
        }
    }

    private mutating func beginSmallWindow() {
        memory.pip.mode = state.presentation.mode
        memory.pip.sawWillStart = false
        memory.pip.sawRestore = false
        memory.pip.startDeadline = nil
        memory.pip.lateStart = nil
        state.pip.phase = .active
        state.pip.error = nil
        show(.pip)
        hideOverlay(true, says: !memory.pip.isByPage)
        memory.pip.isByPage = false
    }

    /// The small window is gone; `closes` when that may close the player, by its options.
    private mutating func pictureInPictureStopped(closes: Bool) {
        memory.pip.sawWillStart = false
        memory.pip.lateStart = nil
        guard state.pip.phase != .inactive else { return }
        let closesPlayer =
            closes && !memory.pip.sawRestore
            && (memory.options.closeOnPipClose ?? bridge?.traits.closesOnPipClose ?? false)
        endSmallWindow(says: !memory.pip.isByPage)
        if closesPlayer { closePlayer(dismisses: true) }
    }

    private mutating func endSmallWindow(says: Bool) {
        state.pip.phase = .inactive
        memory.pip.startDeadline = nil
        memory.pip.isByPage = false
        memory.pip.sawRestore = false
        // A start that came to nothing must not come back with the next connection.
        memory.outbox.removeAll { $0 == .startPictureInPicture }
        let mode = memory.pip.mode ?? .inline
        memory.pip.mode = nil
        // A player that was dismissed meanwhile is in no full screen any more.
        if state.presentation.mode == .pip { show(state.player.phase == .closed ? .inline : mode) }
        hideOverlay(false, says: says)
        rotate()
    }

    private mutating func pictureInPictureFailed(_ message: String?) {
        // A start that was taken back has nothing left to fail.
        if state.pip.phase == .inactive, !memory.pip.sawWillStart {
            memory.pip.lateStart = nil
            return
        }
        let wasStarting = state.pip.phase == .starting
        // A page that sees to its overlay by itself does not know that nothing came of it.
        memory.pip.isByPage = false
        pictureInPictureStopped(closes: !wasStarting)
        state.pip.error = message ?? "failed"
    }

    /// A full report wins over what is remembered, but for what the device is still to do.
    mutating func report(pictureInPicture isActive: Bool) {
        if isActive {
            guard !isAsked(.stopPictureInPicture) else { return }
            switch state.pip.phase {
            case .inactive, .starting: beginSmallWindow()
            case .active: break
            case .stopping:
                state.pip.phase = .active
                // Another page may be loaded meanwhile, which is not what is shown.
                show(.pip)
            }
        } else if !isAsked(.startPictureInPicture), state.pip.phase != .inactive {
            // It may be on its way: one that was announced counts when it is there, and one that is
            // to be stopped has still to be.
            let isAnnounced = state.pip.phase == .starting && memory.pip.sawWillStart
            let isUnwanted = state.pip.phase == .stopping && memory.pip.mode == nil
            pictureInPictureStopped(closes: false)
            memory.pip.sawWillStart = isAnnounced
            memory.pip.lateStart = isUnwanted ? .takenBack : nil
        }
    }

    private func isAsked(_ order: EffectOrder) -> Bool {
        memory.outbox.effects.contains { $0.order == order }
    }

    private mutating func hideOverlay(_ hidden: Bool, says: Bool) {
        state.pip.overlayHidden = hidden
        if says, state.player.phase != .closed { tell(.pipOverlay(hidden: hidden)) }
    }
}

/// Verdicts of the stage on what it was asked to do.
extension Transition {
    /// It accepted a start, which its facts will confirm.
    mutating func acknowledgeStart() {
        memory.pip.startDeadline = nil
    }

    /// It refused a start.
    mutating func refuseStart(_ message: String) {
        if state.pip.phase == .starting { pictureInPictureFailed(message) }
    }

    /// It carried out a stop; where nothing had started, no fact will follow.
    mutating func acknowledgeStop() {
        if state.pip.phase == .stopping, memory.pip.mode == nil {
            pictureInPictureStopped(closes: false)
            // The start that it did not find may still come.
            memory.pip.lateStart = .takenBack
        }
    }

    /// It could not stop, so only a report can tell what is shown.
    mutating func refuseStop() {
        if state.pip.phase == .stopping { emit(.reportFacts) }
    }

    /// A start that is late by now.
    mutating func expireStart() {
        let late = memory.outbox.effects.last { $0.order == .startPictureInPicture }
        takeBackStart()
        // One that was announced may still come, and counts then.
        let isAnnounced = memory.pip.sawWillStart
        pictureInPictureFailed(lateMessage)
        memory.pip.sawWillStart = isAnnounced
        if !isAnnounced { memory.pip.lateStart = .expired }
        publishLate(late)
    }
}
