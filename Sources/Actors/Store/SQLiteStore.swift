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

    let loop: any EventLoop
    let durability: StoreDurability
    let limits: StoreLimits
    private let mailbox = Mailbox<StoreWriter.Batch>()

    var places: [SessionID: StorePlace] = [:]
    var parked: [SessionID: ParkedSession] = [:]
    var loads: [SessionID: (LoadedSession) -> Void] = [:]
    var outgoing: [StoreOperation] = []
    /// What the commits among them weigh.
    var outgoingBytes = 0
    var settled: [Settlement] = []
    var isTurnEndAwaited = false
    var generation: UInt64 = 0
    var census: StoreCensus
    var nextKey: Int64
    var tickets: UInt64 = 0
    /// Deletions of durability `memory` that are not on disk yet.
    var undeleted: [SessionID: StoreOperation] = [:]
    /// Why the newest transaction failed.
    var failure: String?
    /// Whether that was for want of room.
    var hasFailedFull = false
    /// What the writer found at its last look at the disk.
    var space: StoreSpace.Reading
    /// Whether the writer has not answered for too long.
    var isStalled = false
    var stallTimer: (any LoopTimer)?
    /// What the observer of failures heard last.
    var toldTrouble: Trouble?
    var observer: ((Settlement) -> Void)?
    var burialObserver: ((Int) -> Void)?
    var damageObserver: ((StoreDamage) -> Void)?
    /// Sessions whose damage was told.
    var damaged: Set<SessionID> = []
    /// What becomes of them.
    let policy: DamagePolicy
    /// Whether damaged pages were told.
    var hasDamagedPages = false
    var pageObserver: ((StoreFinding) -> Void)?
    var failureObserver: ((String?) -> Void)?
    var stallObserver: ((String) -> Void)?
    var conditionObserver: (() -> Void)?
    var closing: ((Bool) -> Void)?

    /// What an operator should know of what the start found and did.
    package let findings: [StoreFinding]
    /// Commits that were asked for and have not settled.
    package internal(set) var queueDepth = 0
    /// Batches that the writer has not done with.
    var underway = StoreUnderway()
    /// Sessions that were made and are not in the tables yet.
    var unwritten = 0
    /// The same by the users who made them.
    var unwrittenOwners: [String: Int] = [:]
    /// Who waits for the number of a user's sessions.
    var questions: [UInt64: OwnedQuestion] = [:]
    var lastQuestion: UInt64 = 0
    /// Who waits for ids of sessions, and for what lists say of some.
    var listings: [UInt64: ([String]?) -> Void] = [:]
    var lookups: [UInt64: ([SessionOutline]?) -> Void] = [:]
    /// Who waits for a revocation to be on disk.
    var revoking: [UInt64: (String?) -> Void] = [:]
    var lastRevocation: UInt64 = 0
    /// Those that were on disk at the start.
    package let revocations: [Revocation]
    /// The walk over what is too old, while one is under way.
    var pass: RetentionPass?
    /// Until the next step of that walk.
    var pause: (any LoopTimer)?

    /// Sessions of one step of a scrub.
    var scrubLimit = 0
    /// Until its next step.
    var scrubPause: (any LoopTimer)?
    /// Asks the writer to try again while it fails; nil while it does not.
    var probe: (any LoopTimer)?

    /// Milliseconds between two tries to write while writing fails.
    static let probeMilliseconds: Int64 = 1000
    /// Damaged sessions that are told; whoever has more has other worries.
    static let damageLimit = 1000
    /// Commits of one session that are taken beyond the queue's bounds: nobody can be asked to come
    /// again with a deadline or a stage that went.
    static let beyondLimit = 4

    /// Opens or makes the database at `path` and starts the thread that writes it.
    ///
    /// All calls are made and all answers come on `loop`. `key` seals the secrets of sessions. Beyond
    /// `limits` commits fail. `note` begins the path of the file that the highest sequence number is
    /// noted in; it should not be in the data folder. `progress` hears what is done when the start
    /// takes long. On a full disk the ballast is given up for the start.
    ///
    /// - Throws: ``StoreFault`` when the database cannot be used.
    package init(
        path: String, key: SealingKey, durability: StoreDurability, settings: SessionSettings,
        limits: StoreLimits = StoreLimits(), damaged: DamagePolicy = .setAside,
        note: String? = nil, loop: any EventLoop, progress: @Sendable (String) -> Void = { _ in }
    ) throws(StoreFault) {
        let space = StoreSpace(folder: StoreFiles(path).folder, limits: limits)
        let opened = try space.open { () throws(StoreFault) in
            try OpenedStore.open(
                OpenedStore.Request(
                    path: path, key: key, durability: durability, note: note, now: loop.now,
                    logPages: limits.logPages, pageLimit: limits.pageLimit),
                progress)
        }
        self.loop = loop
        self.durability = durability
        self.limits = limits
        policy = damaged
        self.space = space.reading
        census = opened.census
        nextKey = opened.nextKey
        findings = opened.findings + space.findings
        revocations = opened.revocations
        var writer: StoreWriter? = StoreWriter(
            opened, settings: settings, policy: damaged, space: space)
        let owner = LoopBound(Owner(store: self), on: loop)
        let mailbox = mailbox
        WorkerThread.run(name: "store") {
            let error = writer?.run(mailbox) { report in
                loop.execute { owner.withValue { $0.store }?.take(report) }
            }
            // The database is closed before anybody hears that the store is.
            writer = nil
            loop.execute { owner.withValue { $0.store }?.closed(error) }
        }
        probeWhileFailing()
    }

    /// Whether the writer has nothing to do: the files are as they will stay.
    package var isAtRest: Bool { outgoing.isEmpty && underway.count == 0 }

    package var holdings: StoreHoldings {
        StoreHoldings(
            sessions: census.sessions + unwritten, remembered: census.remains,
            setAside: damaged.count)
    }

    package func observe(_ observer: @escaping (Settlement) -> Void) {
        self.observer = observer
    }

    /// Calls `observer` with the reason when the store takes no commits, and with nil when it does
    /// again; at once when it takes none now.
    package func observeFailures(_ observer: @escaping (String?) -> Void) {
        failureObserver = observer
        tellTrouble()
    }

    package func observeStalls(_ observer: @escaping (String) -> Void) {
        stallObserver = observer
    }

    package func observeCondition(_ observer: @escaping () -> Void) {
        conditionObserver = observer
    }

    package var isVolatile: Bool { durability == .memory }

    /// Calls `observer` the first time that a session cannot be read, and when one gets a new epoch.
    package func observeDamage(_ observer: @escaping (StoreDamage) -> Void) {
        damageObserver = observer
    }

    /// Calls `observer` once, when pages of the file turn out to be damaged while it is in use.
    package func observePages(_ observer: @escaping (StoreFinding) -> Void) {
        pageObserver = observer
    }

    /// Calls `observer` with the number of sessions that were just deleted by age.
    package func observeBurials(_ observer: @escaping (Int) -> Void) {
        burialObserver = observer
    }
}

