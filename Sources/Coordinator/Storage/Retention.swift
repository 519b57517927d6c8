// What a store wants to know of a session before it deletes it by age.
extension Viewing {
    /// Whether it never held a player, a slip or a placement: somebody followed it, and nothing came.
    package var isVacant: Bool {
        state.vendor == nil && state.player.page == nil && state.player.phase == .idle
            && state.betslip.status == .empty && state.betslip.revision == 0
            && memory.placements.isEmpty
    }

    /// Whether a bet is under way whose deadline is not over.
    package func isPlacing(at now: Instant) -> Bool {
        state.betslip.status == .placing
            && memory.placements.last.map { $0.deadline > now } ?? false
    }
}

extension SessionMemory {
    /// What of its placements outlives the session, which is deleted by age.
    ///
    /// Not those that were settled, or came from an earlier session of this id, and are older than
    /// `seconds`: otherwise whoever keeps looking in would keep them for ever.
    package func placementsToRemember(at now: Instant, seconds: Int64) -> [PlacementRecord] {
        let limit = now.advanced(bySeconds: -seconds)
        return placements.filter { record in
            guard record.placedAt <= limit else { return true }
            switch record.state.outcome {
            case .accepted, .rejected: return false
            case .unknown, nil: return record.slipRevision != nil
            }
        }
    }
}
