/// A broken promise about what survives, named so that it can be looked for.
package struct Violation: Error, Sendable, Equatable, CustomStringConvertible {
    /// Which promise.
    package enum Kind: String, Sendable {
        /// A revision that was acknowledged or seen is not there any more.
        case lostRevision
        /// An acknowledged idempotency id was taken for a new one.
        case forgottenID
        /// An id that was never sent before was taken for a repeated one.
        case strangeID
        /// A repeated event was answered otherwise than before.
        case otherAnswer
        /// One event led to two revisions.
        case appliedTwice
        /// An event that was refused led to a revision.
        case refusedButApplied
        /// A revision has another content than before.
        case rewritten
        /// A recovery gave a snapshot although the replay window had all of the tail.
        case notRecovered
        /// The session's epoch changed.
        case epoch
        /// The history lacks a revision of its window.
        case historyGap
        /// An effect has the number of another one.
        case effectRewritten
        /// The daemon did not exit, or not with 0, after SIGTERM.
        case exit
    }

    /// Which promise.
    package var kind: Kind
    /// The session, or what else it is about.
    package var session: String
    /// The device that noticed.
    package var device: String
    /// What was promised.
    package var expected: String
    /// What there was instead.
    package var found: String

    /// A broken promise.
    package init(
        _ kind: Kind, session: String, device: String, expected: String, found: String
    ) {
        self.kind = kind
        self.session = session
        self.device = device
        self.expected = expected
        self.found = found
    }

    /// One line for people.
    package var description: String {
        "\(kind.rawValue): \(session) \(device): expected \(expected), found \(found)"
    }
}
