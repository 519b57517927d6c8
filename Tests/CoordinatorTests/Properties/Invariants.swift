import Coordinator

/// What holds after every transition, whatever came before (contract: domain, sections 2 to 4).
struct Invariants {
    /// The highest number that an effect had so far.
    private var lastSeq: UInt64 = 0
    /// The generation that the last `loadPage` had.
    private var lastPage: UInt64 = 0

    /// The sentences that do not hold.
    mutating func broken(by moment: Moment, policy: Policy) -> [String] {
        var broken: [String] = []
        func demand(_ holds: Bool, _ sentence: String) {
            if !holds { broken.append(sentence) }
        }
        Self.presentation(moment, demand)
        Self.orientation(moment, demand)
        Self.smallWindow(moment, demand)
        Self.player(moment, demand)
        Self.stage(moment, policy, demand)
        SlipInvariants.check(moment, demand)
        for effect in moment.effects {
            demand(effect.seq > lastSeq, "the numbers of effects increase strictly")
            lastSeq = max(lastSeq, effect.seq)
            guard case .loadPage(let page) = effect.order else { continue }
            demand(page.generation == lastPage + 1, "every page is one generation younger")
            demand(
                page.generation == moment.after.state.player.page,
                "the page that is loaded is the present one")
            lastPage = page.generation
        }
        demand(
            (moment.after.state.player.page ?? 0) == lastPage,
            "the generation changes with a loadPage only")
        return broken
    }

    typealias Demand = (_ holds: Bool, _ sentence: String) -> Void

    private static func presentation(_ moment: Moment, _ demand: Demand) {
        let state = moment.after.state
        let mode = state.presentation.mode
        let phase = state.pip.phase
        demand(mode != .pip || phase == .active || phase == .stopping, "pip mode needs a window")
        demand(phase != .active || mode == .pip, "an active window is the mode")
        let shown = moment.after.memory.lifecycle != .background || phase != .inactive
        demand(
            state.keepAwake
                == (state.player.phase == .ready && state.stage?.connected == true && shown),
            "keepAwake follows from the rest")
        let orders = moment.effects.map(\.order)
        if moment.before.state.keepAwake != state.keepAwake {
            demand(orders.contains(.setKeepAwake(state.keepAwake)), "keepAwake is told")
        }
        let isOn = mode == .fullscreen
        for case .setFullscreen(let on) in orders {
            demand(on == isOn, "setFullscreen says what is")
        }
        for case .setFullscreen(let on) in moment.after.memory.outbox.effects.map(\.order) {
            demand(on == isOn, "what waits says what is")
        }
        let wasOn = moment.before.state.presentation.mode == .fullscreen
        if wasOn != isOn, !moment.isReset {
            demand(orders.contains(.setFullscreen(isOn)), "a change of full screen is told")
        }
    }

    private static func orientation(_ moment: Moment, _ demand: Demand) {
        let state = moment.after.state
        let memory = moment.after.memory
        demand(
            (state.orientation.requested != nil) == (memory.orientationRequest != nil),
            "an orientation is requested while a request is open")
        demand(
            state.orientation.safeArea != nil || state.orientation.notch == .none,
            "without insets there is no notch")
        let wasOn = moment.before.state.presentation.mode == .fullscreen
        let isOn = state.presentation.mode == .fullscreen
        guard moment.isEvent("device.orientation"), wasOn != isOn else { return }
        let before = moment.before.state
        demand(
            before.orientation.armed && before.player.phase == .ready
                && before.presentation.tab == .video && before.pip.phase == .inactive,
            "the sensor changes full screen only while it may")
        let flat: [DeviceOrientation] = [.unknown, .faceUp, .faceDown]
        let isLandscape = [.landscapeLeft, .landscapeRight].contains(state.orientation.device)
        demand(
            flat.contains(state.orientation.device) || isLandscape == isOn,
            "the sensor changes full screen as it is held")
    }

