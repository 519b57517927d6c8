/// The stage and its outbox (contract: domain, section 4.7).
extension Transition {
    mutating func attachStage(
        _ device: String, reported: JSON?
    ) throws(Rejection) {
        if let stage = state.stage, stage.device != device {
            throw Rejection(
                code: 423, message: "stage.taken: the device \(stage.device) holds the stage")
        }
        let isReconnect = state.stage != nil && memory.stageDevice == device && !memory.isStageTaken
        let isFirst = memory.stageDevice == nil
        let isOtherDevice = memory.stageDevice != device
        state.stage = StageState(device: device, connected: true)
        memory.stageDevice = device
        memory.stageGraceEnds = nil
        var event = JSONObject()
        event.append("type", "stage.attached")
        event.append("device", .string(device))
        if isReconnect {
            // SDKs repeat the facts of the first subscribe, so nobody looks at them; they are asked
            // for anew.
            emit(.reportFacts)
            repeatsKeepAwake = true
        } else {
            let facts = try DeviceFact.Facts(reported, policy: policy)
            if !isFirst, isOtherDevice, !memory.isStageTaken { resetDeviceFacts() }
            // Before the facts, which must not turn a page that this device does not have.
            if !isFirst, isOtherDevice || memory.isStageTaken { showPresentPage() }
            try take(facts, path: "facts")
            event.append(
                "facts", ifPresent: reported.map { Redaction.publishable($0, policy: policy) })
        }
        memory.isStageTaken = false
        beginDeadlines()
        offerWaitingPlacement()
        published = .object(event)
    }

    mutating func detachStage() {
        guard let stage = state.stage else { return }
        state.stage?.connected = false
        // Nobody is there who could be late.
        memory.orientationRequest?.deadline = nil
        memory.pip.startDeadline = nil
        memory.stageGraceEnds = now.advanced(bySeconds: policy.stageGraceSeconds)
        published = ["type": "stage.detached", "device": .string(stage.device)]
    }

    mutating func vacateStage() {
        guard let stage = state.stage else { return }
        state.stage = nil
        memory.stageGraceEnds = nil
        published = ["type": "stage.vacated", "device": .string(stage.device)]
    }

    /// Lets `device` have the stage; gives the last effects for the stage before.
    mutating func takeStage(for device: String) -> [Effect] {
        guard let stage = state.stage, stage.device != device else { return [] }
        var farewell: [EffectOrder] = []
        if state.pip.phase != .inactive || memory.pip.sawWillStart {
            farewell.append(.stopPictureInPicture)
        }
        if state.player.phase != .closed, let script = bridge?.script(for: .close, policy: policy) {
            farewell.append(.evaluateJavaScript(.close, script))
        }
        if state.keepAwake {
            state.keepAwake = false
            farewell.append(.setKeepAwake(false))
        }
        farewell.append(.dismissPlayer)
        resetDeviceFacts()
        memory.isStageTaken = true
        state.stage = StageState(device: device, connected: false)
        memory.stageGraceEnds = now.advanced(bySeconds: policy.stageGraceSeconds)
        published = ["type": "stage.taken", "device": .string(device)]
        return farewell.map { order in
            Effect(seq: memory.outbox.nextSeq(), rev: revision, order: order)
        }
    }

    /// Forgets what the device before reported and what it was still to do.
    private mutating func resetDeviceFacts() {
        memory.outbox.removeAll { _ in true }
        state.orientation = OrientationState()
        memory.orientationRequest = nil
        forgetPictureInPicture()
        memory.lifecycle = nil
        memory.lastLandscape = nil
        memory.sawOrientation = false
        memory.pageDeaths = []
    }

    /// A new stage shows what the one before showed.
    private mutating func showPresentPage() {
        guard state.player.phase != .closed else { return }
        // A page that the app loaded by itself is not known here; its full screen is.
        if let page = presentPage() {
            dropScripts()
            start(page)
        } else if isLive {
            state.player.phase = .idle
        }
        if state.presentation.mode == .fullscreen { emit(.setFullscreen(true)) }
    }

    /// What is still to be done counts as late from now on.
    private mutating func beginDeadlines() {
        let deadline = effectDeadline
        memory.orientationRequest?.deadline = deadline
        // One that was carried out can still wait for its acknowledgement; it is not late.
        let isStarting =
            state.pip.phase == .starting
            && memory.outbox.effects.contains { $0.order == .startPictureInPicture }
        memory.pip.startDeadline = isStarting ? deadline : nil
    }

    mutating func acknowledge(done: [UInt64], failed: [EffectFailure]) {
        var known: [JSON] = []
        for seq in done {
            guard let effect = memory.outbox.remove(seq: seq) else { continue }
            take(verdict: nil, on: effect.order)
        }
        for failure in failed {
            guard let effect = memory.outbox.remove(seq: failure.seq) else { continue }
            take(verdict: failure, on: effect.order)
            known.append([
                "seq": .integer(failure.seq), "kind": .string(effect.order.kind),
                "code": .string(Redaction.url(failure.code, policy: policy)),
                "message": .string(Redaction.url(failure.message, policy: policy)),
            ])
        }
        if known.isEmpty {
            published = ["type": "effect.done", "done": .array(done.map { .integer($0) })]
        } else {
            published = ["type": "effect.failed", "failed": .array(known)]
            isSignal = true
        }
    }

    /// The few effects whose verdict the rules wait for; `verdict` is nil when it was carried out.
    private mutating func take(verdict failure: EffectFailure?, on order: EffectOrder) {
        switch order {
        case .requestOrientation(let orientation):
            failure == nil ? confirmOrientation(orientation) : refuseOrientation(orientation)
        case .startPictureInPicture:
            guard let failure else { return acknowledgeStart() }
            let message = failure.message.isEmpty ? failure.code : failure.message
            refuseStart(Redaction.url(message, policy: policy))
        case .stopPictureInPicture:
            failure == nil ? acknowledgeStop() : refuseStop()
        case .loadPage, .evaluateJavaScript, .setFullscreen, .hideKeyboard, .setKeepAwake,
            .reportFacts, .placeBet, .showToast, .presentPlayer, .presentShare, .presentLogin,
            .openURL, .showProduct, .showItem, .addToCalendar, .dismissPlayer:
            break
        }
    }
}
