package import Coordinator

/// All event loops of the process: each has the sessions whose names belong to it (decision: loops).
///
/// The first one has the store, the listeners and the signals. With one loop there is no mail, and
/// nothing that would not be there without this.
package final class Shards: Sendable {
    /// What all loops are made with.
    package struct Options: Sendable {
        /// Each session.
        package var session = SessionSettings()
        /// The listening side.
        package var server = ServerSettings()
        /// `sessions.idleSeconds`.
        package var idleSeconds: Int64 = 60
        /// `limits.sessions`.
        package var maximumSessions = 1_000_000
        /// `limits.sessionsPerUser`.
        package var sessionsPerUser = 0
        /// Where lines go.
        package var log: Log
        /// Whether the daemon is ready.
        package var health = Health()
        /// What is served over HTTP.
        package var routes = HTTPRoutes.standard

        /// The standard numbers.
        package init(log: Log) {
            self.log = log
        }
    }

    /// The connections of the first loop, through which all of them can be reached.
    package let server: Server
    /// The loops; those after the first one only when there are several.
    private let loops: [any EventLoop]
    let all: [Shard]

    private init(_ server: Server, _ all: [Shard], _ loops: [any EventLoop]) {
        self.server = server
        self.all = all
        self.loops = loops
    }

    /// Makes what lives on the loops, which all must run; on the first one, where `store` is.
    ///
    /// `completion` is called there when all is made, which with one loop is at once.
    package static func open(
        on loops: [any EventLoop], over store: any Store, _ options: Options,
        _ completion: @escaping (Shards) -> Void
    ) {
        precondition((1...Post.maximumCount).contains(loops.count))
        let (home, doors) = (loops[0], Doors())
        guard loops.count > 1 else {
            let sessions = options.makeSessions(on: home, over: store, nil)
            return completion(
                Shards(options.makeServer(on: home, sessions, doors, nil), [], loops))
        }
        let post = Post(Post.first, of: loops.count, on: home)
        let hub = StoreHub(store, post)
        let facts = StoreLink.Facts(
            isVolatile: store.isVolatile, revocations: store.revocations,
            condition: store.condition, room: hub.room)
        let first = Shard(hub, post, options, doors)
        let opening = LoopBound(Opening([first], loops, completion), on: home)
        for (index, loop) in loops.enumerated().dropFirst() {
            loop.execute {
                let post = Post(index, of: loops.count, on: loop)
                let shard = Shard(facts, post, options, doors)
                home.execute { opening.value.made(shard, opening) }
            }
        }
    }

    /// Loops that are about to know each other.
    private final class Opening {
        private var shards: [Shard]
        private let loops: [any EventLoop]
        private var strangers: Int
        private let completion: (Shards) -> Void

        init(
            _ shards: [Shard], _ loops: [any EventLoop], _ completion: @escaping (Shards) -> Void
        ) {
            self.shards = shards
            self.loops = loops
            strangers = loops.count
            self.completion = completion
        }

        func made(_ shard: Shard, _ opening: LoopBound<Opening>) {
            shards.append(shard)
            guard shards.count == loops.count else { return }
            let all = shards.sorted { $0.post.index < $1.post.index }
            let home = loops[0]
            for shard in all {
                shard.post.loop.execute {
                    shard.post.meet(all)
                    if shard.post.index > Post.first { shard.server.start() }
                    home.execute { opening.value.met(all) }
                }
            }
        }

        private func met(_ all: [Shard]) {
            strangers -= 1
            guard strangers == 0 else { return }
            all[0].hub?.introduce()
            completion(Shards(all[0].server, all, loops))
        }
    }
}

extension Shards.Options {
    func makeSessions(
        on loop: any EventLoop, over store: any Store, _ post: Post?
    ) -> SessionSystem {
        SessionSystem(
            loop: loop, store: store, settings: session, idleSeconds: idleSeconds,
            maximumSessions: maximumSessions, sessionsPerUser: sessionsPerUser, post: post)
    }

    func makeServer(
        on loop: any EventLoop, _ sessions: SessionSystem, _ doors: Doors, _ post: Post?
    ) -> Server {
        Server(
            loop: loop, sessions: sessions, settings: server, log: log, health: health,
            routes: routes, doors: doors, post: post)
    }
}

// MARK: - For all loops, on the first one

extension Shards {
    /// Sessions with an actor now; later.
    package func countActive(_ completion: @escaping (Int) -> Void) {
        guard let post = all.first?.post else { return completion(server.sessions.activeCount) }
        post.gather({ shard, answer in answer(shard.sessions.activeCount) }) { counts in
            completion(counts.reduce(0, +))
        }
    }

    /// Connections of each loop now; later.
    package func countConnections(_ completion: @escaping ([Int]) -> Void) {
        guard let post = all.first?.post else { return completion([server.ownConnections]) }
        post.gather({ shard, answer in answer(shard.server.ownConnections) }, completion)
    }

    /// Gives back the memory of a time when there were many more connections.
    package func shrinkIfSparse() {
        guard let post = all.first?.post else { return server.shrinkIfSparse() }
        post.gather({ shard, answer in answer(shard.server.shrinkIfSparse()) }) { _ in }
    }

    /// A session's stored data are damaged, and this became of it.
    package func sessionDamaged(_ outcome: DamagePolicy) {
        server.metrics.sessionDamaged(outcome)
    }

    /// Closes every connection at once, for good, and calls `completion` when what comes of it has come
    /// to the store.
    package func close(_ completion: @escaping () -> Void) {
        guard let post = all.first?.post else {
            server.close()
            return completion()
        }
        post.gather({ shard, answer in answer(shard.server.close()) }) { [self] _ in
            // Sessions hear of connections of other loops, and then the store of the sessions.
            rest { [self] in rest(completion) }
        }
    }

    /// Retires every actor whose session has nothing under way; `completion` is called when the store has
    /// heard of it.
    package func passivateAll(_ completion: @escaping () -> Void) {
        guard let post = all.first?.post else {
            server.sessions.passivateAll()
            return completion()
        }
        post.gather({ shard, answer in answer(shard.sessions.passivateAll()) }) { [self] _ in
            rest(completion)
        }
    }

    /// Calls `completion` when all mail that was sent before has been read, by every loop.
    private func rest(_ completion: @escaping () -> Void) {
        guard let post = all.first?.post else { return completion() }
        post.gather({ shard, answer in
            // Behind all mail that this loop has sent to each other one.
            shard.post.gather({ _, answer in answer(()) }) { _ in answer(()) }
        }) { _ in completion() }
    }

    /// Lets go of the loops, after which there is no mail any more.
    package func part() {
        for shard in all { shard.post.loop.execute { shard.post.part() } }
    }
}
