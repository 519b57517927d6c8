package import Coordinator
package import Security

/// The store in a data folder: a journal of commits and snapshots of sessions in one SQLite database.
///
/// With durability `commit` a commit settles when its transaction is on disk. With `memory` it
/// settles at the end of the loop turn, and sessions are written when they are passivated.
package final class SQLiteStore: Store {
    /// What the writer's thread posts its reports to.
    private struct Owner {
        weak var store: SQLiteStore?
    }

    /// A session that is active, or on its way back to the tables.
    private struct Place {
        /// `number` is that of the newest commit asked for.
        var slot: StoreSlot
        /// The number of the newest commit known to be durable.
        var durable: Int64
        /// A commit was refused and the session does not know yet.
        var isRefusing = false
        /// The session's number, in this activation, of the newest commit asked for.
        var newest: UInt64 = 0
        /// Commits up to this one failed together with one that was reported.
        var failedThrough: UInt64 = 0
        var isDeleting = false
    }

    private struct Parked {
        var stored: StoredSession
        var place: Place
        var ticket: UInt64
        /// Whether the writer has it; otherwise it is tried again later.
        var isPosted = true
    }

    private let loop: any EventLoop
    private let durability: StoreDurability
    private let queueLimit: Int
    private let mailbox = Mailbox<StoreWriter.Batch>()

    private var places: [SessionID: Place] = [:]
    private var parked: [SessionID: Parked] = [:]
    private var loads: [SessionID: (LoadedSession) -> Void] = [:]
    private var outgoing: [StoreOperation] = []
    private var settled: [Settlement] = []
    private var isTurnEndAwaited = false
    private var generation: UInt64 = 0
    private var census: StoreCensus
    private var nextKey: Int64
    private var tickets: UInt64 = 0
    /// Deletions of durability `memory` that are not on disk yet.
    private var undeleted: [SessionID: StoreOperation] = [:]
    /// Why the newest transaction failed.
    private var failure: String?
    private var observer: ((Settlement) -> Void)?
    private var burialObserver: ((Int) -> Void)?
    private var damageObserver: ((SessionID, String) -> Void)?
    /// Sessions whose damage was told.
    private var damaged: Set<SessionID> = []
    private var failureObserver: ((String?) -> Void)?
    private var closing: (() -> Void)?

    /// Whether sessions got new epochs, since the run before may have lost what it acknowledged.
    package let hasNewEpochs: Bool
    /// Commits that were asked for and have not settled.
    package private(set) var queueDepth = 0
    /// Batches that the writer has not done with.
    private var batchesUnderway = 0
    /// Sessions that were made and are not in the tables yet.
    private var unwritten = 0

    /// Damaged sessions that are told; whoever has more has other worries.
    private static let damageLimit = 1000
    /// Sessions that are deleted by age in one transaction.
    private static let burialLimit = 1000

    /// Opens or makes the database at `path` and starts the thread that writes it.
    ///
    /// All calls are made and all answers come on `loop`. `key` seals the secrets of sessions. One
    /// commit more than `queueLimit` that waits fails.
    ///
    /// - Throws: ``StoreFault`` when the database cannot be used.
    package init(
        path: String, key: SealingKey, durability: StoreDurability, settings: SessionSettings,
        queueLimit: Int, loop: any EventLoop
    ) throws(StoreFault) {
        let opened = try OpenedStore(path: path, key: key, durability: durability, now: loop.now)
        self.loop = loop
        self.durability = durability
        self.queueLimit = queueLimit
        census = opened.census
        nextKey = opened.nextKey
        hasNewEpochs = opened.hasNewEpochs
        let writer = StoreWriter(opened, settings: settings)
        let owner = LoopBound(Owner(store: self), on: loop)
        let mailbox = mailbox
        WorkerThread.run(name: "store") {
            let error = writer.run(mailbox) { report in
                loop.execute { owner.withValue { $0.store }?.take(report) }
            }
            loop.execute { owner.withValue { $0.store }?.closed(error) }
        }
    }

    /// Whether the writer has nothing to do: the files are as they will stay.
    package var isAtRest: Bool { outgoing.isEmpty && batchesUnderway == 0 }

    package var count: Int { census.sessions + census.remains + unwritten }

    package func observe(_ observer: @escaping (Settlement) -> Void) {
        self.observer = observer
    }

    /// Calls `observer` with the reason when the store cannot write, and with nil when it can again.
    package func observeFailures(_ observer: @escaping (String?) -> Void) {
        failureObserver = observer
    }

    /// Calls `observer` the first time that a session cannot be read, with the reason.
    package func observeDamage(_ observer: @escaping (SessionID, String) -> Void) {
        damageObserver = observer
    }

    /// Calls `observer` with the number of sessions that were just deleted by age.
    package func observeBurials(_ observer: @escaping (Int) -> Void) {
        burialObserver = observer
    }
}

