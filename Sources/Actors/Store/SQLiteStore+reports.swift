internal import Coordinator

extension SQLiteStore {
    /// Takes over what the writer did.
    func take(_ report: StoreReport) {
        // What was asked for before the failure was known fails with it.
        if report.generation != generation { flush() }
        generation = report.generation
        underway.removeFirst(report.batches)
        census = report.census
        failure = report.failure
        hasFailedFull = report.isFull
        space = report.space
        writerAnswered()
        tellTrouble()
        probeWhileFailing()
        if report.hasDamagedPages { tellDamagedPages() }
        conditionObserver?()
        // All places first: what the first session is told may make it append again.
        let (committed, failed) = settlePlaces(report.outcomes)
        for outcome in report.outcomes {
            switch outcome {
            case .committed(let id, let sequence, _):
                // With durability `memory` only deletions are posted, and nobody waits for them.
                guard durability == .commit else { continue }
                queueDepth -= 1
                // Once for all of a session's commits: a snapshot that it asks for then is of the
                // newest one, which is what its place says.
                if committed[id] == sequence { observer?(.committed(id, through: sequence)) }
            case .failed(let id, let sequence, let reason):
                guard durability == .commit else { continue }
                queueDepth -= 1
                if failed[id] == sequence {
                    observer?(.failed(id, from: sequence, reason: reason))
                }
            case .written(let id, let visit): written(id, visit)
            case .notWritten(let id, let visit): notWritten(id, visit)
            case .loaded(let id, let loaded, let slot): finishLoad(of: id, loaded, slot)
            case .restored(let id, let loaded, let slot, let reason):
                damageObserver?(StoreDamage(session: id, reason: reason, outcome: .newEpoch))
                finishLoad(of: id, loaded, slot)
            case .idle(let ids, let isVacant, let next):
                found(ids, isVacant: isVacant, next: next)
            case .buried(let count): buried(count)
            case .forgot(let count): forgot(count)
            case .choreFailed: endPass()
            case .scrubbed(let found, let next): scrubbed(found, next: next)
            case .owned(let question, let count): answer(question, count)
            case .listed(let question, let ids): answer(question, listed: ids)
            case .outlined(let question, let outlines): answer(question, outlined: outlines)
            case .revoked(let number, let reason): revoked(number, reason)
            }
        }
    }

    /// Brings the places up to what the outcomes say, in their order; gives each session's newest
    /// durable commit, and the one that it has to hear of as failed.
    private func settlePlaces(
        _ outcomes: [StoreReport.Outcome]
    ) -> (committed: [SessionID: UInt64], failed: [SessionID: UInt64]) {
        var newest: [SessionID: UInt64] = [:]
        var failed: [SessionID: UInt64] = [:]
        for outcome in outcomes {
            switch outcome {
            case .committed(let id, let sequence, let number):
                newest[id] = sequence
                committed(id, number: number)
            case .failed(let id, let sequence, _):
                guard durability == .commit, var place = places[id],
                    sequence > place.failedThrough
                else { continue }
                failed[id] = sequence
                place.failedThrough = place.newest
                place.slot.number = place.durable
                place.refusal = nil
                place.beyond = 0
                place.isDeleting = false
                places[id] = place
            case .written, .notWritten, .loaded, .restored, .idle, .buried, .forgot,
                .choreFailed, .scrubbed, .owned, .listed, .outlined, .revoked:
                continue
            }
        }
        return (newest, failed)
    }

    private func committed(_ id: SessionID, number: Int64) {
        if !undeleted.isEmpty { undeleted[id] = nil }
        guard durability == .commit, let index = places.index(forKey: id) else { return }
        places.values[index].durable = number
        let isNewest = number == places.values[index].slot.number
        if isNewest { places.values[index].beyond = 0 }
        if !places.values[index].slot.isInTables {
            places.values[index].slot.isInTables = true
            noLongerUnwritten(places.values[index])
        }
        if isNewest, places.values[index].isDeleting { places[id] = nil }
    }

    /// Without a probe a server that nobody sends to, because it is not ready, would never be again.
    func probeWhileFailing() {
        guard failure != nil || space.shortage != nil, closing == nil else { return probe = nil }
        guard probe == nil else { return }
        probe = loop.schedule(afterMilliseconds: Self.probeMilliseconds) { [weak self] in
            guard let self else { return }
            probe = nil
            post(failure == nil ? .look : .probe)
        }
    }

    private func written(_ id: SessionID, _ visit: StoreVisit) {
        if let entry = parked[id], !entry.place.slot.isInTables {
            parked[id]?.place.slot.isInTables = true
            noLongerUnwritten(entry.place)
        } else if let place = places[id], !place.slot.isInTables {
            places[id]?.slot.isInTables = true
            noLongerUnwritten(place)
        }
        if parked[id]?.ticket == visit.ticket { parked[id] = nil }
    }

    private func notWritten(_ id: SessionID, _ visit: StoreVisit) {
        if places[id] != nil {
            observer?(.snapshotFailed(id))
        } else if parked[id]?.ticket == visit.ticket {
            // The journal has all of it, or else it is kept here and tried again.
            if durability == .commit {
                parked[id] = nil
            } else {
                parked[id]?.stored.mark = SnapshotMark(commits: 1)
                parked[id]?.isPosted = false
            }
        }
    }

    private func finishLoad(of id: SessionID, _ loaded: LoadedSession, _ slot: StoreSlot?) {
        guard let completion = loads.removeValue(forKey: id) else { return }
        if case .damaged(let reason) = loaded {
            tell(StoreDamage(session: id, reason: reason, outcome: .setAside))
        }
        if let slot { places[id] = StorePlace(slot: slot, durable: slot.number) }
        completion(undeleted[id] == nil ? loaded : .failed("store.failing: it is being deleted"))
    }

    func closed(_ error: SQLiteError?) {
        if let error { failureObserver?(error.description) }
        // With durability `memory` what is not written by now is lost.
        let isWritten = failure == nil && error == nil && parked.isEmpty && places.isEmpty
        closing?(durability == .commit || isWritten)
        closing = nil
    }
}
