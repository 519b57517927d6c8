import Actors
import Coordinator

/// A store of one life of the daemon, over the disk that outlives it.
///
/// It keeps what the protocol of stores promises and nothing more: the commits of one session settle
/// in order, those of different sessions in any; each may be slow, written long before it is
/// reported, or fail with all that follow it. At a death some of what was not written yet is written
/// all the same.
final class SimulatedStore: Store {
    /// What a session with an activation, or one that is on its way to the disk, has there.
    private struct Place {
        /// The number of the newest commit that was reported.
        var reported: Int64
        var isDeleting = false
    }

    private struct Parked {
        var stored: StoredSession
        var place: Place
        var ticket: UInt64
    }

    private enum Work {
        case commit(Commit)
        /// Of a session that gave up its activation when there is a ticket.
        case snapshot(StoredSession, number: Int64, ticket: UInt64?)
    }

    private enum Outcome {
        case committed(UInt64, number: Int64, isDeletion: Bool)
        case written(ticket: UInt64?)
    }

    private struct Queue {
        var work: [Work] = []
        /// What was done and not reported.
        var done: [Outcome] = []
        /// Whether everything that waits will be reported as failed.
        var isDoomed = false
        var isPlanned = false

        var isEmpty: Bool { work.isEmpty && done.isEmpty && !isDoomed }
    }

    private unowned let world: World
    private var disk: Disk { world.disk }
    private var places: [SessionID: Place] = [:]
    private var parked: [SessionID: Parked] = [:]
    private var queues: [SessionID: Queue] = [:]
    private var loads: [SessionID: (LoadedSession) -> Void] = [:]
    private var tickets: UInt64 = 0
    private var observer: ((Settlement) -> Void)?
    private var isDead = false

    init(world: World) {
        self.world = world
    }

    var holdings: StoreHoldings {
        let unwritten = places.keys.reduce(0) { $0 + (disk.holds($1) ? 0 : 1) }
        return StoreHoldings(
            sessions: disk.sessionCount + unwritten, remembered: disk.count - disk.sessionCount)
    }

    /// No session of the simulated worlds has a named owner.
    func countSessions(
        ownedBy user: String, limit: Int, _ completion: @escaping (Int?) -> Void
    ) {
        completion(0)
    }

    /// Whether nothing waits for the disk.
    var isAtRest: Bool { queues.values.allSatisfy(\.isEmpty) && loads.isEmpty }

    /// Whether the session lives on the disk alone.
    func isIdle(_ session: SessionID) -> Bool {
        places[session] == nil && parked[session] == nil && loads[session] == nil
            && queues[session]?.isEmpty ?? true
    }

    func observe(_ observer: @escaping (Settlement) -> Void) {
        self.observer = observer
    }

    func append(_ commit: Commit, for session: SessionID) {
        if places[session] == nil { places[session] = Place(reported: 0) }
        if case .delete = commit.change { places[session]?.isDeleting = true }
        add(.commit(commit), session)
    }

    func snapshot(_ stored: StoredSession, of session: SessionID) {
        guard let place = places[session] else { return }
        add(.snapshot(stored, number: place.reported, ticket: nil), session)
    }

    func passivate(_ session: SessionID, _ stored: StoredSession, at now: Instant) {
        guard let place = places.removeValue(forKey: session), !isDead else { return }
        tickets += 1
        add(.snapshot(stored, number: place.reported, ticket: tickets), session)
        var kept = stored
        kept.mark = SnapshotMark(
            revision: stored.revision, stamp: stored.requests.stamp, commits: 0)
        parked[session] = Parked(stored: kept, place: place, ticket: tickets)
    }

    func abandon(_ session: SessionID) {
        places[session] = nil
    }

    func load(_ session: SessionID, _ completion: @escaping (LoadedSession) -> Void) {
        if let entry = parked.removeValue(forKey: session) {
            places[session] = entry.place
            return completion(.stored(entry.stored))
        }
        loads[session] = completion
        planLoad(session)
    }

    private func add(_ work: Work, _ session: SessionID) {
        queues[session, default: Queue()].work.append(work)
        plan(session)
    }
}

// MARK: - The disk at work

extension SimulatedStore {
    private func plan(_ session: SessionID) {
        guard !isDead, queues[session]?.isPlanned == false else { return }
        queues[session]?.isPlanned = true
        let isSlow = !world.isCalm && world.chance(world.weather.slowWrites)
        world.after(world.number(isSlow ? 50...800 : 0...3)) { [weak self] in
            self?.turn(session)
        }
    }

    /// Reports what waits to be reported, or writes, or fails.
    private func turn(_ session: SessionID) {
        guard !isDead, var queue = queues[session] else { return }
        queue.isPlanned = false
        if queue.isDoomed {
            queues[session] = queue
            fail(session)
        } else if !queue.done.isEmpty {
            queues[session] = queue
            report(session)
        } else if !queue.work.isEmpty {
            if isFailing {
                queue.isDoomed = true
            } else {
                let most = Int64(queue.work.count)
                let count = Int(world.chance(70) ? most : world.number(1...most))
                queue.done += queue.work[..<count].map { write($0, session) }
                queue.work.removeFirst(count)
                // Now and then the rest fails before this is reported.
                queue.isDoomed = !queue.work.isEmpty && isFailing
            }
            queues[session] = queue
            let isLate = !world.isCalm && world.chance(world.weather.lateReports)
            if isLate { plan(session) } else { turn(session) }
        }
        guard let queue = queues[session], !queue.isEmpty else { return queues[session] = nil }
        plan(session)
    }

