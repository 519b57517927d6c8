import Actors
import Coordinator
import Security

/// A store on its loop, with the machines of active sessions around it.
///
/// It does what the daemon's session actors do, without sockets and subscribers.
actor StoreRig {
    /// A class, so that its machine changes in place.
    private final class Active {
        var viewer: Viewer
        var stakes = 0
        /// When the commits under way were appended, and the number of the oldest of them.
        var appended: [UInt64] = []
        var oldest: UInt64 = 1
        /// Until the next stake of a viewer who thinks.
        var pause: (any LoopTimer)?

        init(_ viewer: Viewer) {
            self.viewer = viewer
        }
    }

    nonisolated let loop: UVEventLoop
    private let settings: SessionSettings
    private var store: SQLiteStore?
    private var active: [SessionID: Active] = [:]
    private var isPlaying = false
    private var isTurnSeen = false
    private var measured = CommitSamples()
    private var limit = Int.max
    private var thinking: Int64 = 0
    private var whenIdle: (() -> Void)?
    private var timer: (any LoopTimer)?
    private var end: (any LoopTimer)?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(loop: UVEventLoop, settings: SessionSettings) {
        self.loop = loop
        self.settings = settings
    }

    /// Opens the store; gives the nanoseconds that took.
    func open(_ path: String, key: SealingKey) throws -> UInt64 {
        let start = loop.nanoseconds
        var limits = StoreLimits()
        limits.queueCommits = 1 << 20
        let store = try SQLiteStore(
            path: path, key: key, durability: .commit, settings: settings, limits: limits,
            note: path + "-note", loop: loop)
        let duration = loop.nanoseconds - start
        store.observe { [weak self] settlement in
            self?.assumeIsolated { $0.settled(settlement) }
        }
        self.store = store
        return duration
    }

    /// Stops the store as the daemon does at its end; gives the nanoseconds that took.
    func close() async -> UInt64 {
        let start = loop.nanoseconds
        await withCheckedContinuation { done in
            guard let store else { return done.resume() }
            store.close { _ in done.resume() }
        }
        store = nil
        active = [:]
        return loop.nanoseconds - start
    }
}

extension StoreRig {
    /// Makes `count` new sessions with a page and a slip.
    func begin(_ count: Int) async {
        await untilIdle {
            for number in 0..<count {
                guard let id = SessionID("active-\(number)") else { continue }
                let session = Session(id: id, newEpoch: "epoch", settings: settings)
                active[id] = Active(Viewer(session, number: UInt64(number + 1)))
                perform(start(id), of: id)
            }
        }
        for call in Viewer.opening {
            await untilIdle { for id in active.keys { send(call, to: id) } }
        }
    }

    /// Has one new stake of each active session in flight, for a time or a number of commits.
    ///
    /// With `thinking`, up to that many milliseconds lie between a session's stakes: without it all
    /// sessions commit in step.
    func play(
        milliseconds: Int64, commits: Int = .max, thinking: Int64 = 0
    ) async -> CommitSamples {
        self.thinking = thinking
        return await playThrough(milliseconds, commits)
    }

    private func playThrough(_ milliseconds: Int64, _ commits: Int) async -> CommitSamples {
        await untilIdle {
            measured = CommitSamples()
            limit = commits
            let start = loop.nanoseconds
            let processor = Disk.processorTime
            isPlaying = true
            end = loop.schedule(afterMilliseconds: milliseconds) { [weak self] in
                self?.assumeIsolated { rig in
                    rig.isPlaying = false
                    rig.measured.nanoseconds = rig.loop.nanoseconds - start
                    rig.measured.processor = Disk.processorTime - processor
                }
            }
            for id in active.keys { sendStake(to: id) }
        }
        end = nil
        isPlaying = false
        return measured
    }

    /// Ends a time of playing early.
    func stopPlaying() {
        isPlaying = false
        guard let done = whenIdle, !active.values.contains(where: { !$0.appended.isEmpty }) else {
            return
        }
        whenIdle = nil
        done()
    }

    /// Gives all active sessions back.
    func passivateAll() async {
        for (id, entry) in active {
            store?.passivate(id, entry.viewer.session.stored, at: loop.now)
        }
        active = [:]
        await untilWritten()
    }

    private func untilIdle(_ body: () -> Void) async {
        body()
        guard active.values.contains(where: { !$0.appended.isEmpty }) else { return }
        await withCheckedContinuation { done in whenIdle = { done.resume() } }
    }

    private func start(_ id: SessionID) -> [SessionAction] {
        active[id]?.viewer.session.start(at: loop.now) ?? []
    }

    private func send(_ call: SessionCall, to id: SessionID) {
        perform(active[id]?.viewer.call(call, at: loop.now) ?? [], of: id)
    }

    private func sendStake(to id: SessionID) {
        guard let entry = active[id] else { return }
        entry.stakes += 1
        send(Viewer.stake(entry.stakes), to: id)
    }

