import Actors
import Coordinator

/// One `coordd bench` from beginning to end: the daemon, the connections, the load, the report.
///
/// Confined to its loop.
final class BenchRun {
    /// What a run needs from the outside.
    struct World {
        var loop: UVEventLoop
        /// Prints the result.
        var print: (String) -> Void
        /// Tells what happens around it, on standard error.
        var note: (String) -> Void
        /// Shows a passing line in place of the last one; nil takes it away.
        var progress: (String?) -> Void
        /// Takes the exit code; called once.
        var finish: (Int32) -> Void
    }

    private enum Phase {
        /// Phones, then screens get ready → `warming`.
        case connecting
        /// Events flow, but do not count yet → `measuring`.
        case warming
        /// → `draining`.
        case measuring
        /// What is under way arrives → `ended`.
        case draining
        case ended
    }

    /// Runs the agenda of our daemon, if there is one.
    let context: SimulationContext
    private let options: BenchOptions
    private let token: String?
    private let world: World
    private var daemon: DaemonKeeper?
    private var target: BenchConnection.Target?
    private var phase = Phase.connecting
    private var sessions: [BenchSession] = []
    /// Connections that are to be opened, the last first, and how many are on their way.
    private var waiting: [() -> Void] = []
    private var preparing = 0
    private var pacer: BenchPacer?
    private var figures = BenchFigures()
    private var playStart: UInt64 = 0
    private var measureStart: UInt64 = 0
    private var measureEnd = UInt64.max
    private var processorBefore = 0.0
    private var openEvents: UInt64 = 0
    private var drainDeadline: UInt64 = 0
    private var drained = 0
    private var timers: [String: any LoopTimer] = [:]

    /// Connections on their way at a time.
    private static let preparingLimit = 32
    private static let warmupMilliseconds: Int64 = 1000
    private static let progressMilliseconds: Int64 = 200
    private static let drainMilliseconds: Int64 = 20
    private static let patienceNanoseconds: UInt64 = 2_000_000_000

    /// A run that has not begun.
    init(_ options: BenchOptions, token: String?, world: World) {
        self.options = options
        self.token = token
        self.world = world
        context = SimulationContext(toleratesLoss: false, now: { SteadyClock.microseconds }) {
            _, _ in preconditionFailure("connections are made by the run")
        }
    }

    /// Starts the daemon if none was named, and then the load.
    func start() {
        if let address = options.connect { return connect(to: address) }
        do throws(DaemonChild.StartError) {
            let daemon = try DaemonKeeper(
                context: context,
                environment: [
                    // The limits are not what is measured.
                    "COORDD_DRAIN_SECONDS=0", "COORDD_LIMITS_EVENTS_PER_SECOND=1000000",
                    "COORDD_LOG_LEVEL=warning",
                ])
            self.daemon = daemon
            try daemon.start { [weak self] start in
                guard let self, phase != .ended else { return }
                switch start {
                case .ready(let address, _):
                    guard let address = ListenAddress(address) else { return fail("no address") }
                    connect(to: address)
                case .ended(let words): fail("the daemon \(words)\n\(self.daemon?.logTail ?? "")")
                }
            }
        } catch {
            fail(error.description)
        }
    }

    /// Ends everything early, as after Ctrl-C; the second time without waiting for the daemon.
    func interrupt() {
        if phase == .ended { daemon?.kill() } else { end(130) }
    }

    private func fail(_ why: String) {
        guard phase != .ended else { return }
        world.progress(nil)
        world.note(PlainText.escaped(why))
        end(1)
    }

    private func later(
        _ name: String, afterMilliseconds delay: Int64, _ work: @escaping (BenchRun) -> Void
    ) {
        timers[name] = world.loop.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self, phase != .ended else { return }
            work(self)
        }
    }
}

// MARK: Connecting

extension BenchRun {
    private func connect(to address: ListenAddress) {
        var address = address
        if address.host == "localhost" {
            address = ListenAddress(address.numericAddress) ?? address
        }
        target = .init(address: address, tls: options.tls, carrier: options.benchCarrier)
        // Sessions outlive a run on somebody else's daemon: each run has names of its own.
        let run = String(UInt32.random(in: .min ... .max), radix: 36)
        sessions = (0..<options.sessions).map { number in
            BenchSession(id: "bench-\(run)-\(number)", screens: options.screens, hooks: hooks)
        }
        figures.connectStart = world.loop.nanoseconds
        waiting = sessions.reversed().map { session in
            { [weak self] in self.map { run in session.openPhone(run.token, run.dial) } }
        }
        showProgress()
        openMore()
    }

    private func dial(_ handler: @escaping (BenchConnection.Event) -> Void) -> BenchConnection {
        guard let target else { preconditionFailure("the address is known by now") }
        return BenchConnection(loop: world.loop, target: target, handler: handler)
    }

    private func openMore() {
        while preparing < Self.preparingLimit, let open = waiting.popLast() {
            preparing += 1
            open()
        }
    }

    private func ready() {
        guard phase == .connecting else { return }
        preparing -= 1
        figures.connections += 1
        openMore()
        guard preparing == 0, waiting.isEmpty else { return }
        // Phones make the sessions, so screens come when all are there.
        guard figures.connections == sessions.count, options.screens > 0 else { return play() }
        for _ in 0..<options.screens {
            waiting += sessions.map { session in
                { [weak self] in self.map { run in session.openScreen(run.token, run.dial) } }
            }
        }
        openMore()
    }

