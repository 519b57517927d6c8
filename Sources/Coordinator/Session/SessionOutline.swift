/// What a list says of a session.
package struct SessionOutline: Sendable, Equatable {
    /// The session.
    package var id: SessionID
    /// What could be found out.
    package var content: Content

    /// What a list can say.
    package enum Content: Sendable, Equatable {
        /// The incarnation, the newest durable revision, and of its state the vendor and the phase.
        case known(epoch: String, revision: UInt64, vendor: String?, phase: String)
        /// What is stored is damaged, and this is wrong with it.
        case damaged(String)
    }

    /// A session and what is known of it.
    package init(id: SessionID, content: Content) {
        self.id = id
        self.content = content
    }

    /// A session whose state is at hand.
    package init(id: SessionID, epoch: String, revision: UInt64, state: SessionState) {
        self.init(
            id: id,
            content: .known(
                epoch: epoch, revision: revision, vendor: state.vendor?.rawValue,
                phase: state.player.phase.rawValue))
    }
}

extension Session {
    /// What is durable of the session; nil before anything of it is.
    package var outline: SessionOutline? {
        guard isStored else { return nil }
        return SessionOutline(
            id: id, epoch: epoch, revision: durableRevision, state: durableState)
    }
}
