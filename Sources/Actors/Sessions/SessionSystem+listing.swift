internal import Coordinator

extension SessionSystem {
    /// Sessions that the store looks up at a time: commits wait for so many at most.
    private static let lookupSize = 32

    /// A page that is being made.
    private struct Listing {
        /// Nil while the row of an id is looked up.
        var rows: [(id: String, row: SessionRow?)]
        /// Those without an activation that are still to be looked up.
        var dormant: [SessionID]
        var next: String?

        var page: SessionPage { SessionPage(rows: rows.compactMap(\.row), next: next) }
    }

    /// Gives the sessions after `start` in order of their ids, `limit` at most; nil when the store
    /// cannot be read.
    ///
    /// All of it is durable. A session that is deleted meanwhile may be missing or there.
    package func list(
        after start: String, limit: Int, _ completion: @escaping (SessionPage?) -> Void
    ) {
        let store = directory.withValue { $0.store }
        // One more tells whether there is another page.
        store.ids(after: start, limit: limit + 1) { [self] ids in
            guard let ids else { return completion(nil) }
            var listing = Listing(rows: [], dormant: [])
            for id in ids.prefix(limit) {
                guard let session = SessionID(id) else {
                    let fault = "the id is not one of a session"
                    listing.rows.append((id, SessionRow(id: id, content: .damaged(fault))))
                    continue
                }
                let row = row(of: session)
                if row == nil { listing.dormant.append(session) }
                listing.rows.append((id, row))
            }
            if ids.count > limit { listing.next = listing.rows.last?.id }
            lookUp(listing, completion)
        }
    }

    /// Looks up the next few, until none is left.
    private func lookUp(_ listing: Listing, _ completion: @escaping (SessionPage?) -> Void) {
        guard !listing.dormant.isEmpty else { return completion(listing.page) }
        var listing = listing
        let ids = Array(listing.dormant.prefix(Self.lookupSize))
        listing.dormant.removeFirst(ids.count)
        let store = directory.withValue { $0.store }
        store.outlines(of: ids) { [self, listing] outlines in
            guard let outlines else { return completion(nil) }
            let known = Dictionary(
                outlines.map { ($0.id.description, $0) }, uniquingKeysWith: { first, _ in first })
            var listing = listing
            for id in ids {
                guard let place = listing.rows.firstIndex(where: { $0.id == id.description })
                else { continue }
                // It may have been activated meanwhile.
                listing.rows[place].row =
                    row(of: id)
                    ?? known[id.description].map {
                        SessionRow(id: id.description, content: $0.content)
                    }
            }
            lookUp(listing, completion)
        }
    }

    /// The row of a session with an activation; nil when there is none, or nothing durable of it.
    private func row(of id: SessionID) -> SessionRow? {
        let (entry, store) = directory.withValue { ($0.sessions[id], $0.store) }
        guard case .active(let actor) = entry, let (outline, clients) = actor.outline else {
            return nil
        }
        return SessionRow(
            id: id.description, content: outline.content, clients: clients,
            isStored: store.holds(id))
    }
}
