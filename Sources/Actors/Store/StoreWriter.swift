internal import Coordinator

/// The one thread that reads and writes the database: it takes what was posted, makes it durable in
/// one transaction, reports, and takes what was posted meanwhile.
///
/// The longer a transaction takes, the more commits share the next one: group commit over all
/// sessions (decision: storage).
final class StoreWriter {
    let tables: StoreTables
    let settings: SessionSettings
    var index: JournalIndex
    var census: StoreCensus
    private let policy: DamagePolicy
    let space: StoreSpace
    private let note: SequenceNote?
    private let suspicion: StoreSuspicion
    private(set) var generation: UInt64 = 0
    /// Why the newest transaction failed.
    private var writeFailure: SQLiteError?
    /// Why the newest load failed.
    private var readFailure: SQLiteError?
    /// Whether the transaction under way is being made durable.
    var isCommitting = false
    /// Where the journal ended when a trim was considered last.
    private var trimConsidered: Int64
    private var compaction: StoreCompaction

    /// What a transaction changes in the index once it is durable.
    private enum IndexChange {
        case append(seq: Int64, chain: Int64, StoreSlot)
        case cover(StoreSlot)
        case drop(Int64)
    }

    /// What a transaction has done so far.
    private struct Changes {
        var index: [IndexChange] = []
        /// The chain after the newest commit of each session that it wrote one of.
        var chains: [Int64: Int64] = [:]
    }

    /// Commits between two trims of the journal.
    private static let trimInterval: Int64 = 4096
    /// Commits that one trim deletes at most, so that those who wait for it do not wait long.
    private static let trimLimit: Int64 = 16_384

    /// Loads of one round that may come before its commits.
    private static let earlyReads = 64

    init(
        _ opened: OpenedStore, settings: SessionSettings, policy: DamagePolicy, space: StoreSpace
    ) {
        self.space = space
        tables = opened.tables
        compaction = StoreCompaction(opened.tables.database, path: opened.path)
        note = opened.note
        suspicion = opened.suspicion
        self.policy = policy
        index = opened.index
        census = opened.census
        trimConsidered = opened.census.nextSeq
        self.settings = settings
    }

    /// Works until the mailbox is closed and empty, then leaves the database for a quick start.
    ///
    /// - Returns: why it could not be left that way; nothing is lost then.
    func run(_ mailbox: Mailbox<Batch>, report: (StoreReport) -> Void) -> SQLiteError? {
        while let batches = mailbox.take() {
            process(batches, report)
            if space.isShort {
                compaction.makeRoom(canGrow: space.canGrow)
                space.regainBallast()
            }
            while mailbox.isQuiet, writeFailure == nil, compaction.giveBack() {}
        }
        do throws(SQLiteError) {
            try finish()
            return nil
        } catch {
            tables.rollbackTransaction()
            return error
        }
    }

