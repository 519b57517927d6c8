/// One viewing session as a pure machine: inputs in, actions out, no clock and no I/O.
///
/// It numbers the revisions, asks for commits and holds every output back until the change it was
/// computed from is durable. A failed commit returns it to its last durable state.
package struct Session: Sendable {
    /// The session's id.
    package let id: SessionID
    /// The incarnation of its stream of revisions; never empty.
    package let epoch: String
    /// The user who made it; empty when that was nobody with a name.
    let owner: String

    let settings: SessionSettings
    var viewing: Viewing
    var revision: UInt64
    var requests: RequestMemory
    var history: History
    var gate = OutputGate<SessionOutput>()
    var actions: [SessionAction] = []
    /// First answers whose change is not durable yet.
    var unsettledAnswers: [RequestMemory.Key: JSONObject] = [:]

    /// The connection that holds the stage now.
    var stageConnection: UInt64?
    var isDeleted = false
    /// What became of the event of the last input; nil when that was something else.
    package internal(set) var report: EventReport?

    /// The number of the newest commit asked for.
    private var sequence: UInt64 = 0
    /// The number of the newest commit known to be durable or failed.
    private var settled: UInt64 = 0
    private var durable: Point
    private var unsettled: [Point] = []
    private var timer: Instant?
    /// When the session's own events are tried again after one could not be made durable.
    private var retryAt: Instant?
    /// Whether some commit of the session, and with it the epoch, is durable.
    package private(set) var isStored = true
    private var mark: SnapshotMark
    /// When the durable changes since the last snapshot are old enough for one.
    private var snapshotDue: Instant?

    /// Milliseconds before the session's own events are tried again.
    private static let retryMilliseconds: Int64 = 1000

    /// The session as of one commit, to return to when a later one fails.
    private struct Point: Sendable {
        var sequence: UInt64
        var viewing: Viewing
        var revision: UInt64
        var stageConnection: UInt64?
    }

    /// A new session, whose first action is the commit of its epoch.
    ///
    /// `placements` are those of a deleted session of this id: a bet that was placed there is not
    /// placed again (contract: domain, section 2.1).
    package init(
        id: SessionID, newEpoch epoch: String, placements: [PlacementRecord] = [],
        owner: String = "", settings: SessionSettings
    ) {
        var viewing = Viewing()
        viewing.memory.inherit(placements)
        self.init(
            id: id,
            stored: StoredSession(
                epoch: epoch, revision: 0, viewing: viewing,
                requests: RequestMemory(
                    idsPerDevice: settings.idempotencyIDs,
                    maximumDevices: settings.idempotencyDevices),
                history: History(size: settings.historySize, seconds: settings.historySeconds),
                owner: owner),
            settings: settings)
        isStored = false
        commitCreation()
    }

    /// A session that was stored before.
    package init(id: SessionID, stored: StoredSession, settings: SessionSettings) {
        precondition(!stored.epoch.isEmpty, "an empty epoch would switch off the loss check")
        self.id = id
        self.epoch = stored.epoch
        owner = stored.owner
        self.settings = settings
        viewing = stored.viewing
        revision = stored.revision
        requests = stored.requests
        history = stored.history
        mark = stored.mark
        durable = Point(sequence: 0, viewing: viewing, revision: revision, stageConnection: nil)
    }

    /// What a store needs to bring the session back later.
    ///
    /// Complete only while the session is quiet.
    package var stored: StoredSession {
        StoredSession(
            epoch: epoch, revision: revision, viewing: viewing, requests: requests,
            history: history, mark: mark, owner: owner)
    }

    /// The newest durable revision.
    var durableRevision: UInt64 { durable.revision }

    /// The state of that revision.
    var durableState: SessionState { durable.viewing.state }

    /// Whether nothing is under way: no output held back, no stage, no timer.
    package var isQuiet: Bool {
        !hasUnsettled && stageConnection == nil && viewing.nextDeadline == nil
    }

    /// Whether commits are under way or outputs are held back.
    package var hasUnsettled: Bool { !gate.isEmpty || !unsettled.isEmpty }

    /// The actions of creation or activation, before any input.
    ///
    /// A session that was active when the server ended first loses its stage, whose grace starts,
    /// then its overdue timers run (contract: domain, section 2.1).
    package mutating func start(at now: Instant) -> [SessionAction] {
        if isStored {
            if mark.commits > 0 { plan(snapshotAfter: now) }
            detachLostStage(at: now)
            expire(at: now)
        }
        finish()
        var output: [SessionAction] = []
        swap(&actions, &output)
        return output
    }

    /// Takes one input and returns, in order, what the host must do about it.
    package mutating func receive(_ input: SessionInput, at now: Instant) -> [SessionAction] {
        var actions: [SessionAction] = []
        receive(input, at: now, into: &actions)
        return actions
    }

    /// Takes one input and adds, in order, what the host must do about it.
    ///
    /// A host that gives the same array each time saves its memory.
    package mutating func receive(
        _ input: SessionInput, at now: Instant, into output: inout [SessionAction]
    ) {
        swap(&actions, &output)
        decide(input, at: now)
        finish()
        swap(&actions, &output)
    }

    private mutating func decide(_ input: SessionInput, at now: Instant) {
        report = nil
        switch input {
        case .call(let call, let caller, let command):
            // Making it failed: nobody may hear of its epoch before another attempt is durable.
            if !isStored, unsettled.isEmpty { commitCreation() }
            // Somebody waits, and no more often than clients ask.
            retryAt = nil
            detachLostStage(at: now)
            handle(call, from: caller, command: command, at: now)
        case .connectionLost(let connection):
            releaseStage(of: connection)
            detachLostStage(at: now)
        case .timerFired:
            timer = nil
            detachLostStage(at: now)
            expire(at: now)
        case .committed(through: let sequence):
            settle(through: sequence)
            retryAt = nil
            if snapshotDue == nil, mark.commits > 0 { plan(snapshotAfter: now) }
        case .commitFailed(from: let sequence, let reason):
            if sequence > settled {
                // What was decided before is durable, whether that was told or not, and leaves first.
                settle(through: sequence - 1)
                release(at: now)
                rollBack(from: sequence, reason: reason)
                retryAt = now.advanced(byMilliseconds: Self.retryMilliseconds)
            }
        case .snapshotFailed:
            // Nothing says which parts of it are there: the next one writes them all.
            mark = SnapshotMark(commits: mark.commits + 1)
            plan(snapshotAfter: now)
        }
        release(at: now)
        takeSnapshot(ifDueAt: now)
    }

    private mutating func finish() {
        let wanted = nextTimer
        if !isDeleted, wanted != timer {
            timer = wanted
            actions.append(.setTimer(wanted))
        }
    }
}