extension SQLiteStore {
    package func append(_ commit: Commit, for session: SessionID) {
        var place = places[session] ?? newPlace(for: session)
        let isDeletion = if case .delete = commit.change { true } else { false }
        guard durability == .commit else {
            place.durable += 1
            place.slot.number = place.durable
            places[session] = place
            if isDeletion { deleteInMemory(commit, place.slot) }
            return settleInMemory(commit, of: session)
        }
        place.isDeleting = isDeletion
        place.newest = commit.sequence
        queueDepth += 1
        if queueDepth > queueLimit { place.isRefusing = true }
        if place.isRefusing {
            let reason = "store.busy: \(queueLimit) commits wait"
            post(.refusal(session, sequence: commit.sequence, reason: reason))
        } else {
            place.slot.number += 1
            post(.commit(commit, place.slot, at: loop.now))
        }
        places[session] = place
    }

    package func snapshot(_ stored: StoredSession, of session: SessionID) {
        guard var slot = places[session]?.slot, let durable = places[session]?.durable else {
            return
        }
        slot.number = durable
        post(.snapshot(stored, slot, StoreVisit(ticket: 0, idleSince: nil)))
    }

    package func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
        if var entry = parked.removeValue(forKey: session) {
            // The session counts its commits anew.
            entry.place.newest = 0
            entry.place.failedThrough = 0
            places[session] = entry.place
            return completion(.stored(entry.stored))
        }
        loads[session] = completion
        post(.load(session))
    }

    package func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        guard let place = places.removeValue(forKey: session) else { return }
        park(session, stored, place, at: now)
    }

    /// Forgets a session that was made and never became durable.
    package func abandon(_ session: SessionID) {
        guard let place = places.removeValue(forKey: session), !place.slot.isInTables else {
            return
        }
        unwritten -= 1
    }

    /// Deletes the sessions that were passivated before `limit`, all in good time.
    ///
    /// Placements of sessions deleted before `placementLimit` are forgotten with that.
    package func expire(passivatedBefore limit: Instant, deletedBefore placementLimit: Instant) {
        post(.forgetPlacements(deletedBefore: placementLimit))
        post(.findIdle(before: limit, limit: Self.burialLimit))
        for (session, entry) in parked where !entry.isPosted {
            park(session, entry.stored, entry.place, at: loop.now)
        }
        for operation in undeleted.values { post(operation) }
    }

    /// Writes what was asked for, ends the thread, closes the database and calls `completion`.
    package func close(_ completion: @escaping () -> Void) {
        closing = completion
        flush()
        mailbox.close()
    }
}

extension SQLiteStore {
    private func newPlace(for session: SessionID) -> Place {
        defer { nextKey += 1 }
        unwritten += 1
        return Place(
            slot: StoreSlot(id: session, key: nextKey, number: 0, isInTables: false), durable: 0)
    }

    /// Hands a session without activation to the writer; until it is written it can be had back.
    private func park(
        _ session: SessionID, _ stored: StoredSession, _ place: Place, at now: Instant
    ) {
        tickets += 1
        let visit = StoreVisit(ticket: tickets, idleSince: now)
        var slot = place.slot
        slot.number = place.durable
        if stored.mark.commits == 0, slot.isInTables {
            post(.idle(slot, visit))
        } else {
            post(.snapshot(stored, slot, visit))
        }
        var entry = Parked(stored: stored, place: place, ticket: tickets)
        entry.stored.mark = SnapshotMark(
            revision: stored.revision, stamp: stored.requests.stamp, commits: 0)
        parked[session] = entry
    }

