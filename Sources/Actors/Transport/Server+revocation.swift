package import Coordinator

// MARK: - Revocation (contract: protocol, Authentication)

extension Server {
    /// Ends the connections that stand on such tokens with 3500, and accepts no token any more that
    /// was issued until now; on the loop.
    ///
    /// It holds at once. `completion` hears how many connections ended, when the store will not
    /// forget it; or 106 when `limits.revocations` are there, after which nothing was done; or 503
    /// when it could not be stored, after which it holds until the daemon ends; or 107 for a name
    /// that no token can have; or 108 when the server uses no tokens.
    package func revoke(
        _ subject: RevokedSubject,
        _ completion: @escaping (Result<Int, ReplyError>) -> Void
    ) {
        guard case .tokens = settings.client.access else {
            return completion(.failure(.notAvailable("this server uses no tokens")))
        }
        if let fault = subject.fault { return completion(.failure(fault)) }
        let now = loop.now
        let added = state.withValue { state -> (Revocation, [ClientConnection])? in
            let hasRoom = state.revocations.count < settings.revocations
            guard hasRoom || !state.revocations.isNew(subject) else { return nil }
            let revocation = state.revocations.add(Revocation(subject, at: now))
            return (revocation, Array(state.connections.values))
        }
        guard let (revocation, connections) = added else {
            return completion(
                .failure(.limitExceeded("limits.revocations is \(settings.revocations)")))
        }
        // Their tokens were issued before, whatever an issuer's clock said.
        let closed = connections.count { $0.leave(ifRevoked: subject.names) }
        log.info("tokens revoked", ["connections": .integer(closed)])
        sessions.keep(revocation) { reason in
            completion(reason.map { .failure(.storageUnavailable($0)) } ?? .success(closed))
        }
    }

    /// Users and tokens whose tokens are taken back.
    package var revocationCount: Int { state.withValue { $0.revocations.count } }

    /// Whether a genuine token was taken back.
    func isRevoked(_ claims: TokenClaims) -> Bool {
        state.withValue { $0.revocations.covers(claims) }
    }

    /// A client showed a token that is none.
    func tokenRefused(_ fault: TokenFault, address: String) {
        logSparsely(
            "token refused", ["reason": .string(fault.description), "address": .string(address)])
    }
}