extension Session {
    /// Holds an output back until everything decided so far is durable.
    mutating func say(_ output: SessionOutput) {
        gate.hold(output, until: sequence)
    }

    /// Asks for the session to exist.
    private mutating func commitCreation() {
        commit(.create(stored))
    }

    /// Asks for a commit of what an event changed.
    mutating func commitUpdate(
        publication: Publication?, memory: Commit.MemoryChange, answer: Commit.Answer?
    ) {
        commit(
            .update(
                Commit.Update(
                    revision: revision, publication: publication, memory: memory, answer: answer)))
    }

    /// Asks for the deletion of the session.
    mutating func commitDeletion() {
        commit(.delete(placements: viewing.memory.placements))
    }

    private mutating func commit(_ change: Commit.Change) {
        sequence += 1
        unsettled.append(
            Point(
                sequence: sequence, viewing: viewing, revision: revision,
                stageConnection: stageConnection))
        actions.append(.commit(Commit(sequence: sequence, change: change)))
    }

    private mutating func settle(through sequence: UInt64) {
        guard let last = unsettled.lastIndex(where: { $0.sequence <= sequence }) else { return }
        durable = unsettled[last]
        settled = durable.sequence
        // Creation is a snapshot by itself.
        mark.commits += isStored ? last + 1 : last
        isStored = true
        // Mostly all of them, whose place can be kept for the next ones.
        if last + 1 == unsettled.count {
            unsettled.removeAll(keepingCapacity: true)
        } else {
            unsettled.removeFirst(last + 1)
        }
    }