    private func post(_ operation: StoreOperation) {
        outgoing.append(operation)
        awaitTurnEnd()
    }

    /// Settles a commit of durability `memory` when the turn ends, as a batch on disk would.
    private func settleInMemory(_ commit: Commit, of session: SessionID) {
        if case .committed(session, _) = settled.last { settled.removeLast() }
        settled.append(.committed(session, through: commit.sequence))
        awaitTurnEnd()
    }

    /// Deletes a session of durability `memory`; until that is on disk it cannot be loaded.
    private func deleteInMemory(_ commit: Commit, _ slot: StoreSlot) {
        places[slot.id] = nil
        if !slot.isInTables { unwritten -= 1 }
        let operation = StoreOperation.commit(commit, slot, at: loop.now)
        undeleted[slot.id] = operation
        post(operation)
    }

    private func awaitTurnEnd() {
        guard !isTurnEndAwaited else { return }
        isTurnEndAwaited = true
        loop.atTurnEnd { [weak self] in self?.endTurn() }
    }

    private func endTurn() {
        isTurnEndAwaited = false
        flush()
        let settlements = settled
        settled.removeAll(keepingCapacity: true)
        for settlement in settlements { observer?(settlement) }
    }

    private func flush() {
        guard !outgoing.isEmpty else { return }
        batchesUnderway += 1
        mailbox.post(StoreWriter.Batch(operations: outgoing, generation: generation))
        outgoing = []
    }
}

extension SQLiteStore {
    /// Takes over what the writer did.
    private func take(_ report: StoreReport) {
        // What was asked for before the failure was known fails with it.
        if report.generation != generation { flush() }
        generation = report.generation
        batchesUnderway -= report.batches
        census = report.census
        if report.failure != failure {
            failure = report.failure
            failureObserver?(failure)
        }
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
            case .idle(let ids, let limit, let isAll): bury(ids, idleBefore: limit, isAll: isAll)
            case .buried(let count): if count > 0 { burialObserver?(count) }
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
                place.isRefusing = false
                place.isDeleting = false
                places[id] = place
            case .written, .notWritten, .loaded, .idle, .buried: continue
            }
        }
        return (newest, failed)
    }

    private func committed(_ id: SessionID, number: Int64) {
        undeleted[id] = nil
        guard durability == .commit, var place = places[id] else { return }
        place.durable = number
        if !place.slot.isInTables {
            place.slot.isInTables = true
            unwritten -= 1
        }
        places[id] = place.isDeleting && number == place.slot.number ? nil : place
    }

    private func written(_ id: SessionID, _ visit: StoreVisit) {
        if let entry = parked[id], !entry.place.slot.isInTables {
            parked[id]?.place.slot.isInTables = true
            unwritten -= 1
        } else if let place = places[id], !place.slot.isInTables {
            places[id]?.slot.isInTables = true
            unwritten -= 1
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
        if case .failed(let reason) = loaded, damaged.count < Self.damageLimit,
            damaged.insert(id).inserted
        {
            damageObserver?(id, reason)
        }
        if let slot { places[id] = Place(slot: slot, durable: slot.number) }
        completion(undeleted[id] == nil ? loaded : .failed("store.failing: it is being deleted"))
    }

    private func bury(_ ids: [SessionID], idleBefore limit: Instant, isAll: Bool) {
        let dead = ids.filter { places[$0] == nil && parked[$0] == nil && loads[$0] == nil }
        guard !dead.isEmpty else { return }
        post(.bury(dead, at: loop.now))
        if !isAll { post(.findIdle(before: limit, limit: Self.burialLimit)) }
    }

    private func closed(_ error: SQLiteError?) {
        if let error { failureObserver?(error.description) }
        closing?()
        closing = nil
    }
}
