import Coordinator

/// One simulated session: its phones, of which one has the stage, its mirrors, and the pace at which
/// they act.
package final class SimulatedSession {
    /// What all sessions of a run have in common.
    package struct Plan: Sendable, Equatable {
        /// Mirrors of each session.
        package var mirrors: Int
        /// Milliseconds of play.
        package var milliseconds: UInt64
        /// Events a second of each session.
        package var eventsPerSecond: UInt64
        /// The seed of all choices.
        package var seed: UInt64
        /// The vendors, dealt to the sessions in turn.
        package var vendors: [SimulatedVendor]
        /// Whether connections are dropped and readers delayed at random.
        package var chaos: Bool
        /// Begins every session id, so that runs against one daemon stay apart.
        package var name: String

        /// A plan.
        package init(
            mirrors: Int, milliseconds: UInt64, eventsPerSecond: UInt64 = 5, seed: UInt64,
            vendors: [SimulatedVendor] = [.genius], chaos: Bool = false, name: String
        ) {
            self.vendors = vendors
            self.mirrors = mirrors
            self.milliseconds = milliseconds
            self.eventsPerSecond = eventsPerSecond
            self.seed = seed
            self.chaos = chaos
            self.name = name
        }
    }

    /// The phones; the second one connects when it takes the stage for the first time.
    package let phones: [SimulatedPhone]
    /// The second screens.
    package let mirrors: [SimulatedScreen]
    /// The phone that has the stage, or is about to take it.
    package var phone: SimulatedPhone { phones[stage] }
    /// All screens that are there, the phones first.
    package var screens: [SimulatedScreen] {
        phones.filter(\.hasJoined).map(\.screen) + mirrors
    }
    /// Whether nothing is under way.
    package var isQuiet: Bool {
        phones.allSatisfy { $0.intentions == 0 }
            && screens.allSatisfy { !$0.awaitsAnswers && $0.isFollowing }
    }

    private let plan: Plan
    private let number: Int
    private let context: SimulationContext
    private let vendor: String
    private var performance: Performance
    /// Steps of the present scene that come later.
    private var waiting: ArraySlice<PhoneStep> = []
    private var stage = 0
    private var mirrorScripts: [MirrorScript]
    private var pace: SplitMix64
    private var ledger = LatencyLedger()
    private var isPlaying = false
    private var bursts = 0

    /// Unanswered requests of one session above which no step is played.
    private static let maximumOutstanding = 32

    /// Session `number` of a run, not yet connected.
    package init?(number: Int, plan: Plan, context: SimulationContext) {
        guard let id = SessionID("\(plan.name)-\(number)"), !plan.vendors.isEmpty else {
            return nil
        }
        let script = plan.vendors[number % plan.vendors.count].script
        vendor = script.vendor
        self.plan = plan
        self.number = number
        self.context = context
        performance = Performance(
            script, seed: plan.seed, fixture: number, name: "\(id)-p")
        pace = SplitMix64(seed: plan.seed ^ 0x7061_6365, part: UInt64(number))
        phones = ["phone-\(number)", "phone-\(number)b"].enumerated().map { index, device in
            SimulatedPhone(
                screen: SimulatedScreen(session: id, device: device, context: context),
                script: script, fixture: number, seed: plan.seed ^ UInt64(index),
                context: context)
        }
        mirrors = (0..<plan.mirrors).map {
            SimulatedScreen(session: id, device: "mirror-\(number)-\($0)", context: context)
        }
        mirrorScripts = (0..<plan.mirrors).map {
            MirrorScript(
                seed: plan.seed, fixture: number, mirror: $0, name: "\(id)-m\($0)",
                hasPictureInPicture: script.hasPictureInPicture)
        }
        let all = phones.map(\.screen) + mirrors
        for screen in all { screen.vendor = vendor }
        if plan.chaos {
            let ledger = RevisionLedger(session: id) { context.tally.violated($0) }
            for screen in all { screen.revisions = ledger }
        }
        for screen in all { observe(screen) }
        phones[0].screen.onItem = { [weak self] in self?.count($0) }
    }

    /// Connects everybody and plays until ``stop()``.
    package func start() {
        isPlaying = true
        tally { $0.sessions += 1 }
        phone.start()
        for mirror in mirrors { mirror.start() }
        scheduleStep(afterEvents: 1)
        if !mirrors.isEmpty { scheduleDrop() }
        if plan.chaos { scheduleChaos() }
    }

    /// Plays no further step; every second session ends with its player closed.
    package func stop() {
        isPlaying = false
        if number % 2 == 1, phone.isReady { phone.close() }
    }

    /// Sends many small events at once, so that some are under way whenever what follows comes.
    package func burst() {
        for screen in screens where screen.isFollowing && isPlaying {
            bursts += 1
            screen.apply(["type": "betslip.open"])
            for cents in 0..<4 {
                let stake = SimulatedSelection.decimalText(cents: 100 + 10 * bursts + cents)
                screen.apply(["type": "betslip.update", "stake": .string(stake)])
            }
        }
    }

    /// Compares what screens remember having sent with what they saw, when all is over.
    package func audit() {
        for screen in screens { screen.auditEvents() }
    }

    /// Ends all connections.
    package func end() {
        for screen in screens { screen.stop() }
    }

    private func observe(_ screen: SimulatedScreen) {
        screen.onPushed = { [weak self, device = screen.device] item in
            guard let self, case .revision(let revision, let sender, _, _) = item else { return }
            guard !self.phones.contains(where: { $0.screen.device == device }) else { return }
            self.record(
                self.ledger.arrived(revision: revision, device: sender, at: self.context.now()))
        }
        screen.onAnswer = { [weak self, device = screen.device] answer in
            guard let self, case .accepted(let result, let sentAt) = answer,
                result["duplicate"] == nil, let revision = result["rev"]?.number?.unsigned
            else { return }
            self.record(
                self.ledger.answered(device: device, revision: revision, sentAt: sentAt))
        }
    }

    /// The first phone is there from the beginning and follows to the end, so it hears of everything.
    private func count(_ item: Mirror.Item) {
        let codes =
            switch item {
            case .revision(_, _, _, let warnings), .signal(_, let warnings): warnings
            }
        for code in codes { tally { $0.warnings[code, default: 0] += 1 } }
    }

    private func tally(_ change: (inout VendorTally) -> Void) {
        change(&context.tally.vendors[vendor, default: VendorTally()])
    }

    /// Compares what the phones' devices do with the session's state.
    package func compareDevices() {
        for phone in phones where phone.hasJoined { phone.compareDevice() }
    }

    private func record(_ durations: LatencyLedger.Durations) {
        for duration in durations { context.tally.latencyToScreens.record(duration) }
    }

    /// The next step comes when the events of the last one have had their time, give or take a third.
    private func scheduleStep(afterEvents events: Int) {
        let usual = UInt64(events) * 1000 / max(1, plan.eventsPerSecond)
        let pause = UInt64.random(in: (usual * 2 / 3)...(usual * 4 / 3 + 1), using: &pace)
        context.schedule(afterMilliseconds: pause) { [weak self] in self?.step() }
    }

    private func step() {
        guard isPlaying else { return }
        let outstanding = screens.reduce(0) { $0 + $1.outstanding }
        guard outstanding < Self.maximumOutstanding else {
            context.tally.stepsSkipped += 1
            return scheduleStep(afterEvents: 1)
        }
        if let index = mirrors.indices.randomElement(using: &pace), pace.chance(20) {
            let mirror = mirrors[index]
            if mirror.isFollowing {
                let event = mirrorScripts[index].next(seeing: mirror.memory.state)
                mirror.apply(event) { [weak self] answer in
                    guard case .accepted(let result, _) = answer, event["type"] == "betslip.place",
                        result["duplicate"] == nil
                    else { return }
                    self?.context.tally.placements += 1
                }
            }
            return scheduleStep(afterEvents: 1)
        }
        scheduleStep(afterEvents: act())
    }

    /// Plays on until the scene pauses; gives how many events that led to.
    private func act() -> Int {
        guard phone.canPlay(waiting.first ?? .pause) else { return 1 }
        if waiting.isEmpty {
            let (scene, steps) = performance.next()
            waiting = steps[...]
            tally { $0.scenes[scene, default: 0] += 1 }
        }
        var events = 0
        while let step = waiting.first, step != .pause {
            // What belongs to a page waits until it is there.
            guard phone.canPlay(step) else { return max(1, events) }
            waiting.removeFirst()
            events += step.eventCount
            if step == .takeOver { takeOver() } else { phone.play(step) }
        }
        _ = waiting.popFirst()
        return max(1, events)
    }

    private func takeOver() {
        stage = 1 - stage
        tally { $0.takeOvers += 1 }
        phone.takeOver()
    }

    /// The first mirror goes away for a moment in the middle of the play.
    private func scheduleDrop() {
        let middle = plan.milliseconds / 2
        let moment = UInt64.random(in: (middle / 2)...(middle + middle / 2), using: &pace)
        let pause = UInt64.random(in: 100...800, using: &pace)
        drop(afterMilliseconds: moment, forMilliseconds: pause)
    }

    private func drop(afterMilliseconds moment: UInt64, forMilliseconds pause: UInt64) {
        context.schedule(afterMilliseconds: moment) { [weak self] in
            guard let self, self.isPlaying, let mirror = self.mirrors.first else { return }
            if mirror.isFollowing {
                mirror.drop(forMilliseconds: pause)
            } else {
                self.drop(afterMilliseconds: 50, forMilliseconds: pause)
            }
        }
    }

    private func scheduleChaos() {
        let pause = UInt64.random(in: 500...3000, using: &pace)
        context.schedule(afterMilliseconds: pause) { [weak self] in
            guard let self, self.isPlaying else { return }
            self.disturb()
            self.scheduleChaos()
        }
    }

    private func disturb() {
        guard let victim = screens.randomElement(using: &pace) else { return }
        let pause = UInt64.random(in: 20...1500, using: &pace)
        if pace.chance(50) {
            victim.drop(forMilliseconds: pause)
        } else {
            victim.stall(forMilliseconds: pause)
        }
    }
}
