/// What becomes of a `requestOrientation`: confirmed, tried once more, rolled back (contract: domain,
/// section 4.1).
extension Transition {
    /// When something that was asked for now is late; nil while nobody is there to do it.
    var effectDeadline: Instant? {
        state.stage?.connected == true
            ? now.advanced(bySeconds: policy.effectDeadlineSeconds) : nil
    }

    /// Asks for an orientation; a newer request makes verdicts on the older one void.
    mutating func request(_ orientation: InterfaceOrientation, before: OrientationRequest) {
        var request = before
        request.deadline = effectDeadline
        memory.orientationRequest = request
        emit(.requestOrientation(orientation))
    }

    /// The stage did what the open request asked for.
    mutating func confirmOrientation(_ orientation: InterfaceOrientation) {
        guard state.orientation.requested == orientation else { return }
        state.orientation.requested = nil
        memory.orientationRequest = nil
    }

    /// The stage refused the open request, or did not answer in time.
    mutating func refuseOrientation(_ orientation: InterfaceOrientation) {
        guard state.orientation.requested == orientation, var request = memory.orientationRequest
        else { return }
        if !request.isSecondTry {
            request.isSecondTry = true
            request.deadline = effectDeadline
            memory.orientationRequest = request
            return emit(.requestOrientation(orientation))
        }
        rollBack(to: request, from: orientation)
    }

    private mutating func rollBack(
        to before: OrientationRequest, from orientation: InterfaceOrientation
    ) {
        memory.orientationRequest = nil
        memory.outbox.removeAll { order in
            if case .requestOrientation = order { true } else { false }
        }
        state.orientation.requested = nil
        warn("orientation.rejected", "the device does not turn to \(orientation.rawValue)")
        guard state.player.phase != .closed else { return settleNotch() }
        state.orientation.armed = before.armed
        if state.presentation.mode == .pip {
            memory.pip.mode = before.mode
        } else {
            state.presentation.mode = before.mode
            emit(.setFullscreen(isFullscreen))
            tell(.fullscreen(isFullscreen))
        }
        settleNotch()
    }

    /// An open request that is late by now.
    mutating func expireOrientation() {
        guard let orientation = state.orientation.requested else {
            // Never: but a timer that is due and does nothing would be due for ever.
            memory.orientationRequest = nil
            return
        }
        let late = memory.outbox.effects.last { $0.order == .requestOrientation(orientation) }
        refuseOrientation(orientation)
        publishLate(late)
    }

    /// Publishes the system's verdict on an effect that nobody acknowledged in time.
    mutating func publishLate(_ effect: Effect?) {
        var failure = JSONObject()
        failure.append("seq", ifPresent: effect.map { .integer($0.seq) })
        failure.append("kind", ifPresent: effect.map { .string($0.order.kind) })
        failure.append("code", .string(Self.lateCode))
        failure.append("message", .string(lateMessage))
        published = ["type": "effect.failed", "failed": .array([.object(failure)])]
    }

    /// The code of an effect that nobody acknowledged in time.
    static let lateCode = "deadline"

    /// What is said of an effect that nobody acknowledged in time.
    var lateMessage: String { "not acknowledged within \(policy.effectDeadlineSeconds) s" }
}
