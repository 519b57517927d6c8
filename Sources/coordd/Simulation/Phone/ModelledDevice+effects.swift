package import Coordinator

/// How the modelled device carries out effects (contract: domain, section 6).
extension ModelledDevice {
    /// Carries out an effect; `random` decides what a real device might do one way or the other.
    package mutating func perform(
        _ effect: JSON, seq: UInt64, kind: String, using random: inout SplitMix64
    ) -> [Reaction] {
        switch kind {
        case "loadPage": return load(effect, seq)
        case "evaluateJavaScript": return evaluate(effect, seq)
        case "setFullscreen":
            return with(effect["on"]?.bool, "setFullscreen without on", seq) {
                $0.isFullscreen = $1
            }
        case "setKeepAwake":
            return with(effect["on"]?.bool, "setKeepAwake without on", seq) { $0.staysAwake = $1 }
        case "requestOrientation": return turn(effect, seq, using: &random)
        case "startPictureInPicture": return startWindow(seq, acknowledgesFirst: random.chance(50))
        case "stopPictureInPicture": return stopWindow(seq, cancels: random.chance(50))
        case "dismissPlayer": return dismiss(seq)
        case "reportFacts":
            return [.tell(["type": "device.report", "facts": facts]), .acknowledge(seq)]
        case "placeBet":
            guard let id = effect["placementId"]?.string, effect["selections"]?.array != nil else {
                return [.complain("placeBet without a placement")]
            }
            return [.offered(placement: id)]
        case "presentLogin": return [.acknowledge(seq), .logIn]
        case "presentShare", "openURL":
            return checked(effect["url"]?.string?.hasPrefix("http") == true, "\(kind): no URL", seq)
        case "showProduct":
            return checked(effect["data"] != nil, "showProduct without data", seq)
        case "showItem":
            return checked(effect["target"]?.string != nil, "showItem without target", seq)
        case "addToCalendar":
            let start = effect["start"]?.number?.unsigned ?? 0
            let end = effect["end"]?.number?.unsigned ?? 0
            return checked(start > 0 && end > start, "addToCalendar without a time", seq)
        case "hideKeyboard", "presentPlayer", "showToast": return [.acknowledge(seq)]
        default: return [.complain("the effect \(kind) is unknown"), .acknowledge(seq)]
        }
    }

    private func checked(_ isFine: Bool, _ complaint: String, _ seq: UInt64) -> [Reaction] {
        isFine ? [.acknowledge(seq)] : [.complain(complaint), .acknowledge(seq)]
    }

    private mutating func with<Value>(
        _ value: Value?, _ complaint: String, _ seq: UInt64,
        _ change: (inout ModelledDevice, Value) -> Void
    ) -> [Reaction] {
        if let value { change(&self, value) }
        return checked(value != nil, complaint, seq)
    }

    private mutating func load(_ effect: JSON, _ seq: UInt64) -> [Reaction] {
        let url = effect["url"]?.string
        guard let generation = effect["page"]?.number?.unsigned,
            url != nil || effect["html"]?.string != nil
        else {
            return [.complain("loadPage without page or content"), .acknowledge(seq)]
        }
        // The outbox gives it again when its acknowledgement was lost.
        if let page, page.generation == generation { return [.acknowledge(seq)] }
        let complaint = unclosed("replaced")
        page = ModelledPage(
            generation: generation, address: url ?? effect["baseURL"]?.string)
        isShown = true
        return complaint + [
            .acknowledge(seq), .later(.pageArrives(generation: generation), 5...40),
        ]
            + loseWindow()
    }

    /// A page that needs a close script leaks its requests without it.
    private func unclosed(_ what: String) -> [Reaction] {
        guard let page, page.isUp, page.told["close"] == nil,
            marks.contains(where: { $0.name == "close" })
        else { return [] }
        return [.complain("a page was \(what) without its close script")]
    }

    private mutating func evaluate(_ effect: JSON, _ seq: UInt64) -> [Reaction] {
        guard let script = effect["script"]?.string else {
            return [.complain("evaluateJavaScript without script"), .acknowledge(seq)]
        }
        let delay = effect["afterMs"]?.number?.unsigned ?? 0
        if delay == 0, heldScripts.isEmpty { return run(script) + [.acknowledge(seq)] }
        // A script never overtakes one that waits.
        heldScripts.append(HeldScript(text: script, seq: seq, delay: delay))
        return heldScripts.count == 1 ? [.later(.scriptRuns, delay...delay)] : []
    }

    /// Evaluates the script that has waited long enough, and those behind it that need not wait.
    mutating func runHeldScripts() -> [Reaction] {
        var reactions: [Reaction] = []
        while let script = heldScripts.first {
            if script.delay > 0, !reactions.isEmpty {
                return reactions + [.later(.scriptRuns, script.delay...script.delay)]
            }
            heldScripts.removeFirst()
            reactions += run(script.text) + [.acknowledge(script.seq)]
        }
        return reactions
    }

    /// Turns the screen as asked, unless the operating system refuses.
    private mutating func turn(
        _ effect: JSON, _ seq: UInt64, using random: inout SplitMix64
    ) -> [Reaction] {
        guard let asked = effect["orientation"]?.string, let side = PhoneSide(interface: asked)
        else { return [.complain("requestOrientation to an unknown side"), .acknowledge(seq)] }
        if rotationsToRefuse > 0 {
            rotationsToRefuse -= 1
            return [.acknowledge(seq, Failure(code: "rotationLocked", message: "it is locked"))]
        }
        newestTurn = max(newestTurn, seq)
        // Either word confirms the request, and systems differ in which comes first.
        let act = Act.screenTurns(side, seq: seq, acknowledgesFirst: random.chance(50))
        return [.later(act, 10...120)]
    }

    /// Some apps acknowledge the call, others wait until the window is there.
    private mutating func startWindow(_ seq: UInt64, acknowledgesFirst: Bool) -> [Reaction] {
        switch window {
        case .active: return [.tell(PhoneEvents.smallWindow("started")), .acknowledge(seq)]
        case .starting where stopAfterOpening == nil:
            return [.later(.windowOpens(attempt: attempts, seq: seq), 10...80)]
        case .starting, .stopping:
            return [.acknowledge(seq, Failure(code: "pipBusy", message: "it is going away"))]
        case .none where refusesSmallWindow:
            refusesSmallWindow = false
            return [.acknowledge(seq, Failure(code: "pipRefused", message: "refused"))]
        case .none:
            return acknowledgesFirst
                ? [.acknowledge(seq)] + openWindow(seq: nil) : openWindow(seq: seq)
        }
    }

    /// A window that is opening can be cancelled on some systems; others open it first.
    private mutating func stopWindow(_ seq: UInt64, cancels: Bool) -> [Reaction] {
        switch window {
        case .none: return [.acknowledge(seq)]
        case .starting where cancels:
            window = .none
            return [.acknowledge(seq)]
        case .starting:
            defer { stopAfterOpening = seq }
            return stopAfterOpening.map { [.acknowledge($0)] } ?? []
        case .active: return closeWindow(seq: seq)
        case .stopping: return [.later(.windowCloses(seq: seq), 80...100)]
        }
    }

    private mutating func dismiss(_ seq: UInt64) -> [Reaction] {
        let complaint = unclosed("dismissed")
        isShown = false
        isFullscreen = false
        // A page that is still on its way comes yet, and says so.
        if page?.isUp == true { page = nil }
        let lost = window == .active ? closeWindow(seq: nil) : []
        return complaint + [.acknowledge(seq)] + lost
    }
}