    private var isFailing: Bool {
        guard !world.isCalm else { return false }
        return world.now < world.diskFailsUntil || world.chance(world.weather.failedWrites)
    }

    private func write(_ work: Work, _ session: SessionID) -> Outcome {
        switch work {
        case .commit(let commit):
            disk.apply(commit, to: session)
            let isDeletion = if case .delete = commit.change { true } else { false }
            return .committed(
                commit.sequence, number: disk.number(of: session), isDeletion: isDeletion)
        case .snapshot(let stored, let number, let ticket):
            disk.put(stored, of: session, number: number)
            return .written(ticket: ticket)
        }
    }

    private func report(_ session: SessionID) {
        guard let done = queues[session]?.done else { return }
        queues[session]?.done = []
        var newest: UInt64?
        for outcome in done {
            switch outcome {
            case .committed(let sequence, let number, let isDeletion):
                newest = sequence
                places[session]?.reported = number
                if isDeletion { places[session] = nil }
            case .written(let ticket):
                if let ticket, parked[session]?.ticket == ticket { parked[session] = nil }
            }
        }
        if let newest { observer?(.committed(session, through: newest)) }
    }

    /// Everything that waits is lost, also what was asked for since the disk refused.
    private func fail(_ session: SessionID) {
        world.tally.failures += 1
        // A failure says by itself that what came before is durable.
        if world.chance(50) {
            report(session)
        } else {
            noteSilently(session)
        }
        let work = queues[session]?.work ?? []
        queues[session]?.work = []
        queues[session]?.isDoomed = false
        places[session]?.isDeleting = false
        let sequences = work.compactMap { work -> UInt64? in
            guard case .commit(let commit) = work else { return nil }
            return commit.sequence
        }
        world.trace("the disk fails for \(session), commits \(sequences)")
        if let first = sequences.first {
            observer?(.failed(session, from: first, reason: "the disk is full"))
        }
        for case .snapshot(_, _, let ticket) in work {
            if places[session] != nil {
                observer?(.snapshotFailed(session))
            } else if let ticket, parked[session]?.ticket == ticket {
                parked[session] = nil
            }
        }
    }

    /// What was written and not reported counts, without a word about the commits.
    private func noteSilently(_ session: SessionID) {
        let work = queues[session]?.work ?? []
        let hasCommits = work.contains { if case .commit = $0 { true } else { false } }
        guard hasCommits else { return report(session) }
        for outcome in queues[session]?.done ?? [] {
            switch outcome {
            case .committed(_, let number, let isDeletion):
                places[session]?.reported = number
                if isDeletion { places[session] = nil }
            case .written(let ticket):
                if let ticket, parked[session]?.ticket == ticket { parked[session] = nil }
            }
        }
        queues[session]?.done = []
    }

    private func planLoad(_ session: SessionID) {
        let isSlow = !world.isCalm && world.chance(world.weather.slowWrites)
        world.after(world.number(isSlow ? 50...800 : 0...3)) { [weak self] in
            self?.finishLoad(session)
        }
    }

    private func finishLoad(_ session: SessionID) {
        guard !isDead, loads[session] != nil else { return }
        // What is on its way to the disk comes first.
        guard queues[session] == nil else { return planLoad(session) }
        guard let completion = loads.removeValue(forKey: session) else { return }
        if !world.isCalm, world.chance(world.weather.failedReads) {
            return completion(.failed("the disk cannot be read"))
        }
        world.tally.loads += 1
        let loaded = disk.load(session)
        if case .stored = loaded {
            places[session] = Place(reported: disk.number(of: session))
        }
        completion(loaded)
    }
}

// MARK: - The end

extension SimulatedStore {
    /// Of each session, some of what waits is written; the rest is gone.
    func die() {
        isDead = true
        loads = [:]
        let sessions = queues.keys.sorted { $0.description < $1.description }
        for session in sessions {
            // After a failure everything that follows has failed, whether that was told or not.
            guard let queue = queues[session], !queue.isDoomed else { continue }
            let count = Int(world.number(0...Int64(queue.work.count)))
            for work in queue.work[..<count] { _ = write(work, session) }
            world.tally.torn += queue.work.count - count
            if count < queue.work.count {
                world.trace("\(queue.work.count - count) of \(session) are not written")
            }
        }
        disk.daemonDied()
    }

    /// Writes everything, and tells it: what a daemon that stops in peace waits for.
    func flush() {
        for session in queues.keys.sorted(by: { $0.description < $1.description }) {
            guard let queue = queues[session], !queue.isDoomed else {
                fail(session)
                continue
            }
            queues[session]?.done += queue.work.map { write($0, session) }
            queues[session]?.work = []
            report(session)
        }
        queues = queues.filter { !$0.value.isEmpty }
    }

    /// Lets sessions of a dead daemon go, by failing whatever they still wait for.
    func failAll() {
        let waiting = queues
        queues = [:]
        for (session, queue) in waiting {
            let first =
                queue.done.compactMap { outcome -> UInt64? in
                    if case .committed(let sequence, _, _) = outcome { sequence } else { nil }
                }
                + queue.work.compactMap { work -> UInt64? in
                    if case .commit(let commit) = work { commit.sequence } else { nil }
                }
            if let first = first.first {
                observer?(.failed(session, from: first, reason: "it is over"))
            }
        }
    }
}
