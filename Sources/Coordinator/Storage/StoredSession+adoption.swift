extension StoredSession {
    /// The session as it goes on in another store, in a new epoch.
    ///
    /// Revisions count on. The replay window stays behind: a device comes back with another epoch and
    /// gets a snapshot. `remembered` are the placements of a deleted session of the same id.
    ///
    /// The session may be older than what its viewer did since, so a bet that waits for the stage is
    /// not offered any more: it is unknown until somebody settles it (contract: domain, section 4.4).
    package func adopted(
        epoch: String, remembered: [PlacementRecord], at now: Instant, settings: SessionSettings
    ) -> StoredSession {
        var session = StoredSession(
            epoch: epoch, revision: revision, viewing: viewing, requests: requests,
            history: History(
                size: settings.historySize, seconds: settings.historySeconds, top: revision),
            owner: owner)
        for index in session.viewing.memory.placements.indices {
            let record = session.viewing.memory.placements[index]
            guard record.state.outcome == nil, record.offeredTo == nil else { continue }
            session.viewing.memory.placements[index].deadline = min(record.deadline, now)
        }
        session.merge(remembered, at: now, settings: settings)
        return session
    }

    /// Takes over the placements that are remembered: none of them is placed again.
    private mutating func merge(
        _ remembered: [PlacementRecord], at now: Instant, settings: SessionSettings
    ) {
        guard !remembered.isEmpty else { return }
        var inherited = SessionMemory()
        inherited.inherit(remembered)
        var placements = inherited.placements
        for record in viewing.memory.placements {
            placements.removeAll { $0.state.id.hasSameBytes(as: record.state.id) }
        }
        // The slip's own one is the newest, whatever the clocks said.
        let own = viewing.memory.placements.last
        placements += viewing.memory.placements.dropLast()
        placements.sort { $0.placedAt < $1.placedAt }
        if let own { placements.append(own) }
        for index in placements.indices { placements[index].number = UInt64(index) + 1 }
        let excess = placements.count - max(settings.policy.placementLimit, 1)
        if excess > 0 { placements.removeFirst(excess) }
        viewing.memory.placements = placements
        for record in remembered { settle(as: record, at: now, settings) }
    }

    /// Lets a placement that has no outcome here have the one that it got elsewhere.
    private mutating func settle(
        as record: PlacementRecord, at now: Instant, _ settings: SessionSettings
    ) {
        guard let outcome = record.state.outcome, outcome != .unknown,
            let known = viewing.memory.placements.first(where: {
                $0.state.id.hasSameBytes(as: record.state.id)
            }), known.state.outcome == nil || known.state.outcome == .unknown
        else { return }
        let verdict = BetslipCommand.Settle(
            placementId: record.state.id, outcome: outcome, reason: record.state.reason,
            stake: record.state.stake)
        var settled = viewing
        // Its effects are in the outbox; what it publishes is in the snapshot that all get.
        guard
            (try? settled.apply(
                .betslip(.settle(verdict)), from: Origin(device: nil, role: .api), at: now,
                revision: revision + 1, policy: settings.policy)) != nil
        else { return }
        viewing = settled
        revision += 1
        history = History(
            size: settings.historySize, seconds: settings.historySeconds, top: revision)
    }
}