    /// Leaves the database for a quick start, if there is room for that; the ballast stays for the
    /// start, but where something would be lost without.
    private func finish() throws(SQLiteError) {
        defer { note?.sync() }
        if try tables.meta("durability") == StoreDurability.memory.rawValue {
            try makingRoom { () throws(SQLiteError) in try noteEnd() }
        } else {
            try noteEnd()
        }
        try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func noteEnd() throws(SQLiteError) {
        try tables.beginTransaction()
        try tables.trim(before: index.oldest ?? census.nextSeq)
        if writeFailure == nil { try tables.setMeta("stopped", "cleanly") }
        try tables.commitTransaction()
    }

    /// Reads what this round's writes do not touch, writes, and reads the rest.
    ///
    /// A load that came during a transaction so waits for the end of that one, not for another one;
    /// and settled commits are told before the rest is read.
    private func process(_ batches: [Batch], _ report: (StoreReport) -> Void) {
        space.look()
        defer { if tables.hasDamagedPages { suspicion.raise() } }
        if batches.allSatisfy(\.isOrdinary) {
            return tell(write(batches), done: batches.count, report)
        }
        let reads = batches.lazy.flatMap(\.operations).filter(\.isRead)
        var late: [StoreOperation] = []
        if !reads.isEmpty {
            let touched = Set(batches.lazy.flatMap(\.operations).flatMap(\.writtenSessions))
            var early: [StoreOperation] = []
            for read in reads {
                if case .load(let id, _) = read, !touched.contains(id),
                    early.count < Self.earlyReads
                {
                    early.append(read)
                } else {
                    late.append(read)
                }
            }
            if !early.isEmpty { tell(perform(early), report) }
        }
        let chores = Self.chores(of: batches)
        // Also without an outcome: it may have failed.
        let isDone = late.isEmpty && chores.isEmpty
        tell(
            write(chores.isEmpty ? batches : batches.map(\.withoutChores)),
            done: isDone ? batches.count : 0, report)
        for (place, chore) in chores.enumerated() {
            let isLast = late.isEmpty && place + 1 == chores.count
            tell(write([chore]), done: isLast ? batches.count : 0, report)
        }
        if !late.isEmpty { tell(perform(late), done: batches.count, report) }
    }

    private func tell(
        _ outcomes: [StoreReport.Outcome], done batches: Int = 0, _ report: (StoreReport) -> Void
    ) {
        report(
            StoreReport(
                outcomes: outcomes, generation: generation,
                failure: (writeFailure ?? readFailure)?.trouble,
                isFull: (writeFailure ?? readFailure)?.isFull ?? false, space: space.reading,
                census: census, batches: batches, hasDamagedPages: tables.hasDamagedPages))
    }

    /// Writes the batches, if they write anything.
    private func write(_ batches: [Batch]) -> [StoreReport.Outcome] {
        var outcomes: [StoreReport.Outcome] = []
        let doomed = batches.prefix { $0.generation < generation }
        for operation in doomed.lazy.flatMap(\.operations) {
            if let outcome = operation.failed(
                writeFailure?.refusal ?? "store.failing: an earlier commit failed")
            {
                outcomes.append(outcome)
            }
        }
        let live =
            batches.count == 1 && doomed.isEmpty
            ? batches[0].operations : batches[doomed.endIndex...].flatMap(\.operations)
        if live.contains(where: \.isWrite) {
            do throws(SQLiteError) {
                outcomes += try writeMakingRoom(live)
                // Small changes may well find a place in what seems full again with the next.
                if writeFailure?.isFull != true
                    || (live.contains(where: \.asks) && tables.hasRoom())
                {
                    writeFailure = nil
                }
            } catch  where error.isDamage && live.allSatisfy(\.isChore) {
                // What nobody waits for is no reason to refuse anybody.
                suspicion.raise()
                outcomes += live.compactMap { $0.failed(error.refusal) }
            } catch {
                writeFailure = error
                // All batches that were posted before this is reported fail too.
                generation += 1
                if error.isDamage { suspicion.raise() }
                if error.isFull { space.look() }
                outcomes += live.compactMap { $0.failed(error.refusal) }
            }
        } else {
            outcomes += live.compactMap { $0.failed("") }
        }
        return outcomes
    }
}

extension StoreWriter {
    /// Writes everything in one transaction.
    func write(
        _ operations: [StoreOperation]
    ) throws(SQLiteError) -> [StoreReport.Outcome] {
        var outcomes: [StoreReport.Outcome] = []
        outcomes.reserveCapacity(operations.count)
        var changes = Changes()
        var next = census
        try tables.beginTransaction()
        for operation in operations {
            switch operation {
            case .commit(let commit, let slot, let now):
                try write(commit.change, slot, at: now, &next, &changes)
                outcomes.append(
                    .committed(slot.id, sequence: commit.sequence, number: slot.number))
            case .snapshot(_, let slot, let visit) where space.isShort && visit.isLater:
                outcomes.append(.notWritten(slot.id, visit))
            case .snapshot(let stored, let slot, let visit):
                try add(slot, stored, &next)
                try tables.put(
                    stored, slot, chain: try chain(after: slot.number, of: slot.key),
                    through: through(slot, next, changes))
                try tables.setIdle(
                    slot.key, since: visit.idleSince, isVacant: stored.viewing.isVacant)
                changes.index.append(.cover(slot))
                outcomes.append(.written(slot.id, visit))
            case .idle(let slot, let visit):
                try tables.setIdle(
                    slot.key, since: visit.idleSince, isVacant: visit.isVacant)
                outcomes.append(.written(slot.id, visit))
            case .revoke(let number, let revocation):
                try tables.revoke(revocation)
                outcomes.append(.revoked(number, reason: nil))
            case .bury(let burial):
                var count = 0
                for id in burial.sessions {
                    guard let key = try bury(id, burial, &next) else { continue }
                    changes.index.append(.drop(key))
                    count += 1
                }
                outcomes.append(.buried(count))
            case .probe: try tables.noteFailures(generation)
            case .forgetPlacements(let limit, let count):
                let forgotten = try tables.forgetPlacements(deletedBefore: limit, count: count)
                next.remains -= forgotten
                outcomes.append(.forgot(forgotten))
            case .forgetQuarantine(let limit): try tables.forgetQuarantine(before: limit)
            case .tidy(let deleted):
                index.shrinkIfSparse()
                // While many go the usual trim comes soon enough.
                if deleted == 0 { try trimFront(&next) }
                compaction.noteLook(deleted: deleted)
            case .refusal, .load, .findIdle, .countOwned, .list, .outline, .scrub, .look:
                if let outcome = operation.failed("") { outcomes.append(outcome) }
            }
        }
        try trim(&next)
        if (next.sessions, next.remains) != (census.sessions, census.remains) {
            try tables.noteCounts(of: next)
        }
        isCommitting = true
        try tables.commitTransaction()
        isCommitting = false
        // Before anybody hears of it: what is noted may lag behind the disk, never behind an answer.
        if next.nextSeq != census.nextSeq { note?.write(next.nextSeq - 1) }
        census = next
        apply(changes.index)
        return outcomes
    }

