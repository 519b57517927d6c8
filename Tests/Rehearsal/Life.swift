import Actors
import Coordinator
import TestSupport

/// One life of the daemon: everything that a crash takes away.
final class Life {
    let loop: ManualEventLoop
    let store: SimulatedStore
    let system: SessionSystem
    let server: Server
    private(set) var isOver = false
    private(set) var isStopping = false
    private var connections: [Connection] = []
    private unowned let world: World

    init(world: World) {
        self.world = world
        loop = ManualEventLoop(now: Instant(milliseconds: world.now))
        store = SimulatedStore(world: world)
        system = SessionSystem(
            loop: loop, store: store, settings: world.weather.session,
            idleSeconds: world.weather.idleSeconds, maximumSessions: 1000,
            random: SplitMix(seed: world.random.next()))
        server = Server(
            loop: loop, sessions: system, settings: world.weather.server,
            log: Log(level: .error, sink: MemoryLogSink()))
        server.start()
    }

    func accept(_ connection: Connection) {
        if connections.count > 64 { connections.removeAll { $0.isDone } }
        connections.append(connection)
        server.accepted(connection)
    }

    /// Tells the clients to go, as SIGTERM does.
    func stop() {
        isStopping = true
        server.drain {}
    }

    /// Ends it all at once.
    ///
    /// What it holds is let go of as if it had gone on without a disk and a
    /// network, so that its memory can be looked for.
    func die() {
        isOver = true
        store.die()
        for connection in connections { connection.daemonDied() }
        connections = []
        server.close()
        loop.run()
        for _ in 0..<3 {
            store.failAll()
            loop.run()
        }
        system.passivateAll()
        loop.run()
    }
}