extension SQLiteStore {
    package func append(_ commit: Commit, for session: SessionID) {
        var place = places[session] ?? newPlace(for: session, commit.change)
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
        let isFull = isQueueFull
        if !isFull { place.beyond = 0 }
        if isFull, place.refusal == nil {
            if place.beyond < Self.beyondLimit {
                place.beyond += 1
            } else {
                place.refusal = backlog
                queueDepth += 1
                post(.refusal(session, sequence: commit.sequence, reason: backlog ?? ""))
            }
        } else if !isFull, let reason = place.refusal {
            queueDepth += 1
            post(.refusal(session, sequence: commit.sequence, reason: reason))
        }
        // One that follows a refused one fails with it, so a full queue need not have it.
        if place.refusal == nil {
            queueDepth += 1
            place.slot.number += 1
            outgoingBytes += commit.weight
            post(.commit(commit, place.slot, at: loop.now))
        }
        places[session] = place
    }

    package func snapshot(_ stored: StoredSession, of session: SessionID) {
        guard let durable = newestCommit(of: session) else { return }
        snapshot(stored, of: session, through: durable)
    }

    package func newestCommit(of session: SessionID) -> Int64? { places[session]?.durable }

    package func snapshot(_ stored: StoredSession, of session: SessionID, through number: Int64) {
        guard var slot = places[session]?.slot else { return }
        slot.number = number
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
        if let stall { return completion(.failed(stall)) }
        loads[session] = completion
        post(.load(session, at: loop.now))
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
        noLongerUnwritten(place)
    }

    /// Hands what could not be written to the writer again.
    func retryParked() {
        for (session, entry) in parked where !entry.isPosted {
            park(session, entry.stored, entry.place, at: loop.now)
        }
    }

    /// Writes what was asked for, ends the thread and closes the database.
    ///
    /// `completion` hears whether everything that was acknowledged is on disk.
    package func close(_ completion: @escaping (Bool) -> Void) {
        closing = completion
        flush()
        mailbox.close()
    }
}

extension SQLiteStore {
    private func newPlace(for session: SessionID, _ change: Commit.Change) -> StorePlace {
        defer { nextKey += 1 }
        var place = StorePlace(
            slot: StoreSlot(id: session, key: nextKey, number: 0, isInTables: false), durable: 0)
        if case .create(let stored) = change { place.owner = stored.owner }
        unwritten += 1
        if !place.owner.isEmpty { unwrittenOwners[place.owner, default: 0] += 1 }
        return place
    }

    /// A session that was made is in the tables, or gone.
    func noLongerUnwritten(_ place: StorePlace) {
        unwritten -= 1
        guard let count = unwrittenOwners[place.owner] else { return }
        unwrittenOwners[place.owner] = count > 1 ? count - 1 : nil
    }

    /// Hands a session without activation to the writer; until it is written it can be had back.
    private func park(
        _ session: SessionID, _ stored: StoredSession, _ place: StorePlace, at now: Instant
    ) {
        tickets += 1
        let visit = StoreVisit(
            ticket: tickets, idleSince: now, isVacant: stored.viewing.isVacant)
        var slot = place.slot
        slot.number = place.durable
        if stored.mark.commits == 0, slot.isInTables {
            post(.idle(slot, visit))
        } else {
            post(.snapshot(stored, slot, visit))
        }
        var entry = ParkedSession(stored: stored, place: place, ticket: tickets)
        entry.stored.mark = SnapshotMark(
            revision: stored.revision, stamp: stored.requests.stamp, commits: 0)
        parked[session] = entry
    }

    func post(_ operation: StoreOperation) {
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
        if let place = places.removeValue(forKey: slot.id), !slot.isInTables {
            noLongerUnwritten(place)
        }
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

    func flush() {
        guard !outgoing.isEmpty else { return }
        underway.add(at: loop.nanoseconds, bytes: outgoingBytes)
        mailbox.post(StoreWriter.Batch(operations: outgoing, generation: generation))
        outgoing = []
        outgoingBytes = 0
        watchForStall()
    }
}
