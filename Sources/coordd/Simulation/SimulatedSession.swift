import Coordinator

/// One simulated session: a phone, its mirrors, and the pace at which they act.
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
        /// Whether connections are dropped and readers delayed at random.
        package var chaos: Bool
        /// Begins every session id, so that runs against one daemon stay apart.
        package var name: String

        /// A plan.
        package init(
            mirrors: Int, milliseconds: UInt64, eventsPerSecond: UInt64 = 5, seed: UInt64,
            chaos: Bool = false, name: String
        ) {
            self.mirrors = mirrors
            self.milliseconds = milliseconds
            self.eventsPerSecond = eventsPerSecond
            self.seed = seed
            self.chaos = chaos
            self.name = name
        }
    }

    /// The phone.
    package let phone: GeniusPhone
    /// The second screens.
    package let mirrors: [SimulatedScreen]
    /// All screens, the phone first.
    package var screens: [SimulatedScreen] { [phone.screen] + mirrors }
    /// Whether nothing is under way.
    package var isQuiet: Bool {
        phone.intentions == 0
            && screens.allSatisfy { !$0.awaitsAnswers && $0.isFollowing }
    }

    private let plan: Plan
    private let number: Int
    private let context: SimulationContext
    private var script: GeniusScript
    private var mirrorScripts: [MirrorScript]
    private var pace: SplitMix64
    private var ledger = LatencyLedger()
    private var isPlaying = false
    private var bursts = 0

    /// Unanswered requests of one session above which no step is played.
    private static let maximumOutstanding = 32

    /// Session `number` of a run, not yet connected.
    package init?(number: Int, plan: Plan, context: SimulationContext) {
        guard let id = SessionID("\(plan.name)-\(number)") else { return nil }
        self.plan = plan
        self.number = number
        self.context = context
        script = GeniusScript(seed: plan.seed, fixture: number, name: "\(id)-p")
        pace = SplitMix64(seed: plan.seed ^ 0x7061_6365, part: UInt64(number))
        phone = GeniusPhone(
            screen: SimulatedScreen(session: id, device: "phone-\(number)", context: context),
            fixture: number, seed: plan.seed, context: context)
        mirrors = (0..<plan.mirrors).map {
            SimulatedScreen(session: id, device: "mirror-\(number)-\($0)", context: context)
        }
        mirrorScripts = (0..<plan.mirrors).map {
            MirrorScript(seed: plan.seed, fixture: number, mirror: $0, name: "\(id)-m\($0)")
        }
        if plan.chaos {
            let ledger = RevisionLedger(session: id) { context.tally.violated($0) }
            for screen in screens { screen.revisions = ledger }
        }
        for screen in screens { observe(screen) }
    }

    /// Connects everybody and plays until ``stop()``.
    package func start() {
        isPlaying = true
        for screen in screens { screen.start() }
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
            guard let self, case .revision(let revision, let sender, _) = item else { return }
            guard device != self.phone.screen.device else { return }
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
        guard phone.isReady, phone.screen.isFollowing else { return scheduleStep(afterEvents: 1) }
        let step = script.next()
        phone.play(step)
        scheduleStep(afterEvents: step.eventCount)
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
