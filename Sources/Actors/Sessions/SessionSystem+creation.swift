internal import Coordinator

extension SessionSystem {
    /// Makes a session that is not there, when that is wanted and there is room.
    func absent(_ id: SessionID, _ placements: [PlacementRecord]) {
        let waiting = directory.withValue { $0.sessions[id] }
        guard case .loading(let requests, let creates) = waiting else { return }
        let owner = requests.first { $0.call.isSubscribe }?.caller.user ?? ""
        if creates, caps.perUser > 0, !owner.isEmpty {
            // Its calls go on waiting.
            return apply(OwnerApplications.Application(session: id, placements), of: owner)
        }
        create(id, placements, owner: owner)
    }

    /// Asks for the number of a user's sessions, one question at a time: until it is answered no
    /// session of theirs is made, so that the answer holds.
    private func apply(_ application: OwnerApplications.Application, of owner: String) {
        let (isFirst, store) = directory.withValue { directory in
            (directory.applications.add(application, of: owner), directory.store)
        }
        guard isFirst else { return }
        store.countSessions(ownedBy: owner, limit: caps.perUser) { [self] count in
            let applications = directory.withValue { $0.applications.take(of: owner) }
            var room = count.map { caps.perUser - $0 }
            for application in applications {
                guard let left = room else {
                    turnDown(
                        application, of: owner,
                        .storageUnavailable(
                            condition.stall ?? "the sessions of this user cannot be counted"))
                    continue
                }
                guard left > 0 else {
                    turnDown(
                        application, of: owner,
                        .limitExceeded("limits.sessionsPerUser is \(caps.perUser)"))
                    continue
                }
                if create(application.session, application.placements, owner: owner) {
                    room = left - 1
                }
            }
        }
    }

    /// Refuses the calls of one user that wait for a session; whoever else wants it is next.
    private func turnDown(
        _ application: OwnerApplications.Application, of owner: String, _ error: ReplyError
    ) {
        let id = application.session
        guard case (let requests, _)? = takeWaiting(id) else { return }
        let others = requests.filter { $0.caller.user != owner }
        if !others.isEmpty {
            let creates = others.contains { $0.call.isSubscribe }
            directory.withValue { $0.sessions[id] = .loading(others, creates: creates) }
        }
        for request in requests where request.caller.user == owner {
            refuse(
                request, request.call.isSubscribe ? error : Self.noSession(id, for: request.call))
        }
        absent(id, application.placements)
    }

    /// Makes the session that calls wait for; false when none of them may, or there is no room.
    @discardableResult
    private func create(
        _ id: SessionID, _ placements: [PlacementRecord], owner: String
    ) -> Bool {
        guard case (let requests, let creates)? = takeWaiting(id) else { return false }
        guard creates else {
            requests.forEach { refuse($0, Self.noSession(id, for: $0.call)) }
            return false
        }
        let condition = condition
        if let obstacle = condition.backlog ?? condition.shortage {
            requests.forEach { refuse($0, .storageUnavailable(obstacle)) }
            return false
        }
        guard directory.withValue({ $0.store }).takesSession(id, under: caps.sessions) else {
            let error = ReplyError.limitExceeded("limits.sessions is \(caps.sessions)")
            requests.forEach { refuse($0, error) }
            return false
        }
        activate(
            Session(
                id: id, newEpoch: newEpoch(), placements: placements, owner: owner,
                settings: settings))
        hand(requests, to: id)
        return true
    }
}