    private func perform(_ actions: [SessionAction], of id: SessionID) {
        for action in actions {
            switch action {
            case .commit(let commit):
                active[id]?.appended.append(loop.nanoseconds)
                store?.append(commit, for: id)
            case .snapshot(let stored):
                if isPlaying { measured.snapshots += 1 }
                store?.snapshot(stored, of: id)
            case .publish(let publication):
                if isPlaying { measured.published += publication.data.count }
            case .reply(_, _, .error(let error)):
                preconditionFailure("refused: \(error)")
            case .reply, .admit, .admitStage, .dismiss, .push, .revokeStage, .disconnect,
                .presence, .dissolve, .setTimer:
                continue
            }
        }
    }

    private func settled(_ settlement: Settlement) {
        guard case .committed(let id, through: let sequence) = settlement else {
            preconditionFailure("the store failed: \(settlement)")
        }
        let now = loop.nanoseconds
        noteTurn()
        guard let entry = active[id] else { return }
        while entry.oldest <= sequence, let start = entry.appended.first {
            entry.appended.removeFirst()
            entry.oldest += 1
            if isPlaying {
                measured.commits += 1
                measured.latency.add(now - start)
            }
        }
        perform(entry.viewer.session.receive(.committed(through: sequence), at: loop.now), of: id)
        guard isPlaying, measured.commits < limit else { return }
        guard thinking > 0 else { return sendStake(to: id) }
        entry.pause = loop.schedule(afterMilliseconds: .random(in: 1...thinking)) { [weak self] in
            self?.assumeIsolated { rig in
                if rig.isPlaying { rig.sendStake(to: id) }
            }
        }
    }

    /// The settlements of one transaction come in one turn.
    private func noteTurn() {
        guard !isTurnSeen else { return }
        isTurnSeen = true
        loop.atTurnEnd { [weak self] in self?.assumeIsolated { $0.endTurn() } }
    }

    private func endTurn() {
        isTurnSeen = false
        if isPlaying { measured.batches += 1 }
        // A viewer who thinks has more to say.
        if isPlaying, thinking > 0 { return }
        guard let done = whenIdle, !active.values.contains(where: { !$0.appended.isEmpty }) else {
            return
        }
        whenIdle = nil
        done()
    }
}

extension StoreRig {
    /// Stores `count` sessions without activation, copies of what machines made.
    func store(_ count: Int, templates: [StoredSession]) async {
        var made = 0
        while made < count {
            let ids = (made..<min(count, made + 1000)).compactMap { SessionID(Self.name($0)) }
            for (index, id) in ids.enumerated() {
                var session = Session(id: id, newEpoch: "epoch", settings: settings)
                for case .commit(var commit) in session.start(at: loop.now) {
                    commit.change = .create(templates[index % templates.count])
                    store?.append(commit, for: id)
                }
            }
            made += ids.count
            await untilWritten()
            for (index, id) in ids.enumerated() {
                var stored = templates[index % templates.count]
                stored.mark = SnapshotMark(
                    revision: stored.revision, stamp: stored.requests.stamp, commits: 0)
                store?.passivate(id, stored, at: loop.now)
            }
        }
        await untilWritten()
    }

    static func name(_ number: Int) -> String { "stored-\(number)" }

    /// Activates stored sessions, so that they take commits.
    func activate(_ numbers: Range<Int>) async {
        for number in numbers {
            guard let id = SessionID(Self.name(number)),
                case .stored(let stored) = await load(id.description)
            else { preconditionFailure("session \(number) is not there") }
            let session = Session(id: id, stored: stored, settings: settings)
            await untilIdle {
                active[id] = Active(Viewer(session, number: UInt64(number + 1)))
                perform(start(id), of: id)
            }
        }
    }

    /// Loads random stored sessions, one at a time, and gives them back.
    func loads(_ count: Int, of sessions: Int, from random: inout UInt64) async -> Samples {
        var samples = Samples()
        for _ in 0..<count {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let name = Self.name(Int(random >> 33) % sessions)
            guard let id = SessionID(name), active[id] == nil else { continue }
            let start = loop.nanoseconds
            guard case .stored(let stored) = await load(name) else {
                preconditionFailure("session \(name) is not there")
            }
            samples.add(loop.nanoseconds - start)
            store?.passivate(id, stored, at: loop.now)
            // The way back is not measured, nor waited for by the next one.
            await untilWritten()
            if thinking > 0 { await pause() }
        }
        return samples
    }

    private func pause() async {
        await withCheckedContinuation { done in
            timer = loop.schedule(afterMilliseconds: .random(in: 1...7)) { done.resume() }
        }
    }

    /// Waits until everything that was asked for so far is written.
    private func untilWritten() async {
        // The first load may be answered before the transaction of its round, not the second.
        await load("none")
        await load("none")
    }

    @discardableResult
    private func load(_ name: String) async -> LoadedSession {
        guard let id = SessionID(name), let store else { return .absent(placements: []) }
        return await withCheckedContinuation { done in
            store.load(id) { done.resume(returning: $0) }
        }
    }
}

/// What was measured while sessions committed.
struct CommitSamples: Sendable {
    var nanoseconds: UInt64 = 0
    /// Processor time of all threads, in nanoseconds.
    var processor: UInt64 = 0
    var commits = 0
    var batches = 0
    var snapshots = 0
    /// Bytes of all publications.
    var published = 0
    var latency = Samples()
}
