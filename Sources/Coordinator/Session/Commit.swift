/// One change that must be durable before anybody hears of it.
package struct Commit: Sendable, Equatable {
    /// What the store keeps.
    package enum Change: Sendable, Equatable {
        /// The session begins, and with it its epoch.
        indirect case create(StoredSession)
        /// The session changes.
        case update(Update)
        /// The session is deleted; its placements are remembered all the same.
        case delete(placements: [PlacementRecord])
    }

    /// What one event, acknowledgement or timer changed.
    package struct Update: Sendable, Equatable {
        /// The revision after it; the one before when only memory changed.
        package var revision: UInt64
        /// The publication of the revision, with the patch of the state; nil without a revision.
        package var publication: Publication?
        /// What changed in the memory.
        package var memory: MemoryChange
        /// What to remember when the sender gave an idempotency id.
        package var answer: Answer?
    }

    /// A change of what only the rules see.
    package indirect enum MemoryChange: Sendable, Equatable {
        /// It stays as it was.
        case unchanged
        /// The memory before and after.
        case changed(from: SessionMemory, to: SessionMemory)
    }

    /// The first answer to an idempotency id.
    package struct Answer: Sendable, Equatable {
        /// Whose id it is.
        package var key: RequestMemory.Key
        /// What was answered.
        package var answer: JSONObject
    }

    /// Counts the session's commits from 1 in this activation.
    package var sequence: UInt64
    /// What the store keeps.
    package var change: Change

    /// A change of a session.
    package init(sequence: UInt64, change: Change) {
        self.sequence = sequence
        self.change = change
    }
}
