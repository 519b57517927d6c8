extension Commit {
    /// About as many bytes as it takes until it is durable; what it shares with the session is left
    /// out where that is small.
    package var weight: Int {
        switch change {
        case .create(let stored):
            Self.base + stored.viewing.memory.placements.count * Self.placement
        case .update(let update): Self.base + update.texts
        case .delete(let placements): Self.base + placements.count * Self.placement
        }
    }

    /// What every commit takes beside its texts.
    private static let base = 512
    /// What a remembered placement takes.
    private static let placement = 512
}

extension Commit.Update {
    fileprivate var texts: Int {
        let published = publication?.data.count ?? 0
        guard case .changed(let before, let after) = memory, before.outbox != after.outbox else {
            return published
        }
        // The outbox is kept whole, and its effects are the longest texts that there are.
        return published + after.outbox.effects.reduce(0) { $0 + $1.weight }
    }
}
