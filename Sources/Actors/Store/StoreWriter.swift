internal import Coordinator

/// The one thread that reads and writes the database: it takes what was posted, makes it durable in
/// one transaction, reports, and takes what was posted meanwhile.
///
/// The longer a transaction takes, the more commits share the next one: group commit over all
/// sessions (decision: storage).
final class StoreWriter {
    /// Operations of one loop turn.
    struct Batch: Sendable {
        var operations: [StoreOperation]
        /// A failed transaction takes all batches with it that were posted before its report.
        var generation: UInt64
    }

    private let tables: StoreTables
    private let settings: SessionSettings
    private var index: JournalIndex
    private var census: StoreCensus
    private var generation: UInt64 = 0
    /// Why the newest transaction failed.
    private var writeFailure: SQLiteError?
    /// Why the newest load failed.
    private var readFailure: SQLiteError?
    /// Whether the transaction under way is being made durable.
    private var isCommitting = false
    /// Where the journal ended when a trim was considered last.
    private var trimConsidered: Int64

    /// What a transaction changes in the index once it is durable.
    private enum IndexChange {
        case append(seq: Int64, StoreSlot)
        case cover(StoreSlot)
        case drop(Int64)
    }

    /// Commits between two trims of the journal.
    private static let trimInterval: Int64 = 4096
    /// Commits that one trim deletes at most, so that those who wait for it do not wait long.
    private static let trimLimit: Int64 = 16_384

    /// Loads of one round that may come before its commits.
    private static let earlyReads = 64

    init(_ opened: OpenedStore, settings: SessionSettings) {
        tables = opened.tables
        index = opened.index
        census = opened.census
        trimConsidered = opened.census.nextSeq
        self.settings = settings
    }

    /// Works until the mailbox is closed and empty, then leaves the database for a quick start.
    ///
    /// - Returns: why it could not be left that way; nothing is lost then.
    func run(_ mailbox: Mailbox<Batch>, report: (StoreReport) -> Void) -> SQLiteError? {
        while let batches = mailbox.take() { process(batches, report) }
        do throws(SQLiteError) {
            try finish()
            return nil
        } catch {
            tables.rollbackTransaction()
            return error
        }
    }

    private func finish() throws(SQLiteError) {
        try tables.beginTransaction()
        try tables.trim(before: index.oldest ?? census.nextSeq)
        if writeFailure == nil { try tables.setMeta("stopped", "cleanly") }
        try tables.commitTransaction()
        try tables.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Reads what this round's writes do not touch, writes, and reads the rest.
    ///
    /// A load that came during a transaction so waits for the end of that one, not for another one;
    /// and settled commits are told before the rest is read.
    private func process(_ batches: [Batch], _ report: (StoreReport) -> Void) {
        let reads = batches.lazy.flatMap(\.operations).filter { !$0.isWrite }
        var late: [StoreOperation] = []
        if !reads.isEmpty {
            let touched = Set(batches.lazy.flatMap(\.operations).flatMap(\.writtenSessions))
            var early: [StoreOperation] = []
            for read in reads {
                if case .load(let id) = read, !touched.contains(id), early.count < Self.earlyReads {
                    early.append(read)
                } else {
                    late.append(read)
                }
            }
            if !early.isEmpty { tell(perform(early), report) }
        }
        // Also without an outcome: it may have failed.
        tell(write(batches), done: late.isEmpty ? batches.count : 0, report)
        if !late.isEmpty { tell(perform(late), done: batches.count, report) }
    }

    private func tell(
        _ outcomes: [StoreReport.Outcome], done batches: Int = 0, _ report: (StoreReport) -> Void
    ) {
        report(
            StoreReport(
                outcomes: outcomes, generation: generation,
                failure: (writeFailure ?? readFailure)?.description, census: census,
                batches: batches))
    }

    /// Writes the batches, if they write anything.
    private func write(_ batches: [Batch]) -> [StoreReport.Outcome] {
        var outcomes: [StoreReport.Outcome] = []
        let doomed = batches.prefix { $0.generation < generation }
        for operation in doomed.lazy.flatMap(\.operations) {
            if let outcome = operation.failed(writeFailure?.reason ?? "an earlier commit failed") {
                outcomes.append(outcome)
            }
        }
        let live = batches[doomed.endIndex...].flatMap(\.operations)
        if live.contains(where: \.isWrite) {
            do throws(SQLiteError) {
                outcomes += try write(live)
                writeFailure = nil
            } catch {
                tables.rollbackTransaction()
                generation += 1
                writeFailure = error
                outcomes += live.compactMap { $0.failed(error.reason) }
                // Should it fail too, the next transaction does the same.
                if isCommitting { try? tables.overwriteFailed(generation) }
                if isCommitting { tables.rollbackTransaction() }
                isCommitting = false
            }
        } else {
            outcomes += live.compactMap { $0.failed("") }
        }
        return outcomes
    }
}

extension StoreWriter {
    /// Writes everything in one transaction.
    private func write(
        _ operations: [StoreOperation]
    ) throws(SQLiteError) -> [StoreReport.Outcome] {
        var outcomes: [StoreReport.Outcome] = []
        outcomes.reserveCapacity(operations.count)
        var changes: [IndexChange] = []
        var next = census
        try tables.beginTransaction()
        for operation in operations {
            switch operation {
            case .commit(let commit, let slot, let now):
                try write(commit.change, slot, at: now, &next, &changes)
                outcomes.append(
                    .committed(slot.id, sequence: commit.sequence, number: slot.number))
            case .snapshot(let stored, let slot, let visit):
                try add(slot, epoch: stored.epoch, &next)
                try tables.put(stored, slot)
                try tables.setIdle(slot, since: visit.idleSince)
                changes.append(.cover(slot))
                outcomes.append(.written(slot.id, visit))
            case .idle(let slot, let visit):
                try tables.setIdle(slot, since: visit.idleSince)
                outcomes.append(.written(slot.id, visit))
            case .bury(let ids, let now):
                var count = 0
                for id in ids where try bury(id, at: now, &next, &changes) { count += 1 }
                outcomes.append(.buried(count))
            case .probe: try tables.noteFailures(generation)
            case .forgetPlacements(let limit):
                next.remains -= try tables.forgetPlacements(deletedBefore: limit)
            case .refusal, .load, .findIdle:
                if let outcome = operation.failed("") { outcomes.append(outcome) }
            }
        }
        try trim(&next)
        isCommitting = true
        try tables.commitTransaction()
        isCommitting = false
        census = next
        apply(changes)
        return outcomes
    }