    private var hooks: BenchSession.Hooks {
        BenchSession.Hooks(
            now: { [loop = world.loop] in loop.nanoseconds },
            ready: { [weak self] in self?.ready() },
            delivered: { [weak self] due, time in self?.delivered(due, time) },
            answered: { [weak self] sent, time, refusal in self?.answered(sent, time, refusal) },
            completed: { [weak self] session in self?.completed(session) },
            failed: { [weak self] why in self?.fail(why) })
    }
}

// MARK: Load

extension BenchRun {
    private func play() {
        phase = .warming
        let now = world.loop.nanoseconds
        figures.connectNanoseconds = now - figures.connectStart
        playStart = now
        switch options.load {
        case .rate(let rate):
            let schedule = BenchSchedule(eventsPerSecond: rate)
            let bound = LoopBound(self, on: world.loop)
            pacer = BenchPacer(schedule, from: now, on: world.loop) {
                bound.withValue { $0.sendDue(schedule) }
            }
        case .window(let window):
            for session in sessions { fill(session, window) }
        }
        later("phase", afterMilliseconds: Self.warmupMilliseconds) { $0.measure() }
    }

    private func sendDue(_ schedule: BenchSchedule) {
        guard phase == .warming || phase == .measuring else { return }
        let now = world.loop.nanoseconds
        while playStart + schedule.due(openEvents) <= now {
            let due = playStart + schedule.due(openEvents)
            let session = sessions[Int(openEvents % UInt64(sessions.count))]
            openEvents += 1
            if isMeasured(due) { figures.lag.record((now - due) / 1000) }
            send(session, due: due)
        }
    }

    private func fill(_ session: BenchSession, _ window: UInt32) {
        while session.sent - session.completed < window {
            send(session, due: world.loop.nanoseconds)
        }
    }

    private func send(_ session: BenchSession, due: UInt64) {
        session.send(due: due)
        figures.sent += 1
        if phase == .measuring { figures.measuredSent += 1 }
    }

    private func delivered(_ due: UInt64, _ time: UInt64) {
        figures.delivered += 1
        if phase == .measuring { figures.measuredDelivered += 1 }
        if isMeasured(due) { figures.toScreens.record((time &- due) / 1000) }
    }

    private func answered(_ sent: UInt64, _ time: UInt64, _ refusal: String?) {
        if isMeasured(sent) { figures.toAnswers.record((time &- sent) / 1000) }
        guard let refusal else { return }
        figures.refused += 1
        figures.refusal = figures.refusal ?? refusal
    }

    private func completed(_ session: BenchSession) {
        guard case .window(let window) = options.load, phase == .warming || phase == .measuring
        else { return }
        fill(session, window)
    }

    private func isMeasured(_ time: UInt64) -> Bool {
        measureStart > 0 && time >= measureStart && time < measureEnd
    }
}

// MARK: The end

extension BenchRun {
    private func measure() {
        phase = .measuring
        measureStart = world.loop.nanoseconds
        processorBefore = daemon?.processorSeconds ?? 0
        later("phase", afterMilliseconds: Int64(options.seconds) * 1000) { $0.drain() }
    }

    private func drain() {
        phase = .draining
        measureEnd = world.loop.nanoseconds
        pacer?.stop()
        figures.nanoseconds = measureEnd - measureStart
        figures.daemonSeconds = daemon?.processorSeconds.map { $0 - processorBefore }
        drainDeadline = measureEnd + Self.patienceNanoseconds
        awaitLast()
    }

    /// Waits until everything has come, or nothing has come for two seconds.
    private func awaitLast() {
        let expected = (figures.sent - figures.refused) * options.screens
        if figures.delivered > drained {
            drained = figures.delivered
            drainDeadline = world.loop.nanoseconds + Self.patienceNanoseconds
        }
        if figures.delivered >= expected || world.loop.nanoseconds > drainDeadline {
            return report()
        }
        later("drain", afterMilliseconds: Self.drainMilliseconds) { $0.awaitLast() }
    }

    private func report() {
        for session in sessions {
            session.close()
            for ledger in session.ledgers {
                figures.lost += ledger.lost
                figures.disordered += ledger.disordered
            }
        }
        // What was refused is told as that.
        figures.lost -= min(figures.lost, figures.refused * options.screens)
        world.progress(nil)
        let report = BenchReport(options: options, figures: figures)
        world.print(options.json ? PlainText.json(report.json) : report.text)
        end(report.isGood ? 0 : 1)
    }

    private func showProgress() {
        let total = options.sessions * (options.screens + 1)
        switch phase {
        case .connecting: world.progress("\(figures.connections) of \(total) connections")
        case .warming: world.progress("warming up")
        case .measuring:
            let elapsed = Double(world.loop.nanoseconds - measureStart) / 1e9
            world.progress(
                "\(SimulationSummary.fixed(elapsed, places: 1)) s of \(options.seconds) s, "
                    + "\(figures.measuredDelivered) deliveries")
        case .draining: world.progress("waiting for the last deliveries")
        case .ended: return
        }
        later("progress", afterMilliseconds: Self.progressMilliseconds) { $0.showProgress() }
    }

    private func end(_ code: Int32) {
        phase = .ended
        world.progress(nil)
        pacer?.stop()
        timers = [:]
        for session in sessions { session.close() }
        guard let daemon, daemon.end() == nil else { return finish(code) }
        daemon.stop { [weak self] ended in
            if ended != "exited with 0" { self?.world.note("the daemon \(ended) after SIGTERM") }
            self?.finish(ended == "exited with 0" ? code : max(code, 1))
        }
    }

    private func finish(_ code: Int32) {
        daemon = nil
        context.agenda.removeAll()
        world.finish(code)
    }
}
