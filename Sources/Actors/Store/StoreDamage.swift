package import Coordinator

/// What becomes of a session that cannot be read.
package enum DamagePolicy: String, Sendable, CaseIterable {
    /// It is kept as it is, and nobody is served.
    case setAside
    /// It goes on from the last good state, with a new epoch; what is damaged is kept apart.
    case newEpoch
}

/// A session that could not be read.
package struct StoreDamage: Sendable, Equatable {
    /// The session.
    package var session: SessionID
    /// What is wrong, and where.
    package var reason: String
    /// What became of it.
    package var outcome: DamagePolicy
}

/// What an operator should know of what a start found.
package struct StoreFinding: Sendable, Equatable {
    /// Whether somebody's data are concerned.
    package var isDamage: Bool
    /// What was found and done.
    package var text: String
}
