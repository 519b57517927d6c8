internal import Coordinator

/// What the loop asks of the store's writer, in order.
enum StoreOperation: Sendable {
    /// Makes a commit durable.
    case commit(Commit, StoreSlot, at: Instant)
    /// Fails a commit in its turn, because the queue was full.
    case refusal(SessionID, sequence: UInt64, reason: String)
    /// Writes the session as of commit number `slot.number`.
    case snapshot(StoredSession, StoreSlot, StoreVisit)
    /// Notes that a session without changes has no activation any more.
    case idle(StoreSlot, StoreVisit)
    /// Reads a session.
    case load(SessionID, at: Instant)
    /// Looks for sessions that had no activation for long.
    case findIdle(IdleQuery)
    /// Counts the sessions that a user made, up to a limit, for the question of this number.
    case countOwned(UInt64, user: String, limit: Int)
    /// Finds the ids of sessions after one, up to a limit, for the question of this number.
    case list(UInt64, after: String, limit: Int)
    /// Looks up what lists say of sessions, for the question of this number.
    case outline(UInt64, [SessionID])
    /// Notes that tokens were taken back, for whoever waits under this number.
    case revoke(UInt64, Revocation)
    /// Deletes sessions that have no activation.
    case bury(Burial)
    /// Writes a little, to learn whether the disk takes it again.
    case probe
    /// Looks how much room there is.
    case look
    /// Forgets the placements of sessions deleted before this time, of so many at most.
    case forgetPlacements(deletedBefore: Instant, limit: Int)
    /// Gives back what deleted sessions have left: so many since the look before.
    case tidy(deleted: Int)
    /// Forgets damaged rows that were kept since before this time.
    case forgetQuarantine(before: Instant)
    /// Reads the sessions behind this key, of so many at most, to see whether they can be.
    case scrub(after: Int64, limit: Int)

    /// Whether it writes, and needs a transaction.
    var isWrite: Bool {
        switch self {
        case .commit, .snapshot, .idle, .revoke, .bury, .probe, .forgetPlacements,
            .forgetQuarantine, .tidy:
            true
        case .refusal, .load, .findIdle, .countOwned, .list, .outline, .scrub, .look: false
        }
    }

    /// Whether it only asks how the store is.
    var asks: Bool { if case .probe = self { true } else { false } }

    /// Whether it reads.
    var isRead: Bool {
        switch self {
        case .load, .findIdle, .countOwned, .list, .outline, .scrub: true
        case .commit, .refusal, .snapshot, .idle, .revoke, .bury, .probe, .look,
            .forgetPlacements, .forgetQuarantine, .tidy:
            false
        }
    }

    /// Whether it is a change that needs room.
    var grows: Bool {
        guard case .commit(let commit, _, _) = self else { return false }
        if case .delete = commit.change { return false }
        return true
    }

    /// Whether it makes room.
    var frees: Bool {
        switch self {
        case .commit: !grows
        case .bury, .forgetPlacements, .forgetQuarantine, .tidy: true
        case .refusal, .snapshot, .idle, .load, .findIdle, .countOwned, .list, .outline, .scrub,
            .revoke,
            .probe, .look:
            false
        }
    }

    /// Whether nobody waits for it: it is done in a transaction of its own, after all others.
    var isChore: Bool {
        switch self {
        case .bury, .forgetPlacements, .forgetQuarantine, .tidy: true
        case .commit, .snapshot, .idle, .probe, .look, .refusal, .load, .findIdle, .countOwned,
            .list, .outline, .scrub, .revoke:
            false
        }
    }

    /// The sessions whose rows it changes.
    var writtenSessions: [SessionID] {
        switch self {
        case .commit(_, let slot, _), .snapshot(_, let slot, _), .idle(let slot, _): [slot.id]
        case .bury(let burial): burial.sessions
        case .refusal, .load, .findIdle, .countOwned, .list, .outline, .scrub, .revoke, .tidy,
            .forgetPlacements, .forgetQuarantine, .probe, .look:
            []
        }
    }

