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
        /// Whether every vendor was asked for, of which there is one so far.
        package var meansAllVendors: Bool
        /// The summary as one JSON object.
        package var isJSON: Bool

        /// Options.
        package init(
            address: String?, sessions: Int, plan: SimulatedSession.Plan,
            meansAllVendors: Bool = false, isJSON: Bool = false
        ) {
            self.meansAllVendors = meansAllVendors
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
    private var probing: (any Link)?
    private var simulation: Simulation?
    private var processorBefore = 0.0
    private var startedAt: UInt64 = 0
    private var isInterrupted = false
    private var isEnding = false

    private static let progressMilliseconds: UInt64 = 200

    /// A run that has not begun.
    package init(options: Options, world: World) {
        self.options = options
        self.world = world
        address = options.address ?? ""
        // A connection to our own daemon is never lost, unless we see to it.
        let toleratesLoss = options.plan.chaos || options.address != nil
        context = SimulationContext(toleratesLoss: toleratesLoss, now: world.now) { _, _ in
            preconditionFailure("a connection before the daemon's address is known")
        }
    }

    /// Starts the daemon if none was named, and then the simulation.
    package func start() {
        guard options.address == nil else { return probe() }
        do throws(DaemonChild.StartError) {
            let daemon = try DaemonKeeper(context: context)
            self.daemon = daemon
            try daemon.start { [weak self] in self?.started($0) }
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
        let log = daemon?.logTail ?? ""
        if !log.isEmpty { world.note(log) }
        end(1)
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
        context.dial = { [address, dial = world.dial] device, handler in
            dial(address, device, handler)
        }
        let simulation = Simulation(
            count: options.sessions, plan: options.plan, context: context)
        self.simulation = simulation
        processorBefore = daemon?.processorSeconds ?? 0
        startedAt = world.now()
        simulation.onFinished = { [weak self] in self?.finished() }
        showProgress()
        simulation.start()
    }

    private func showProgress() {
        guard let simulation, !isEnding else { return }
        if let ended = daemon?.end() {
            // Nothing can be compared any more, and waiting would not bring it back.
            context.tally.unexpected("the daemon \(ended)", at: "daemon")
            let log = daemon?.logTail ?? ""
            if !log.isEmpty { world.note(log) }
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
                + "\(SimulationSummary.fixed(rate, places: 0)) a second")
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
        if options.meansAllVendors { summary.vendorNote = "all there is so far" }
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
