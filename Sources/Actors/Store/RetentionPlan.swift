package import Coordinator

/// How long what nobody uses is kept.
package struct RetentionPlan: Sendable {
    /// Seconds that a session without clients is kept.
    package var retainSeconds: Int64
    /// Seconds that one is kept which never held a player, a slip or a placement.
    package var retainEmptySeconds: Int64
    /// Seconds that placements of a deleted session are remembered.
    package var placementSeconds: Int64

    /// A plan; a session that held nothing is never kept longer than others.
    package init(retainSeconds: Int64, retainEmptySeconds: Int64, placementSeconds: Int64) {
        self.retainSeconds = retainSeconds
        self.retainEmptySeconds = min(retainEmptySeconds, retainSeconds)
        self.placementSeconds = placementSeconds
    }

    /// Seconds between two looks: a quarter of the shortest time, and 1 to 60.
    package var lookSeconds: Int64 {
        min(60, max(1, min(retainEmptySeconds, placementSeconds) / 4))
    }

    /// What is too old at `now`.
    package func limits(at now: Instant) -> RetentionLimits {
        RetentionLimits(
            idleBefore: now.advanced(bySeconds: -retainSeconds),
            vacantBefore: now.advanced(bySeconds: -retainEmptySeconds),
            deletedBefore: now.advanced(bySeconds: -placementSeconds),
            placementSeconds: placementSeconds)
    }
}

/// From when on what nobody uses is too old.
package struct RetentionLimits: Sendable, Equatable {
    /// Sessions that have no activation since before are deleted.
    package var idleBefore: Instant
    /// The same for those that never held anything.
    package var vacantBefore: Instant
    /// Placements of sessions that were deleted before are forgotten.
    package var deletedBefore: Instant
    /// Seconds that a settled placement is remembered.
    package var placementSeconds: Int64

    /// Such limits.
    package init(
        idleBefore: Instant, vacantBefore: Instant, deletedBefore: Instant, placementSeconds: Int64
    ) {
        self.idleBefore = idleBefore
        self.vacantBefore = vacantBefore
        self.deletedBefore = deletedBefore
        self.placementSeconds = placementSeconds
    }
}

/// A walk over everything that is too old, one bounded step after the other.
struct RetentionPass {
    let limits: RetentionLimits
    /// Where the walk goes on after the step under way; nil: with the next kind, or not at all.
    var next: IdleQuery?
    /// When the step under way was handed to the writer, by the loop's monotonic clock.
    var stepBegan: UInt64 = 0
    /// Whether those that never held anything are through.
    var isPastVacant = false
    /// Whether the others are through, or in their last step.
    var isPastOthers = false
    /// Sessions deleted so far.
    var buried = 0
    /// The same and remembered ones that were forgotten.
    var deleted = 0

    init(_ limits: RetentionLimits) {
        self.limits = limits
    }
}
