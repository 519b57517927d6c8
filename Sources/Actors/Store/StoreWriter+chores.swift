internal import Coordinator

extension StoreWriter {
    /// What nobody waits for: each in a transaction of its own, behind everything else of the round.
    static func chores(of batches: [Batch]) -> [Batch] {
        batches.flatMap { batch in
            batch.operations.lazy.filter(\.isChore).map { chore in
                Batch(operations: [chore], generation: batch.generation)
            }
        }
    }

    /// Deletes a session by age; gives its key, and nil for one that stays.
    ///
    /// One that cannot be read stays: what is set aside is an operator's matter. So does one with a
    /// bet under way, until its deadline is over.
    func bury(
        _ id: SessionID, _ burial: Burial, _ next: inout StoreCensus
    ) throws(SQLiteError) -> Int64? {
        guard case (.stored(let stored), let slot?) = try load(id) else { return nil }
        let viewing = stored.viewing
        guard !viewing.isPlacing(at: burial.at) else { return nil }
        guard !burial.isVacant || viewing.isVacant else {
            // It changed since its row was written, and died before that was said.
            try tables.setIdle(slot.key, since: burial.at, isVacant: false)
            return nil
        }
        next.sessions -= try tables.delete(slot.key)
        next.remains += try tables.remember(
            viewing.memory.placementsToRemember(
                at: burial.at, seconds: burial.placementSeconds),
            of: id, deletedAt: burial.at)
        return slot.key
    }
}

extension StoreWriter {
    /// Reads some sessions as a load would; a page of the tables that cannot be read ends the scrub.
    func scrub(after key: Int64, limit: Int) -> StoreReport.Outcome {
        do throws(SQLiteError) {
            let (found, next) = try tables.sessions(after: key, limit: limit)
            var damage: [StoreDamage] = []
            for id in found {
                guard case .damaged(let reason) = try load(id).0 else { continue }
                damage.append(StoreDamage(session: id, reason: reason, outcome: .setAside))
            }
            return .scrubbed(damage, next: next)
        } catch {
            if error.isDamage { tables.hasDamagedPages = true }
            return .scrubbed([], next: nil)
        }
    }
}

extension StoreWriter.Batch {
    /// The rest.
    var withoutChores: StoreWriter.Batch {
        StoreWriter.Batch(
            operations: operations.filter { !$0.isChore }, generation: generation)
    }
}
