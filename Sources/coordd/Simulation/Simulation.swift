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
        /// Screens ask for the server's state → `finished`.
        case comparing
        /// The summary was given.
        case finished
    }

    /// Called once, when everything was compared.
    package var onFinished: () -> Void = {}
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
    private var comparing: [ObjectIdentifier: SimulatedScreen] = [:]

    /// Sessions started in each ``rampMilliseconds``, so that a listener's queue is not flooded.
    private static let rampSessions = 10
    private static let rampMilliseconds: UInt64 = 25
    /// How long things under way may take after the play: a bet unanswered by the book has 30 s.
    private static let settleMilliseconds: UInt64 = 15_000
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

    private func settle() {
        guard phase == .playing else { return }
        phase = .settling
        playedMicroseconds = context.now() &- startedAt
        settleDeadline = context.now() + Self.settleMilliseconds * 1000
        for session in sessions { session.stop() }
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
                        + "\(session.phone.intentions) plans open", at: session.phone.screen.device)
            }
            return compare()
        }
        context.schedule(afterMilliseconds: Self.checkMilliseconds) { [weak self] in
            self?.checkQuiet()
        }
    }

    private func compare() {
        phase = .comparing
        for screen in sessions.flatMap(\.screens) { comparing[ObjectIdentifier(screen)] = screen }
        for screen in Array(comparing.values) {
            screen.compare { [weak self] in
                self?.comparing[ObjectIdentifier(screen)] = nil
                self?.finishIfCompared()
            }
        }
        context.schedule(afterMilliseconds: Self.compareMilliseconds) { [weak self] in
            guard let self, self.phase == .comparing else { return }
            for screen in Array(self.comparing.values) { screen.giveUpComparing() }
            self.finish()
        }
        finishIfCompared()
    }

    private func finishIfCompared() {
        if phase == .comparing, comparing.isEmpty { finish() }
    }

    private func finish() {
        guard phase != .finished else { return }
        phase = .finished
        for session in sessions { session.end() }
        onFinished()
    }
}