    private static func smallWindow(_ moment: Moment, _ demand: Demand) {
        let pip = moment.after.state.pip
        let memory = moment.after.memory
        demand(
            pip.overlayHidden == (pip.phase == .active) || pip.phase == .stopping,
            "the overlay is hidden while the window is there")
        demand(
            memory.pip.startDeadline == nil || pip.phase == .starting,
            "only a start has a deadline")
        let orders = memory.outbox.effects.map(\.order)
        demand(
            !orders.contains(.startPictureInPicture) || pip.phase == .starting
                || pip.phase == .active,
            "a start that is not wanted does not wait")
        if pip.phase == .starting, orders.contains(.startPictureInPicture),
            moment.after.state.stage?.connected == true
        {
            demand(memory.pip.startDeadline != nil, "a start that waits has a deadline")
        }
        let web = moment.after.state.vendor?.rawValue
        if ["genius", "sportradar", "bambuser"].contains(web), moment.before.state.vendor != nil {
            demand(
                !moment.effects.map(\.order).contains(.startPictureInPicture),
                "a web view without picture-in-picture is not asked for it")
        }
    }

    private static func player(_ moment: Moment, _ demand: Demand) {
        let player = moment.after.state.player
        if moment.before.state.player.phase == .closed {
            demand(
                player.phase == .closed || moment.isEvent("player.load"),
                "only a load opens a closed player")
        }
        demand(player.phase != .loading || player.page != nil, "a page that loads has a number")
        demand(
            player.error == nil || player.phase == .failed || player.phase == .closed,
            "an error belongs to a failed page")
        demand(player.phase != .failed || player.error != nil, "a failed page has an error")
        demand(
            player.phase == .closed || !moment.after.memory.remembersClose,
            "a close is remembered while closed")
        let isShown = player.phase == .loading || player.phase == .ready
        demand(!isShown || moment.after.state.vendor != nil, "a page has a vendor")
        demand(
            !JSONWriter.text(of: moment.after.state.json).contains(RandomEvents.secret),
            "no secret is published")
        for warning in moment.outcome?.warnings ?? [] {
            demand(!warning.message.contains(RandomEvents.secret), "no secret is in a warning")
        }
        // Without it the old page's requests leak.
        guard moment.before.state.vendor?.rawValue == "genius" else { return }
        let was = moment.before.state.player.phase
        let isLeft =
            player.phase == .closed && was != .closed
            || moment.isEvent("player.load") && player.page != moment.before.state.player.page
                && (was == .loading || was == .ready)
        guard isLeft else { return }
        demand(moment.effects.contains { $0.isScript(.close) }, "a page that is left is closed")
    }

    private static func stage(_ moment: Moment, _ policy: Policy, _ demand: Demand) {
        let state = moment.after.state
        let memory = moment.after.memory
        let isConnected = state.stage?.connected == true
        demand(
            isConnected || memory.orientationRequest?.deadline == nil,
            "nobody who is away is late")
        demand(isConnected || memory.pip.startDeadline == nil, "nobody who is away is late")
        demand(
            !isConnected || (memory.orientationRequest.map { $0.deadline != nil } ?? true),
            "an open request has a deadline")
        demand(
            (memory.stageGraceEnds != nil) == (state.stage != nil && !isConnected),
            "the grace runs while the stage is away")
        let orders = memory.outbox.effects.map(\.order)
        demand(orders.count <= policy.outboxLimit, "the outbox is bounded")
        // Each page that goes has its close script, acknowledged or not.
        let keys = orders.compactMap { order -> String? in
            if case .evaluateJavaScript(.close, _, _) = order { nil } else { order.mergeKey }
        }
        demand(Set(keys).count == keys.count, "effects of one merge key replace each other")
        demand(
            zip(memory.outbox.effects, memory.outbox.effects.dropFirst())
                .allSatisfy { $0.seq < $1.seq },
            "the outbox is in order")
        for case .placeBet in orders { demand(false, "a bet is never in the outbox") }
        if case .expire = moment.cause {
            demand(moment.outcome?.kind == .revision, "a timer changes something")
        }
    }
}

extension Moment {
    /// Whether the device's facts are reset: at a take-over, and when another device attaches.
    var isReset: Bool {
        switch cause {
        case .take: true
        case .attach(let device):
            before.memory.stageDevice != device && after.state.presentation.mode != .fullscreen
        case .event, .detach, .acknowledge, .expire, .restart: false
        }
    }
}

extension Effect {
    func isScript(_ wanted: EffectOrder.Script) -> Bool {
        guard case .evaluateJavaScript(let script, _, _) = order else { return false }
        return script == wanted
    }
}