    /// Back to the last durable state; whoever waited for a later one is told so.
    private mutating func rollBack(from failed: UInt64, reason: String) {
        viewing = durable.viewing
        revision = durable.revision
        // One that was lost meanwhile was taken out of there too.
        stageConnection = durable.stageConnection
        isDeleted = false
        unsettled.removeAll()
        let refusal = ReplyError.storageUnavailable(reason)
        unsettledAnswers.removeAll()
        for output in gate.discard(from: failed) {
            if let failure = output.failed(refusal) { actions.append(failure) }
        }
        settled = sequence
    }

    private mutating func release(at now: Instant) {
        while let output = gate.next(durable: settled) {
            perform(output, at: now)
        }
    }

    /// A connection gave up the stage, whatever becomes of the commits under way.
    mutating func releaseStage(of connection: UInt64) {
        if stageConnection == connection { stageConnection = nil }
        if durable.stageConnection == connection { durable.stageConnection = nil }
        for index in unsettled.indices where unsettled[index].stageConnection == connection {
            unsettled[index].stageConnection = nil
        }
    }

    /// A stage whose connection is gone is detached; also when an earlier attempt was not durable.
    mutating func detachLostStage(at now: Instant) {
        guard hasLostStage, !isDeleted, mayRetry(at: now) else { return }
        var next = viewing
        let outcome = next.detachStage(
            at: now, revision: revision + 1, policy: settings.policy)
        adopt(next, outcome, origin: .system, at: now)
    }

    private var hasLostStage: Bool {
        stageConnection == nil && viewing.state.stage?.connected == true
    }

    private func mayRetry(at now: Instant) -> Bool {
        retryAt.map { $0 <= now } ?? true
    }

    private mutating func expire(at now: Instant) {
        guard !isDeleted, mayRetry(at: now) else { return }
        var next = viewing
        while let outcome = next.expire(
            at: now, revision: revision + 1, policy: settings.policy)
        {
            adopt(next, outcome, origin: .system, at: now)
            next = viewing
        }
    }
}

extension Session {
    /// When ``SessionInput/timerFired`` is wanted next.
    private var nextTimer: Instant? {
        var own = viewing.nextDeadline
        if let retryAt {
            // Not before the pause is over; then also for a stage that is still to be detached.
            own = hasLostStage ? retryAt : own.map { max($0, retryAt) }
        }
        return Instant.earliest(own, snapshotDue)
    }

    private mutating func plan(snapshotAfter now: Instant) {
        snapshotDue = settings.snapshots.map { now.advanced(bySeconds: $0.seconds) }
    }

    /// Asks for a snapshot of the durable session when its commits are many or old.
    ///
    /// History and remembered ids are filled when an output leaves, so after the release they are
    /// exactly those of the durable state, whatever else is under way.
    private mutating func takeSnapshot(ifDueAt now: Instant) {
        guard let due = snapshotDue, let settings = settings.snapshots, !isDeleted,
            due <= now || mark.commits >= settings.revisions
        else { return }
        snapshotDue = nil
        actions.append(
            .snapshot(
                StoredSession(
                    epoch: epoch, revision: durable.revision, viewing: durable.viewing,
                    requests: requests, history: history, mark: mark, owner: owner)))
        mark = SnapshotMark(revision: durable.revision, stamp: requests.stamp)
    }
}