    private func write(
        _ change: Commit.Change, _ slot: StoreSlot, at now: Instant, _ next: inout StoreCensus,
        _ changes: inout Changes
    ) throws(SQLiteError) {
        let seq = next.nextSeq
        next.nextSeq += 1
        switch change {
        case .create(let stored):
            try add(slot, stored, &next)
            let start = RowChecksum.chainStart(of: slot.key)
            try tables.put(stored, slot, chain: start, through: seq)
            changes.chains[slot.key] = start
            try addMark(seq, slot)
        case .update(let update):
            let before =
                if let known = changes.chains[slot.key] { known } else {
                    try chain(after: slot.number - 1, of: slot.key)
                }
            let chain = try tables.add(
                JournalEntry(update, tables.vault(of: slot.id)), seq: seq, after: before, slot)
            changes.chains[slot.key] = chain
            changes.index.append(.append(seq: seq, chain: chain, slot))
        case .delete(let placements):
            next.sessions -= try tables.delete(slot.key)
            next.remains += try tables.remember(placements, of: slot.id, deletedAt: now)
            changes.chains[slot.key] = nil
            changes.index.append(.drop(slot.key))
            try addMark(seq, slot)
        }
    }

    /// A beginning or an end is a row too, so that one that was lost is missed.
    private func addMark(_ seq: Int64, _ slot: StoreSlot) throws(SQLiteError) {
        try tables.add(JournalRow(seq: seq, session: slot.key, number: slot.number, revision: 0))
    }

    /// The chain after a durable commit of a session.
    private func chain(after number: Int64, of session: Int64) throws(SQLiteError) -> Int64 {
        if let chain = index.chain(after: number, of: session) { return chain }
        return try tables.chain(after: number, of: session)
    }

    /// Up to where in the journal a session has no other commits than those its snapshot holds.
    private func through(_ slot: StoreSlot, _ next: StoreCensus, _ changes: Changes) -> Int64 {
        let run = index[slot.key]
        guard changes.chains[slot.key] == nil, run.map({ $0.last == slot.number }) ?? true else {
            return 0
        }
        return next.nextSeq - 1
    }

    private func add(
        _ slot: StoreSlot, _ stored: StoredSession, _ next: inout StoreCensus
    ) throws(SQLiteError) {
        guard try tables.add(slot, epoch: stored.epoch, owner: stored.owner) else { return }
        next.remains -= try tables.forgetPlacements(of: slot.id)
        next.sessions += 1
    }

    private func trim(_ next: inout StoreCensus) throws(SQLiteError) {
        if next.nextSeq - trimConsidered >= Self.trimInterval { try trimFront(&next) }
    }

    /// Deletes commits that every snapshot covers from the front of the journal.
    private func trimFront(_ next: inout StoreCensus) throws(SQLiteError) {
        trimConsidered = next.nextSeq
        let limit = min(index.oldest ?? census.nextSeq, next.trimmed + Self.trimLimit)
        guard limit > next.trimmed else { return }
        try tables.trim(before: limit)
        next.trimmed = limit
    }

    private func apply(_ changes: [IndexChange]) {
        for change in changes {
            switch change {
            case .append(let seq, let chain, let slot):
                let isNext = index.append(
                    seq, number: slot.number, chain: chain, of: slot.key)
                precondition(isNext, "commits of a session are numbered without a gap")
            case .cover(let slot): index.cover(slot.key, through: slot.number)
            case .drop(let key): index.cover(key, through: .max)
            }
        }
    }
}

extension StoreWriter {
    private func perform(_ reads: [StoreOperation]) -> [StoreReport.Outcome] {
        let outcomes = tables.reading { reads.compactMap { self.read($0) } }
        guard policy == .newEpoch else { return outcomes }
        var now = Instant(milliseconds: 0)
        for case .load(_, let time) in reads { now = time }
        return outcomes.map { outcome in
            guard case .loaded(let id, .damaged(let reason), _) = outcome else { return outcome }
            return repair(id, reason, at: now)
        }
    }

    private func read(_ operation: StoreOperation) -> StoreReport.Outcome? {
        switch operation {
        case .load(let id, _):
            do throws(SQLiteError) {
                let (loaded, slot) = try load(id)
                // Only a session that was read shows that reading works.
                if case .stored = loaded { readFailure = nil }
                return .loaded(id, loaded, slot)
            } catch {
                readFailure = error
                return .loaded(id, .failed(error.refusal), nil)
            }
        case .findIdle(let query):
            guard let (ids, next) = try? tables.idle(query) else { return .choreFailed }
            return .idle(ids, isVacant: query.isVacant, next: next)
        case .countOwned(let question, let user, let limit):
            return .owned(
                question, count: try? tables.sessions(ownedBy: user, limit: limit))
        case .scrub(let key, let limit): return scrub(after: key, limit: limit)
        case .list(let question, let start, let limit):
            return .listed(question, try? tables.ids(after: start, limit: limit))
        case .outline(let question, let ids):
            return .outlined(question, try? ids.compactMap { try tables.outline(of: $0, index) })
        case .commit, .refusal, .snapshot, .idle, .revoke, .bury, .probe, .look,
            .forgetPlacements, .forgetQuarantine, .tidy:
            return nil
        }
    }

    func load(_ id: SessionID) throws(SQLiteError) -> (LoadedSession, StoreSlot?) {
        try tables.load(id, index, settings)
    }
}
