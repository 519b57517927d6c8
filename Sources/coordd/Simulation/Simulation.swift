import Coordinator

/// A whole simulation: starts the sessions, lets them play, waits until all is quiet, compares.
///
/// Confined to the loop that runs its context's agenda.
package final class Simulation {
    /// Where a simulation is.
    private enum Phase {
        /// Sessions are started a few at a time, and play → `settling`, `comparing` (interrupted).
        case playing
        /// Nobody acts; what is under way comes to its end → `comparing`.
        case settling
        /// Screens ask for the server's state → `restarting`, `finished`.
        case comparing
        /// The server is started anew → `settling`.
        case restarting
        /// The summary was given.
        case finished
    }

    /// Called once, when everything was compared.
    package var onFinished: () -> Void = {}
    /// Whether the play must go on for a while although its time is over.
    package var isUnfinished: () -> Bool = { false }
    /// Called once, when the play is over.
    package var onPlayed: () -> Void = {}
    /// Starts the server anew after the first comparison and calls back.
    ///
    /// Then all is compared once more; nil to compare once.
    package var restart: ((_ then: @escaping () -> Void) -> Void)?
    /// Microseconds of the clock from the first session's start to the end of play.
    package private(set) var playedMicroseconds: UInt64 = 0
    /// Sessions that were started.
    package private(set) var started = 0
    /// The sessions of the run.
    package let sessions: [SimulatedSession]

    private let plan: SimulatedSession.Plan
    private let context: SimulationContext
    private var phase = Phase.playing
    private var startedAt: UInt64 = 0
    private var settleDeadline: UInt64 = 0
    private var quietChecks = 0
    private var comparisons = 0
    private var comparing: [ObjectIdentifier: SimulatedScreen] = [:]

    /// Sessions started in each ``rampMilliseconds``, so that a listener's queue is not flooded.
    private static let rampSessions = 10
    private static let rampMilliseconds: UInt64 = 25
    /// How long things under way may take after the play: a bet unanswered by the book has 30 s.
    private static let settleMilliseconds: UInt64 = 15_000
    /// How much longer the play may be than it was meant to be.
    private static let extraMilliseconds: UInt64 = 30_000
    private static let checkMilliseconds: UInt64 = 50
    /// Checks in a row that must find everything quiet.
    private static let neededQuietChecks = 4
    private static let compareMilliseconds: UInt64 = 10_000

    /// A simulation of `count` sessions that has not begun.
    package init(count: Int, plan: SimulatedSession.Plan, context: SimulationContext) {
        self.plan = plan
        self.context = context
        sessions = (0..<count).compactMap {
            SimulatedSession(number: $0, plan: plan, context: context)
        }
    }

    /// Starts the sessions; the play ends by itself.
    package func start() {
        startedAt = context.now()
        ramp()
    }

    /// Has all sessions send many events at once.
    package func burst() {
        for session in sessions { session.burst() }
    }

    /// Ends the play and skips the comparison, as after Ctrl-C.
    package func interrupt() {
        guard phase != .finished else { return }
        if phase == .playing { playedMicroseconds = context.now() &- startedAt }
        finish()
    }

    private func ramp() {
        guard phase == .playing else { return }
        for session in sessions.dropFirst(started).prefix(Self.rampSessions) {
            session.start()
            started += 1
        }
        if started < sessions.count {
            context.schedule(afterMilliseconds: Self.rampMilliseconds) { [weak self] in
                self?.ramp()
            }
        } else {
            context.schedule(afterMilliseconds: plan.milliseconds) { [weak self] in
                self?.settle()
            }
        }
    }

    /// Ends the play; what is under way comes to its end.
    package func settle() {
        guard phase == .playing else { return }
        let limit = startedAt + (plan.milliseconds + Self.extraMilliseconds) * 1000
        if isUnfinished(), context.now() < limit {
            return context.schedule(afterMilliseconds: Self.checkMilliseconds) { [weak self] in
                self?.settle()
            }
        }
        playedMicroseconds = context.now() &- startedAt
        onPlayed()
        for session in sessions { session.stop() }
        awaitQuiet()
    }

    private func awaitQuiet() {
        phase = .settling
        quietChecks = 0
        settleDeadline = context.now() + Self.settleMilliseconds * 1000
        checkQuiet()
    }

    private func checkQuiet() {
        guard phase == .settling else { return }
        quietChecks = sessions.allSatisfy(\.isQuiet) ? quietChecks + 1 : 0
        if quietChecks >= Self.neededQuietChecks { return compare() }
        if context.now() > settleDeadline {
            for session in sessions where !session.isQuiet {
                let away = session.screens.count { !$0.isFollowing }
                let unanswered = session.screens.reduce(0) { $0 + $1.outstanding }
                context.tally.unexpected(
                    "not quiet at the end: \(away) screens away, \(unanswered) requests and "
                        + "\(session.phones.reduce(0) { $0 + $1.intentions }) plans open",
                    at: session.phone.screen.device)
            }
            return compare()
        }
        context.schedule(afterMilliseconds: Self.checkMilliseconds) { [weak self] in
            self?.checkQuiet()
        }
    }

    private func compare() {
        phase = .comparing
        comparisons += 1
        for screen in sessions.flatMap(\.screens) { comparing[ObjectIdentifier(screen)] = screen }
        for screen in Array(comparing.values) {
            screen.compare { [weak self] in
                self?.comparing[ObjectIdentifier(screen)] = nil
                self?.finishIfCompared()
            }
        }
        let comparison = comparisons
        context.schedule(afterMilliseconds: Self.compareMilliseconds) { [weak self] in
            guard let self, self.phase == .comparing, self.comparisons == comparison else { return }
            for screen in Array(self.comparing.values) { screen.giveUpComparing() }
            self.finish()
        }
        finishIfCompared()
    }

    private func finishIfCompared() {
        guard phase == .comparing, comparing.isEmpty else { return }
        for session in sessions { session.compareDevices() }
        guard let restart else { return finish() }
        self.restart = nil
        phase = .restarting
        restart { [weak self] in
            guard let self, self.phase == .restarting else { return }
            self.awaitQuiet()
        }
    }

    private func finish() {
        guard phase != .finished else { return }
        phase = .finished
        for session in sessions {
            session.audit()
            session.end()
        }
        onFinished()
    }
}
