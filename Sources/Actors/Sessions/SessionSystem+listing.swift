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

    /// Gives the sessions of all loops after `start` in order of their ids, `limit` at most; nil when
    /// the store cannot be read.
    ///
    /// Only the loop that has the store can be asked. All of it is durable. A session that is deleted meanwhile may be missing or there.
    package func list(
        after start: String, limit: Int, _ completion: @escaping (SessionPage?) -> Void
    ) {
        let store = directory.withValue { $0.store }
        // One more tells whether there is another page.
        store.ids(after: start, limit: limit + 1) { [self] ids in
            guard let ids else { return completion(nil) }
            let page = ids.prefix(limit)
            let next = ids.count > limit ? page.last : nil
            rows(of: page.compactMap { SessionID($0) }) { [self] rows in
                lookUp(Self.listing(page, rows, next: next), completion)
            }
        }
    }

    private static func listing(
        _ ids: ArraySlice<String>, _ rows: [SessionID: SessionRow], next: String?
    ) -> Listing {
        var listing = Listing(rows: [], dormant: [], next: next)
        for id in ids {
            guard let session = SessionID(id) else {
                let fault = "the id is not one of a session"
                listing.rows.append((id, SessionRow(id: id, content: .damaged(fault))))
                continue
            }
            if rows[session] == nil { listing.dormant.append(session) }
            listing.rows.append((id, rows[session]))
        }
        return listing
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
            // They may have been activated meanwhile.
            rows(of: ids) { [self] rows in
                var listing = listing
                for id in ids {
                    guard let place = listing.rows.firstIndex(where: { $0.id == id.description })
                    else { continue }
                    listing.rows[place].row =
                        rows[id]
                        ?? known[id.description].map {
                            SessionRow(id: id.description, content: $0.content)
                        }
                }
                lookUp(listing, completion)
            }
        }
    }

    /// The rows of those sessions that have an activation on any loop.
    private func rows(
        of ids: [SessionID], _ completion: @escaping ([SessionID: SessionRow]) -> Void
    ) {
        guard let post else { return completion(ownRows(of: ids)) }
        post.gather({ shard, answer in answer(shard.sessions.ownRows(of: ids)) }) {
            [directory] parts in
            var rows: [SessionID: SessionRow] = [:]
            for part in parts { rows.merge(part) { first, _ in first } }
            let store = directory.withValue { $0.store }
            for id in rows.keys { rows[id]?.isStored = store.holds(id) }
            completion(rows)
        }
    }

    private func ownRows(of ids: [SessionID]) -> [SessionID: SessionRow] {
        var rows: [SessionID: SessionRow] = [:]
        for id in ids { rows[id] = row(of: id) }
        return rows
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
