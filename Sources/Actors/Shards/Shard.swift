internal import Coordinator

/// One event loop of the process and what lives on it: sessions, connections, and its mail.
package final class Shard: Sendable {
    /// How its sessions reach the store.
    private enum StoreSide {
        case own(StoreHub)
        case link(StoreLink)
    }

    /// The sessions whose names belong to this loop.
    package let sessions: SessionSystem
    /// The connections that are on this loop.
    package let server: Server
    let post: Post
    private let store: LoopBound<StoreSide>

    /// What lives on the store's loop.
    convenience init(_ hub: StoreHub, _ post: Post, _ options: Shards.Options, _ doors: Doors) {
        self.init(.own(hub), hub, post, options, doors)
    }

    /// What lives on another loop.
    convenience init(
        _ facts: StoreLink.Facts, _ post: Post, _ options: Shards.Options, _ doors: Doors
    ) {
        let link = StoreLink(facts, post)
        self.init(.link(link), link, post, options, doors)
    }

    private init(
        _ side: StoreSide, _ store: any Store, _ post: Post, _ options: Shards.Options,
        _ doors: Doors
    ) {
        self.post = post
        self.store = LoopBound(side, on: post.loop)
        sessions = options.makeSessions(on: post.loop, over: store, post)
        server = options.makeServer(on: post.loop, sessions, doors, post)
    }

    /// The store's side of the mail; nil on other loops.
    var hub: StoreHub? {
        store.withValue { side in
            if case .own(let hub) = side { hub } else { nil }
        }
    }

    /// The other side of it.
    var link: StoreLink? {
        store.withValue { side in
            if case .link(let link) = side { link } else { nil }
        }
    }

    /// Does what another loop has sent, in its order.
    func take(_ batch: [ShardMail]) {
        var hasCommits = false
        for mail in batch {
            switch mail {
            case .request(let request, let creates, let home, let encoding):
                take(request, creates: creates, from: home, encoding)
            case .said(let peer, let word): server.heard(word, from: peer)
            case .lost(let connection, let followed):
                sessions.connectionLost(connection, following: followed)
            case .commit(let commit, let session):
                hasCommits = true
                hub?.appendRemote(commit, for: session)
            case .settled(let settlement, let newest): link?.settled(settlement, newest: newest)
            case .arrival(let passage): server.arrived(passage)
            case .work(let work): work(self)
            }
        }
        if hasCommits { hub?.look() }
    }

    private func take(
        _ request: SessionRequest, creates: Bool, from home: Int, _ encoding: WireEncoding
    ) {
        let connection = request.caller.connection
        if sessions.peer(connection) == nil {
            sessions.register(
                RemotePeer(
                    number: connection, encoding: encoding, home: home, post: post,
                    limit: server.settings.outboundBytes))
        }
        sessions.deliver(request, creates: creates)
    }
}