    private func write(
        _ change: Commit.Change, _ slot: StoreSlot, at now: Instant, _ next: inout StoreCensus,
        _ changes: inout [IndexChange]
    ) throws(SQLiteError) {
        switch change {
        case .create(let stored):
            try add(slot, epoch: stored.epoch, &next)
            try tables.put(stored, slot)
        case .update(let update):
            try tables.add(
                JournalEntry(update, tables.vault(of: slot.id)), seq: next.nextSeq, slot)
            changes.append(.append(seq: next.nextSeq, slot))
            next.nextSeq += 1
        case .delete(let placements):
            next.sessions -= try tables.delete(slot.key)
            next.remains += try tables.remember(placements, of: slot.id, deletedAt: now)
            changes.append(.drop(slot.key))
        }
    }

    private func add(
        _ slot: StoreSlot, epoch: String, _ next: inout StoreCensus
    ) throws(SQLiteError) {
        guard try tables.add(slot, epoch: epoch) else { return }
        next.remains -= try tables.forgetPlacements(of: slot.id)
        next.sessions += 1
    }

    /// Deletes a session by age; one that cannot be read is left alone.
    private func bury(
        _ id: SessionID, at now: Instant, _ next: inout StoreCensus,
        _ changes: inout [IndexChange]
    ) throws(SQLiteError) -> Bool {
        guard case (.stored(let stored), let slot?) = try load(id) else { return false }
        next.sessions -= try tables.delete(slot.key)
        next.remains += try tables.remember(
            stored.viewing.memory.placements, of: id, deletedAt: now)
        changes.append(.drop(slot.key))
        return true
    }

    private func trim(_ next: inout StoreCensus) throws(SQLiteError) {
        guard next.nextSeq - trimConsidered >= Self.trimInterval else { return }
        trimConsidered = next.nextSeq
        let limit = min(index.oldest ?? census.nextSeq, next.trimmed + Self.trimLimit)
        guard limit > next.trimmed else { return }
        try tables.trim(before: limit)
        next.trimmed = limit
    }

    private func apply(_ changes: [IndexChange]) {
        for change in changes {
            switch change {
            case .append(let seq, let slot):
                let isNext = index.append(seq, number: slot.number, of: slot.key)
                precondition(isNext, "commits of a session are numbered without a gap")
            case .cover(let slot): index.cover(slot.key, through: slot.number)
            case .drop(let key): index.cover(key, through: .max)
            }
        }
    }
}

extension StoreWriter {
    private func perform(_ reads: [StoreOperation]) -> [StoreReport.Outcome] {
        tables.reading { reads.compactMap { self.read($0) } }
    }

    private func read(_ operation: StoreOperation) -> StoreReport.Outcome? {
        switch operation {
        case .load(let id):
            do throws(SQLiteError) {
                let (loaded, slot) = try load(id)
                // Only a session that was read shows that reading works.
                if case .stored = loaded { readFailure = nil }
                return .loaded(id, loaded, slot)
            } catch {
                readFailure = error
                return .loaded(id, .failed(error.reason), nil)
            }
        case .findIdle(let before, let limit):
            // Nothing waits for it: it is asked again.
            guard let ids = try? tables.idle(before: before, count: limit) else { return nil }
            return .idle(ids, before: before, isAll: ids.count < limit)
        case .commit, .refusal, .snapshot, .idle, .bury, .probe, .forgetPlacements: return nil
        }
    }

    private func load(_ id: SessionID) throws(SQLiteError) -> (LoadedSession, StoreSlot?) {
        try tables.load(id, index, settings)
    }
}