    /// What is reported when it is not done; nil when it is not a matter of writing.
    func failed(_ reason: String) -> StoreReport.Outcome? {
        switch self {
        case .commit(let commit, let slot, _):
            .failed(slot.id, sequence: commit.sequence, reason: reason)
        case .refusal(let id, let sequence, let reason):
            .failed(id, sequence: sequence, reason: reason)
        case .snapshot(_, let slot, let visit), .idle(let slot, let visit):
            .notWritten(slot.id, visit)
        case .revoke(let number, _): .revoked(number, reason: reason)
        case .bury, .forgetPlacements: .choreFailed
        case .load, .findIdle, .countOwned, .list, .outline, .scrub, .tidy, .probe, .look,
            .forgetQuarantine:
            nil
        }
    }
}

/// A session's place in the store.
struct StoreSlot: Sendable, Hashable {
    var id: SessionID
    /// The session's key in the tables.
    var key: Int64
    /// Counts its commits; that of a snapshot is the newest one it holds.
    var number: Int64
    /// Whether the tables have it.
    var isInTables: Bool
}

/// Tells one writing of a session from the next.
struct StoreVisit: Sendable, Hashable {
    /// Counts the passivations; 0 for a snapshot of an active session.
    var ticket: UInt64
    /// Since when the session has no activation; nil while it has one.
    var idleSince: Instant?
    /// Whether it never held anything.
    var isVacant = false

    /// Whether the session asks for it again, should it not be written.
    var isLater: Bool { ticket == 0 }
}

/// Sessions to delete by age.
struct Burial: Sendable {
    var sessions: [SessionID]
    /// Whether only those are meant that never held anything.
    var isVacant: Bool
    /// Seconds that a settled placement is remembered.
    var placementSeconds: Int64
    var at: Instant
}

/// What became of operations.
struct StoreReport: Sendable {
    enum Outcome: Sendable {
        case committed(SessionID, sequence: UInt64, number: Int64)
        case failed(SessionID, sequence: UInt64, reason: String)
        case written(SessionID, StoreVisit)
        case notWritten(SessionID, StoreVisit)
        case loaded(SessionID, LoadedSession, StoreSlot?)
        /// Sessions that may be deleted, of the look that found them, and how that goes on.
        case idle([SessionID], isVacant: Bool, next: IdleQuery?)
        case buried(Int)
        /// Placements of so many deleted sessions were forgotten.
        case forgot(Int)
        /// Retention goes on at the next look.
        case choreFailed
        /// Sessions that cannot be read and why, and behind which key a scrub goes on; nil: at its end.
        case scrubbed([StoreDamage], next: Int64?)
        /// So many sessions has a user; nil when that cannot be read.
        case owned(UInt64, count: Int?)
        /// Ids of sessions; nil when they cannot be read.
        case listed(UInt64, [String]?)
        /// What lists say of sessions; nil when that cannot be read.
        case outlined(UInt64, [SessionOutline]?)
        /// A revocation is on disk, or is not for this reason.
        case revoked(UInt64, reason: String?)
        /// A damaged session goes on in a new epoch; this was wrong with it.
        case restored(SessionID, LoadedSession, StoreSlot?, reason: String)
    }

    var outcomes: [Outcome]
    /// Batches posted before a failure was reported carry a smaller number and fail too.
    var generation: UInt64
    /// Why the newest transaction failed; nil when it did not.
    var failure: String?
    /// Whether it failed for want of room.
    var isFull = false
    /// What the last look at the disk found.
    var space = StoreSpace.Reading()
    var census: StoreCensus
    /// Batches that are done with this report.
    var batches = 0
    /// Whether pages of the file were found damaged since the start.
    var hasDamagedPages = false
}

/// What the tables hold, counted.
struct StoreCensus: Sendable {
    var sessions: Int
    /// Deleted sessions whose placements are remembered.
    var remains: Int
    /// The sequence number of the next commit.
    var nextSeq: Int64
    /// Everything in the journal before this one is deleted.
    var trimmed: Int64
}
