/// The stage and its outbox (contract: domain, section 4.7).
extension Transition {
    mutating func attachStage(
        _ device: String, facts: DeviceFact.Facts, reported: JSON?
    ) throws(Rejection) {
        if let stage = state.stage, stage.device != device {
            throw Rejection(
                code: 423, message: "stage.taken: the device \(stage.device) holds the stage")
        }
        let isReconnect = state.stage != nil && memory.stageDevice == device
        let isOtherDevice = memory.stageDevice.map { $0 != device } ?? false
        state.stage = StageState(device: device, connected: true)
        memory.stageDevice = device
        memory.stageGraceEnds = nil
        if isReconnect {
            // SDKs repeat the facts of the first subscribe, so they are asked for anew.
            emit(.reportFacts)
            repeatsKeepAwake = true
        } else {
            // A stage that was taken was reset then; one that was vacated still has old facts.
            if isOtherDevice { resetDeviceFacts() }
            try take(facts)
            if isOtherDevice { showPresentPage() }
        }
        offerWaitingPlacement()
        var event: JSONObject = JSONObject()
        event.append("type", "stage.attached")
        event.append("device", .string(device))
        if !isReconnect { event.append("facts", ifPresent: reported) }
        published = .object(event)
    }

    mutating func detachStage() {
        guard let stage = state.stage else { return }
        state.stage?.connected = false
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
        if isLive, let script = bridge?.closeScript {
            farewell.append(.evaluateJavaScript(.close, script))
        }
        if state.keepAwake {
            state.keepAwake = false
            farewell.append(.setKeepAwake(false))
        }
        farewell.append(.dismissPlayer)
        resetDeviceFacts()
        state.stage = StageState(device: device, connected: false)
        memory.stageGraceEnds = now.advanced(bySeconds: policy.stageGraceSeconds)
        published = ["type": "stage.taken", "device": .string(device)]
        return farewell.map { order in
            Effect(seq: memory.outbox.nextSeq(), rev: revision, order: order)
        }
    }

    private mutating func resetDeviceFacts() {
        memory.outbox.removeAll { _ in true }
        state.orientation = OrientationState()
        state.pip.supported = nil
        memory.lifecycle = nil
        memory.lastLandscape = nil
        memory.sawOrientation = false
    }

    /// A new stage shows what the one before showed.
    private mutating func showPresentPage() {
        guard state.player.phase != .closed, let page = presentPage() else { return }
        start(page)
        if state.presentation.mode == .fullscreen { emit(.setFullscreen(true)) }
    }

    mutating func acknowledge(done: [UInt64], failed: [EffectFailure]) {
        var known: [JSON] = []
        for seq in done {
            guard let effect = memory.outbox.remove(seq: seq) else { continue }
            if case .requestOrientation(let orientation) = effect.order,
                state.orientation.requested == orientation
            {
                state.orientation.requested = nil
            }
        }
        for failure in failed {
            guard let effect = memory.outbox.remove(seq: failure.seq) else { continue }
            known.append([
                "seq": .integer(failure.seq), "kind": .string(effect.order.kind),
                "code": .string(failure.code), "message": .string(failure.message),
            ])
        }
        if known.isEmpty {
            published = ["type": "effect.done", "done": .array(done.map { .integer($0) })]
        } else {
            published = ["type": "effect.failed", "failed": .array(known)]
            isSignal = true
        }
    }
}
