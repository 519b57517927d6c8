import Coordinator
import TestSupport

// MARK: - What a device does

extension Device {
    /// Does one thing.
    func act() {
        tend()
        guard link != nil else { return }
        guard isConnected else { return }
        if following == .not, chance(80) { follow() }
        if following == .live, !unanswered.isEmpty, chance(30) { sendAgain() }
        if kind == .phone, stage == .not, chance(20) {
            wantStage()
            return
        }
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<120: acknowledge()
        case 120..<140: askState()
        case 140..<148: askHistory()
        case 148..<150: askMuch()
        case 150..<155: askPresence()
        case 155..<185: repeatAnswered()
        case 185..<192: if kind == .phone { ask(.take, rpc("stage.take")) }
        case 192..<194: if stage == .live, chance(20) { ask(.close, rpc("session.close")) }
        case 194..<200: followTwice()
        case 200..<208: leave()
        case 208..<212: leaveStage()
        default: sendSomething()
        }
    }

    private var slip: JSON? { mirror?.state["betslip"] }

    private func sendSomething() {
        guard kind != .observer || chance(3) else { return }
        switch slip?["status"]?.string {
        case "placing", "unknown":
            // The bet first: nothing else about the slip would be accepted.
            if !bets.isEmpty || stage == .live, chance(50) { return settleBet() }
            sendEvent(stage == .live ? stageEvent() : wish())
        case "open":
            if chance(10) { return sendEvent(placement()) }
            sendEvent()
        default: sendEvent()
        }
    }

    func askState() { ask(.state, rpc("session.state")) }

    func askPresence() { ask(.presence, #""presence":{"channel":"session:\#(session)"}"#) }

    private func rpc(_ method: String, _ more: String = "") -> String {
        #""rpc":{"method":"\#(method)","data":{"session":"\#(session)"\#(more)}}"#
    }

    private func askHistory() {
        ask(.history, #""history":{"channel":"session:\#(session)","limit":-1}"#)
    }

    /// More than a slow reader takes, and perhaps more than the server answers at a time.
    private func askMuch() {
        for _ in 0..<Int.random(in: 2...40, using: &random) {
            if chance(50) { askHistory() } else { askState() }
        }
    }

    func wantStage() {
        stage = .asked
        let facts = chance(50) ? #","data":{"facts":{"orientation":"portrait"}}"# : ""
        ask(.stage, #""subscribe":{"channel":"stage:\#(session)"\#(facts)}"#)
    }

    private func acknowledge() {
        guard stage == .live, !inbox.isEmpty else { return }
        var done: [UInt64] = []
        var failed: [UInt64] = []
        for seq in inbox where chance(70) {
            if chance(10) { failed.append(seq) } else { done.append(seq) }
        }
        inbox.removeAll { done.contains($0) || failed.contains($0) }
        let failures = failed.map { #"{"seq":\#($0),"code":"busy","message":"not now"}"# }
        ask(
            .acknowledge(done + failed, following == .live ? incarnation : nil),
            rpc(
                "effects.ack",
                #","done":[\#(done.map(String.init).joined(separator: ","))],"#
                    + #""failed":[\#(failures.joined(separator: ","))]"#))
    }

    /// Sends an event once more whose answer it has: nothing may come of it.
    private func repeatAnswered() {
        // As long as the server must remember it; some that are under way count too.
        let limit = world.weather.session.idempotencyIDs - 20
        answered.removeAll { accepted - ($0.answer?.place ?? 0) > limit }
        guard !answered.isEmpty else { return }
        send(answered.remove(at: Int.random(in: 0..<answered.count, using: &random)))
    }

    private func followTwice() {
        guard following == .live else { return }
        ask(.followAgain, #""subscribe":{"channel":"session:\#(session)"}"#)
    }

    private func leave() {
        guard following == .live else { return }
        following = .leaving
        ask(.leave, #""unsubscribe":{"channel":"session:\#(session)"}"#)
        // Some come back in the same breath.
        if chance(50) { askToFollow(recovers: false) }
    }

    private func leaveStage() {
        guard stage == .live else { return }
        stage = .leaving
        ask(.leaveStage, #""unsubscribe":{"channel":"stage:\#(session)"}"#)
    }

    /// Says what became of a bet: of one that it was told to place, or on the stage of any.
    private func settleBet() {
        let shown = slip?["placement"]?["id"]?.string
        guard let id = chance(50) ? bets.popLast() ?? shown : shown ?? bets.popLast() else {
            return sendEvent()
        }
        let outcome = pick(["accepted", "accepted", "rejected", "unknown"])
        sendEvent(
            #""type":"betslip.settle","placementId":"\#(id)","outcome":"\#(outcome)""#)
    }

    private func placement() -> String {
        let seen = chance(50) ? #","ifSlip":\#(slip?.unsigned("revision") ?? 0)"# : ""
        return #""type":"betslip.place","placementId":"p\#(world.tags + 1)"\#(seen)"#
    }

    private func sendEvent(_ event: String? = nil) {
        // A device does not run ahead of its answers for ever.
        guard unanswered.count + questions.count < 12 else { return }
        world.tags += 1
        let tag = world.tags
        let id = chance(80) ? "\(name)-\(tag)" : nil
        send(Call(tag: tag, id: id, text: #"{\#(event ?? self.event(tag)),"tag":\#(tag)}"#))
    }

    func send(_ call: Call) {
        var call = call
        call.sends += 1
        world.tally.events += 1
        if call.sends > 1 { world.tally.repeats += 1 }
        guard call.id != nil || chance(50) else {
            return ask(
                .apply(call),
                rpc("session.apply", #","event":\#(call.text),"ifRev":\#(mirror?.revision ?? 0)"#))
        }
        let id = call.id.map { #","id":"\#($0)""# } ?? ""
        ask(.apply(call), rpc("session.apply", #","event":\#(call.text)\#(id)"#))
    }
}

// MARK: - Events

extension Device {
    private func event(_ tag: UInt64) -> String {
        if stage == .live, chance(50) { return stageEvent() }
        let selection = #""sportsbookSelectionId":"s\#(Int.random(in: 1...4, using: &random))""#
        switch Int.random(in: 0..<20, using: &random) {
        case 0...4:
            return #""type":"betslip.add",\#(selection),"decimalPrice":\#(price())"#
        case 5, 6:
            return #""type":"betslip.update",\#(selection),"decimalPrice":\#(price())"#
        case 7, 8: return #""type":"betslip.update","stake":"\#(stake())""#
        case 9: return #""type":"betslip.open""#
        case 10: return #""type":"betslip.close""#
        case 11: return #""type":"betslip.cancel""#
        case 12: return #""type":"betslip.remove",\#(selection)"#
        case 13: return #""type":"betslip.place","placementId":"p\#(tag)""#
        case 14...17: return wish()
        case 18: return #""type":"\#(pick(["betslip.nonsense", "device.keyboard"]))","height":3"#
        default: return #""type":"betslip.open",\#(selection),"decimalPrice":\#(price())"#
        }
    }

    private func wish() -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return #""type":"fullscreen.toggle""#
        case 4...8: return #""type":"fullscreen.set","on":\#(chance(50))"#
        default: return #""type":"\#(pick(["pip.start", "pip.stop", "pip.toggle"]))""#
        }
    }

    private func price() -> String {
        pick([#""1.85""#, "1.9", "2", #""2.25""#, "3.5", "11", #""\#(chance(20) ? "x" : "4")""#])
    }

    private func stake() -> String { pick(["1", "2.50", "10.00", "0", "77.7"]) }

    private func stageEvent() -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...4:
            let side = pick(["portrait", "landscapeLeft", "landscapeRight", "faceUp"])
            return #""type":"device.orientation","orientation":"\#(side)""#
        case 5, 6:
            let side = pick(["portrait", "landscapeLeft", "landscapeRight"])
            return #""type":"device.interface","orientation":"\#(side)""#
        case 7: return #""type":"device.keyboard","height":200"#
        case 8, 9:
            let phase = pick(["willStart", "started", "willStop", "stopped", "failed", "restore"])
            return #""type":"device.pip","phase":"\#(phase)""#
        case 10:
            let phase = pick(["active", "inactive", "background"])
            return #""type":"device.lifecycle","phase":"\#(phase)""#
        case 11, 12:
            return bridge(#"{"type":"init"}"#)
        case 13: return bridge(#"{"type":"toggleFullscreen"}"#)
        case 14, 15:
            return bridge(
                #"{"type":"multibet-event","payload":{"command":"addToBetslip","#
                    + #""sportsbookSelectionId":"s2","decimalPrice":\#(price())}}"#)
        case 16, 17:
            let fixture = Int.random(in: 1...3, using: &random)
            return
                #""type":"player.load","vendor":"genius","content":{"fixtureId":"\#(fixture)","#
                + #""apiKey":"hunter2"}"#
        case 18: return #""type":"theme.set","theme":"\#(pick(["dark", "light"]))""#
        default: return chance(10) ? #""type":"player.close""# : #""type":"device.dismissed""#
        }
    }

    private func bridge(_ body: String) -> String {
        #""type":"bridge","handler":"gsVideoPlayerBridge","body":\#(body)"#
    }
}
