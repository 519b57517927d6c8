/// Who may do what on the connections of a server (contract: protocol, Authentication).
package enum Access: Sendable {
    /// Everybody may do everything, but make sessions only where the configuration lets them.
    case open(createsSessions: Bool)
    /// Everybody may do what their token says.
    case tokens(TokenVerifier)
}

/// What somebody may do in one session.
struct Permission: Sendable, Equatable {
    /// The highest role they may act in.
    var role: Role
    /// Whether a subscribe of theirs makes the session.
    var mayCreate: Bool
    /// Whether they may place a bet as a mirror.
    var mayPlace: Bool

    /// What either of two lets somebody do.
    func joined(with other: Permission) -> Permission {
        Permission(
            role: role.isAtMost(other.role) ? other.role : role,
            mayCreate: mayCreate || other.mayCreate, mayPlace: mayPlace || other.mayPlace)
    }
}

extension TokenClaims {
    /// What the token allows where it counts.
    var permission: Permission {
        Permission(role: role, mayCreate: mayCreate, mayPlace: mayPlace)
    }
}
