package import Coordinator

/// What a simulation counts while it runs.
package struct Tally: Sendable, Equatable {
    /// Events sent by phones and mirrors.
    package var eventsSent = 0
    /// Events answered with a revision.
    package var eventsAccepted = 0
    /// Events whose answer was lost with a connection.
    package var eventsUnanswered = 0
    /// Events refused for a reason that the rules make possible, by stable reason.
    package var rejections: [String: Int] = [:]
    /// Steps left out because a session had too much unanswered.
    package var stepsSkipped = 0
    /// Revisions received by all screens.
    package var publications = 0
    /// Signals received by all screens.
    package var signals = 0
    /// Effects received by phones, by kind.
    package var effects: [String: Int] = [:]
    /// Effects acknowledged as done.
    package var acknowledged = 0
    /// Effects acknowledged as failed.
    package var acknowledgedFailed = 0
    /// Placements that the server accepted as `placing`.
    package var placements = 0
    /// Placements settled by a phone, by outcome.
    package var settlements: [String: Int] = [:]
    /// Connections made again.
    package var reconnects = 0
    /// Recoveries where every missed publication came.
    package var fullRecoveries = 0
    /// Publications that came with those recoveries.
    package var recoveredPublications = 0
    /// Recoveries that ended with a snapshot.
    package var snapshotRecoveries = 0
    /// Screens whose final state was compared with the server's.
    package var screensCompared = 0
    /// Phones whose device was compared with the state at the end.
    package var devicesCompared = 0
    /// Facts of those devices that differ from the state.
    package var deviceMismatches = 0
    /// What happened by vendor.
    package var vendors: [String: VendorTally] = [:]
    /// Screens that differ from the server at the end.
    package var mismatches = 0
    /// Broken promises of the stream, by kind.
    package var faults: [String: Int] = [:]
    /// Errors that the rules do not make possible, by text.
    package var unexpected: [String: Int] = [:]
    /// What went wrong in words, the first ones only.
    package var problems: [String] = []
    /// From sending an event to a screen having its revision.
    package var latencyToScreens = LatencyHistogram()
    /// From sending an event to its answer.
    package var latencyToAnswers = LatencyHistogram()

    /// What was disturbed on purpose, and what came of it.
    package var chaos = ChaosCounts()

    /// Problems whose words are kept.
    package static let keptProblems = 20

    /// Counts that are all zero.
    package init() {}

    /// Whether nothing is wrong.
    package var isClean: Bool { problemCount == 0 }

    /// How many things are wrong, of all kinds.
    package var problemCount: Int {
        mismatches + deviceMismatches + faults.values.reduce(0, +) + unexpected.values.reduce(0, +)
            + chaos.violations.values.reduce(0, +)
    }

    /// Counts a broken promise about what survives.
    package mutating func violated(_ violation: Violation) {
        chaos.violations[violation.kind.rawValue, default: 0] += 1
        keep(violation.description)
    }

    /// Counts a difference between a screen and the server.
    package mutating func mismatch(_ text: String) {
        mismatches += 1
        keep("mismatch: \(text)")
    }

    /// Counts a difference between a phone's device and the session's state.
    package mutating func deviceMismatch(_ text: String) {
        deviceMismatches += 1
        keep("device: \(text)")
    }

    /// Counts a broken promise of the stream.
    package mutating func fault(_ fault: Mirror.Fault, at device: String) {
        faults[fault.kind.rawValue, default: 0] += 1
        keep("\(fault.kind.rawValue): \(device): \(fault.description)")
    }

    /// Counts an error that should not be.
    package mutating func unexpected(_ text: String, at device: String) {
        if unexpected[text] != nil || unexpected.count < Self.keptProblems {
            unexpected[text, default: 0] += 1
        } else {
            unexpected["other", default: 0] += 1
        }
        keep("error: \(device): \(text)")
    }

    /// Counts a refused event: as possible by the rules, or as an error.
    package mutating func refused(_ error: ReplyError, at device: String) {
        let reason = String(error.message.prefix { $0 != ":" })
        if Self.isExpected(code: error.code, reason: reason) {
            rejections[reason, default: 0] += 1
        } else {
            unexpected("\(error.code) \(error.message)", at: device)
        }
    }

    /// Whether two screens acting at once can lead to this refusal (contract: domain, 4.1, 4.3, 4.4
    /// and 5.2).
    package static func isExpected(code: UInt32, reason: String) -> Bool {
        guard code == 409 else { return false }
        return expectedReasons.contains(reason) || reason.hasPrefix("betslip.")
    }

    private static let expectedReasons: Set = [
        "session.closed", "pip.active", "pip.stopping", "login.notRequired",
    ]

    private mutating func keep(_ text: String) {
        if problems.count < Self.keptProblems { problems.append(text) }
    }
}
