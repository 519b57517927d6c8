/// Whose tokens are taken back (contract: protocol, Authentication, `POST /v1/revoke`).
package enum RevokedSubject: Sendable, Hashable {
    /// All tokens of a user (`sub`).
    case user(String)
    /// The tokens of one name (`jti`).
    case tokenID(String)

    /// The user or the name.
    package var name: String {
        switch self {
        case .user(let name), .tokenID(let name): name
        }
    }

    /// Whether a token is one of these, whenever it was issued.
    package func names(_ claims: TokenClaims) -> Bool {
        switch self {
        case .user(let name): claims.user.hasSameBytes(as: name)
        case .tokenID(let name): claims.id?.hasSameBytes(as: name) ?? false
        }
    }

    /// Why no token can be of this subject; nil when one can.
    package var fault: ReplyError? {
        switch self {
        case .tokenID(""): .badRequest("tokenID must not be empty")
        case .user(let name), .tokenID(let name):
            name.utf8.count <= TokenClaims.nameBytes
                ? nil : .badRequest("the name must have at most \(TokenClaims.nameBytes) bytes")
        }
    }
}

/// That tokens which were issued before some instant do not count any more.
package struct Revocation: Sendable, Equatable {
    /// Whose tokens.
    package var subject: RevokedSubject
    /// When they were taken back; those of a user that were issued until then do not count.
    package var at: Instant

    /// Tokens that were taken back at an instant.
    package init(_ subject: RevokedSubject, at: Instant) {
        self.subject = subject
        self.at = at
    }
}

/// All tokens that were taken back.
///
/// Nothing is ever forgotten: a token without an end, or of a year, may turn up at any time.
package struct Revocations: Sendable {
    /// Names are told apart by their bytes, as everything else in a token is.
    private var users: [[UInt8]: Instant] = [:]
    private var tokens: [[UInt8]: Instant] = [:]

    /// None.
    package init() {}

    /// How many users and tokens there are.
    package var count: Int { users.count + tokens.count }

    /// Whether one more would be a new one.
    package func isNew(_ subject: RevokedSubject) -> Bool { instant(of: subject) == nil }

    /// Adds one; gives the one that counts, which is the later of two of the same subject.
    @discardableResult
    package mutating func add(_ revocation: Revocation) -> Revocation {
        let name = Array(revocation.subject.name.utf8)
        let at = max(instant(of: revocation.subject) ?? revocation.at, revocation.at)
        switch revocation.subject {
        case .user: users[name] = at
        case .tokenID: tokens[name] = at
        }
        return Revocation(revocation.subject, at: at)
    }

    /// Whether a token was taken back.
    ///
    /// One of a name that was is, whenever it says it was issued: a name stands for one token. One of
    /// a user is when it was issued until then, or does not say when.
    package func covers(_ claims: TokenClaims) -> Bool {
        if count == 0 { return false }
        if let id = claims.id, instant(of: .tokenID(id)) != nil { return true }
        guard let revoked = instant(of: .user(claims.user)) else { return false }
        return claims.issued.map { $0 <= revoked } ?? true
    }

    private func instant(of subject: RevokedSubject) -> Instant? {
        let name = Array(subject.name.utf8)
        return switch subject {
        case .user: users[name]
        case .tokenID: tokens[name]
        }
    }
}
