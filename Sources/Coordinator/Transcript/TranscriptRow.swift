/// One row of a played transcript.
package struct TranscriptRow: Sendable, Equatable {
    /// An expectation that was not met.
    package struct Unmet: Sendable, Equatable, CustomStringConvertible {
        /// The member of `expect`, or what else must hold.
        package var what: String
        /// What was expected, on one line.
        package var expected: String
        /// What came, on one line.
        package var got: String

        /// An expectation and what came instead.
        package init(what: String, expected: String, got: String) {
            self.what = what
            self.expected = expected
            self.got = got
        }

        /// `what: expected …, got …`.
        package var description: String { "\(what): expected \(expected), got \(got)" }
    }

    /// The line of the step; nil for what happened between two steps.
    package var line: Int?
    /// When, by the transcript's clock.
    package var at: Instant
    /// Who; nil for the session itself and the HTTP API.
    package var device: String?
    /// As what.
    package var role: Role
    /// The event's type, or the step's name in parentheses.
    package var name: String
    /// What came of it.
    package var result: TranscriptResult
    /// Whether anything was expected.
    package var isJudged = false
    /// Expectations that were not met.
    package var unmet: [Unmet] = []

    /// What came of a step, not yet judged.
    package init(_ step: TranscriptStep, _ result: TranscriptResult) {
        line = step.line
        at = step.at
        device = step.device
        role = step.role
        name = step.name
        self.result = result
    }

    /// Something that the session did by itself.
    package init(at: Instant, event: String, _ result: TranscriptResult) {
        self.at = at
        role = .system
        name = event
        self.result = result
    }
}
