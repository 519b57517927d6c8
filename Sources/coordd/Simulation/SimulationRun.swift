import Coordinator

/// One `coordd simulate` from beginning to end: the daemon, the simulation, the summary.
///
/// Confined to the loop that runs ``SimulationContext/runDue()``.
package final class SimulationRun {
    /// What the user asked for.
    package struct Options: Sendable, Equatable {
        /// The daemon to use, `HOST:PORT`; nil starts one of our own.
        package var address: String?
        /// Sessions to play.
        package var sessions: Int
        /// What they have in common.
        package var plan: SimulatedSession.Plan
        /// How often our daemon is killed and started again.
        package var kills: Int
        /// The program whose `serve` our daemon is; nil for this one.
        package var program: String?
        /// Commands through which our daemon is started the first times, one each.
        package var wrappers: [[String]]
        /// The summary as one JSON object.
        package var isJSON: Bool

        /// Options.
        package init(
            address: String?, sessions: Int, plan: SimulatedSession.Plan, kills: Int = 0,
            program: String? = nil,
            wrappers: [[String]] = [], isJSON: Bool = false
        ) {
            self.kills = kills
            self.program = program
            self.wrappers = wrappers
            self.address = address
            self.sessions = sessions
            self.plan = plan
            self.isJSON = isJSON
        }
    }

    /// What a run needs from the outside.
    package struct World {
        /// A steady clock in microseconds.
        package var now: () -> UInt64
        /// Opens a connection to an address as a device.
        package var dial:
            (_ address: String, _ device: String, _ handler: @escaping (LinkEvent) -> Void)
                -> any Link
        /// Prints the result.
        package var print: (String) -> Void
        /// Tells what happens around it, on standard error.
        package var note: (String) -> Void
        /// Shows a passing line in place of the last one; nil takes it away.
        package var progress: (String?) -> Void
        /// Takes the exit code; called once.
        package var finish: (Int32) -> Void

        /// A world.
        package init(
            now: @escaping () -> UInt64,
            dial:
                @escaping (
                    _ address: String, _ device: String, _ handler: @escaping (LinkEvent) -> Void
                ) -> any Link,
            print: @escaping (String) -> Void, note: @escaping (String) -> Void,
            progress: @escaping (String?) -> Void, finish: @escaping (Int32) -> Void
        ) {
            self.now = now
            self.dial = dial
            self.print = print
            self.note = note
            self.progress = progress
            self.finish = finish
        }
    }

    /// What the parts share; its agenda must be run by the owner of this run.
    package let context: SimulationContext

    private let options: Options
    private let world: World
    private var daemon: DaemonKeeper?
    private var address: String
    private var killer: DaemonKiller?
    private var probing: (any Link)?
    private var simulation: Simulation?
    private var processorBefore = 0.0
    private var startedAt: UInt64 = 0
    private var isInterrupted = false
    private var isEnding = false

    /// Revisions in the replay window of our daemon (configuration `history.size`), and how long none
    /// of them is too old for it, with time to spare.
    private static let historySize: UInt64 = 256
    private static let historyMilliseconds: UInt64 = 400_000
    private static let afterCrashMilliseconds: UInt64 = 500
    private static let progressMilliseconds: UInt64 = 200

    /// A run that has not begun.
    package init(options: Options, world: World) {
        self.options = options
        self.world = world
        address = options.address ?? ""
        // A connection to our own daemon is never lost, unless we see to it.
        let toleratesLoss = options.plan.chaos || options.address != nil
        context = SimulationContext(
            toleratesLoss: toleratesLoss, toleratesSnapshots: options.address != nil,
            seed: options.plan.seed, now: world.now
        ) { _, _ in
            preconditionFailure("a connection before the daemon's address is known")
        }
    }

    /// Starts the daemon if none was named, and then the simulation.
    package func start() {
        guard options.address == nil else {
            if options.plan.chaos {
                world.note(
                    "connections are dropped and readers delayed; nothing is killed, since "
                        + "the daemon is not ours")
            }
            return probe()
        }
        do throws(DaemonChild.StartError) {
            // Screens come back by themselves, so there is nothing to wait for at the end.
            let environment = options.plan.chaos ? ["COORDD_DRAIN_SECONDS=0"] : []
            let daemon = try DaemonKeeper(
                context: context, program: options.program, wrappers: options.wrappers,
                environment: environment)
            self.daemon = daemon
            guard options.plan.chaos else {
                return try daemon.start { [weak self] in self?.started($0) }
            }
            startWithKiller(daemon)
        } catch {
            world.note(error.description)
            end(1)
        }
    }

    /// Ends everything early, as after Ctrl-C; the second time without waiting for the daemon.
    package func interrupt() {
        if isInterrupted { daemon?.kill() }
        isInterrupted = true
        guard !isEnding else { return }
        if let simulation { simulation.interrupt() } else { end(130) }
    }

    private func startWithKiller(_ daemon: DaemonKeeper) {
        let killer = DaemonKiller(
            keeper: daemon, context: context, kills: options.kills,
            milliseconds: options.plan.milliseconds)
        self.killer = killer
        killer.onReturned = { [weak self] in self?.returned(to: $0) }
        killer.onGivenUp = { [weak self] reason in
            guard let self, !self.isEnding else { return }
            if self.simulation == nil {
                self.world.note(reason)
                return self.failStart()
            }
            self.context.tally.unexpected(reason, at: "daemon")
            self.noteLog()
            self.simulation?.interrupt()
        }
        killer.startDaemon { [weak self] address in
            guard let self, !self.isEnding else { return }
            self.address = address
            // A wrapped daemon may die at any moment; screens come back, a probe does not.
            self.play()
        }
    }

    /// A daemon is back after a kill or a crash.
    private func returned(to address: String) {
        self.address = address
        endIfHarmless()
    }

    /// Ends the play soon when the last wrapper has done its work: what is left is to look at what
    /// survived.
    private func endIfHarmless() {
        guard !options.wrappers.isEmpty, daemon?.isWrapped == false else { return }
        later(Self.afterCrashMilliseconds) { $0.simulation?.settle() }
    }

    private func started(_ start: DaemonKeeper.Start) {
        guard !isEnding else { return }
        switch start {
        case .ready(let address, _):
            self.address = address
            probe()
        case .ended(let words):
            world.note("the daemon \(words) before it accepted clients")
            failStart()
        }
    }

    private func failStart() {
        noteLog()
        end(1)
    }

    private func noteLog() {
        let log = daemon?.logTail ?? ""
        if !log.isEmpty { world.note(log) }
    }

    /// Connects once, so that a wrong address is one error instead of one for each screen.
    private func probe() {
        probing = world.dial(address, "probe") { [weak self] event in
            guard let self, !self.isEnding else { return }
            switch event {
            case .opened:
                self.probing?.close()
                self.probing = nil
                self.play()
            case .push: break
            case .ended(let end):
                let address = PlainText.escaped(self.address)
                self.world.note("\(address): \(PlainText.escaped(end.description))")
                self.end(1)
            }
        }
    }

    private func play() {
        // The address of a daemon that was started again is another one.
        context.dial = { [unowned self] device, handler in
            self.world.dial(self.address, device, handler)
        }
        let simulation = Simulation(
            count: options.sessions, plan: options.plan, context: context)
        self.simulation = simulation
        processorBefore = daemon?.processorSeconds ?? 0
        startedAt = world.now()
        simulation.onFinished = { [weak self] in self?.finished() }
        if let killer { disturb(simulation, by: killer) }
        showProgress()
        simulation.start()
        endIfHarmless()
    }

    private func disturb(
        _ simulation: Simulation, by killer: DaemonKiller
    ) {
        if options.plan.milliseconds < Self.historyMilliseconds {
            context.historySize = Self.historySize
        }
        killer.burst = { [weak simulation] in simulation?.burst() }
        simulation.isUnfinished = { [weak killer] in
            killer.map { $0.isBusy || $0.remaining > 0 } ?? false
        }
        simulation.onPlayed = { [weak killer] in killer?.stop() }
        simulation.restart = { [weak self] in self?.restart(then: $0) }
        killer.start()
    }

    /// Has the daemon drain: what another one serves after it must be what this one served.
    private func restart(then: @escaping () -> Void) {
        killer?.leave()
        context.isServerDown = true
        daemon?.stop { [weak self] in self?.stopped($0, then) }
    }

    private func stopped(_ ended: String, _ then: @escaping () -> Void) {
        guard !isEnding else { return }
        if daemon?.isWrapped == true, ended != "exited with 0" {
            context.tally.chaos.crashes += 1
        } else if ended != "exited with 0" {
            context.tally.violated(
                Violation(
                    .exit, session: "daemon", device: "itself", expected: "exit code 0 on SIGTERM",
                    found: ended))
        }
        killer?.startDaemon { [weak self] address in
            guard let self, !self.isEnding else { return }
            self.address = address
            self.context.isServerDown = false
            if self.daemon?.isWrapped == true {
                // It may die when it stops, which is to be looked at too.
                self.simulation?.restart = { [weak self] in self?.restart(then: $0) }
            }
            then()
        }
    }

    private func showProgress() {
        guard let simulation, !isEnding else { return }
        if !context.isServerDown, daemon?.isWrapped == false, let ended = daemon?.end() {
            // Nothing can be compared any more, and waiting would not bring it back.
            context.tally.unexpected("the daemon \(ended)", at: "daemon")
            noteLog()
            return simulation.interrupt()
        }
        let elapsed = Double(world.now() &- startedAt) / 1_000_000
        let sent = context.tally.eventsSent
        let rate = elapsed > 0 ? Double(sent) / elapsed : 0
        let planned = Double(options.plan.milliseconds) / 1000
        world.progress(
            "\(SimulationSummary.fixed(elapsed, places: 1)) s of "
                + "\(SimulationSummary.fixed(planned, places: 0)) s, "
                + "\(simulation.started) sessions, \(sent) events, "
                + "\(SimulationSummary.fixed(rate, places: 0)) a second"
                + (options.kills > 0 ? ", \(context.tally.chaos.kills) kills" : ""))
        later(Self.progressMilliseconds) { $0.showProgress() }
    }

    private func finished() {
        guard let simulation else { return }
        world.progress(nil)
        var summary = SimulationSummary(
            plan: options.plan, sessions: simulation.started,
            seconds: Double(simulation.playedMicroseconds) / 1_000_000, tally: context.tally)
        summary.interrupted = isInterrupted
        summary.daemonSeconds = daemon?.processorSeconds.map { $0 - processorBefore }
        world.print(options.isJSON ? PlainText.json(summary.json) : summary.text)
        end(summary.exitCode)
    }

    /// Ends our daemon, if there is one, and then the run.
    private func end(_ code: Int32) {
        guard !isEnding else { return }
        isEnding = true
        guard let daemon, daemon.end() == nil else { return finish(code) }
        daemon.stop { [weak self] ended in
            guard let self else { return }
            if ended == "exited with 0" { return finish(code) }
            world.note("the daemon \(ended) after SIGTERM")
            finish(max(code, 1))
        }
    }

    private func finish(_ code: Int32) {
        probing?.close()
        daemon = nil
        killer = nil
        context.agenda.removeAll()
        world.finish(code)
    }

    private func later(_ milliseconds: UInt64, _ work: @escaping (SimulationRun) -> Void) {
        context.schedule(afterMilliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            work(self)
        }
    }
}
