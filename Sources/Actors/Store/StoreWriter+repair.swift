internal import Coordinator

extension StoreWriter {
    /// Has a damaged session go on from its last good state, in a new epoch.
    ///
    /// All of it in one transaction; when that fails too the session stays as it is, set aside.
    func repair(
        _ id: SessionID, _ reason: String, at now: Instant
    ) -> StoreReport.Outcome {
        do {
            try tables.beginTransaction()
            let repair = SessionRepair(
                id: id, reason: reason, now: now, tables: tables, index: index,
                settings: settings)
            let result = try repair.run()
            var next = census
            next.sessions += result.sessions
            next.remains += result.remains
            try tables.noteCounts(of: next)
            try tables.commitTransaction()
            if let key = result.key { index.cover(key, through: .max) }
            census = next
            return .restored(id, result.loaded, result.slot, reason: reason)
        } catch {
            tables.rollbackTransaction()
            return .loaded(id, .damaged("\(reason); it cannot be repaired: \(error)"), nil)
        }
    }
}
