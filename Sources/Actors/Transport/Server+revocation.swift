package import Coordinator

// MARK: - Revocation (contract: protocol, Authentication)

extension Server {
    /// Ends the connections that stand on such tokens with 3500, and accepts no token any more that
    /// was issued until now; on any loop, for all loops.
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
        guard let post, post.index != Post.first else { return decide(subject, completion) }
        let (home, answer) = (post.index, LoopBound(completion, on: loop))
        post.send(to: Post.first) { first in
            first.server.decide(subject) { result in
                first.post.send(to: home) { _ in answer.value(result) }
            }
        }
    }

    /// One loop decides for all, so that all hear of revocations in one order.
    private func decide(
        _ subject: RevokedSubject,
        _ completion: @escaping (Result<Int, ReplyError>) -> Void
    ) {
        let now = loop.now
        let added = state.withValue { state -> Revocation? in
            let hasRoom = state.revocations.count < settings.revocations
            guard hasRoom || !state.revocations.isNew(subject) else { return nil }
            return state.revocations.add(Revocation(subject, at: now))
        }
        guard let revocation = added else {
            return completion(
                .failure(.limitExceeded("limits.revocations is \(settings.revocations)")))
        }
        guard let post else { return keep(revocation, closed: expel(revocation), completion) }
        post.gather({ shard, answer in answer(shard.server.expel(revocation)) }) { [self] counts in
            keep(revocation, closed: counts.reduce(0, +), completion)
        }
    }

    /// Takes tokens back on this loop; gives how many connections ended.
    private func expel(_ revocation: Revocation) -> Int {
        let connections = state.withValue { state in
            state.revocations.add(revocation)
            state.news.add(revocation.subject)
            return Array(state.connections.values)
        }
        // Their tokens were issued before, whatever an issuer's clock said.
        return connections.count { $0.leave(ifRevoked: revocation.subject.names) }
    }

    private func keep(
        _ revocation: Revocation, closed: Int,
        _ completion: @escaping (Result<Int, ReplyError>) -> Void
    ) {
        log.info("tokens revoked", ["connections": .integer(closed)])
        sessions.keep(revocation) { reason in
            completion(reason.map { .failure(.storageUnavailable($0)) } ?? .success(closed))
        }
    }

    /// Ends a connection from another loop that missed a revocation on its way.
    func expel(_ connection: ClientConnection, havingHeardOf known: Int) {
        for subject in state.withValue({ $0.news.after(known) }) {
            _ = connection.leave(ifRevoked: subject.names)
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
