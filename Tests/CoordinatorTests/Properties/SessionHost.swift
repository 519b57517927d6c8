import Coordinator
import TestSupport

/// A session machine with a clock, connections and a store whose commits settle when a test says so.
///
/// Each change that becomes durable is done once more by the pure rules, in the order of the commits;
/// whatever differs is a problem.
struct SessionHost {
    /// A commit that is neither durable nor failed, and the input that it came from.
    private struct Pending {
        let commit: Commit
        let input: SessionInput?
        let at: Instant
    }

    /// The running session; nil before the first call and after its deletion.
    private(set) var session: Session?
    /// What the pure rules made of the durable commits, and its revision.
    private(set) var durable = Viewing()
    private(set) var revision: UInt64 = 0
    private(set) var now = Instant(milliseconds: 1_700_000_000_000)
    /// When the session wants to be told that time has gone on.
    private(set) var timer: Instant?
    /// The answers to commands.
    private(set) var replies: [UInt32: Reply.Body] = [:]
    /// Connections that the session wants to be closed, or that lost the stage.
    private(set) var refused: Set<UInt64> = []
    /// The numbers of the effects that each connection was sent.
    private(set) var delivered: [UInt64: [UInt64]] = [:]
    /// How often a stage was told to place the bet of an id.
    private(set) var offers: [String: Int] = [:]
    /// How often a placement became accepted.
    private(set) var acceptances: [String: Int] = [:]
    /// The tags of the durable events of each device, in their order, in this incarnation.
    private(set) var tags: [String: [UInt64]] = [:]
    private(set) var problems: [String] = []

    private let settings: SessionSettings
    private var pending: [Pending] = []
    private var record: SessionRecord?
    /// The placements of a deleted session.
    private var remains: [PlacementRecord] = []
    private var mirror: FoldedMirror?
    private(set) var incarnations = 0
    private var commands: UInt32 = 0

    init(policy: Policy = Policy()) {
        settings = SessionSettings(policy: policy, snapshots: nil)
    }

    /// The newest state, durable or not.
    var state: SessionState { session?.stored.viewing.state ?? SessionState() }

    var pendingCount: Int { pending.count }

    mutating func demand(_ holds: Bool, _ sentence: String) {
        if !holds { problems.append(sentence) }
    }

    // MARK: - What can happen

    /// Makes a call; gives its command's number.
    mutating func call(_ call: SessionCall, from caller: Caller) -> UInt32 {
        if session == nil { create() }
        commands += 1
        receive(.call(call, from: caller, command: commands))
        return commands
    }

    mutating func lose(_ connection: UInt64) {
        refused.remove(connection)
        delivered[connection] = nil
        receive(.connectionLost(connection))
    }

    mutating func wait(milliseconds: Int64) {
        now = now.advanced(byMilliseconds: milliseconds)
        guard let due = timer, due <= now else { return }
        timer = nil
        receive(.timerFired)
    }

    /// Lets time go on to the next timer; false when there is none.
    mutating func waitForTimer() -> Bool {
        guard let due = timer else { return false }
        wait(milliseconds: max(0, due.milliseconds(since: now)))
        return true
    }

    /// The oldest `count` commits are durable.
    mutating func settle(_ count: Int = .max) {
        let settled = take(count)
        guard let last = settled.last else { return }
        receive(.committed(through: last.commit.sequence))
    }

    /// The oldest `count` commits are durable, and the next one fails with all that follow it.
    mutating func fail(after count: Int) {
        guard count < pending.count else { return }
        _ = take(count)
        let first = pending[0].commit.sequence
        pending = []
        receive(.commitFailed(from: first, reason: "no space"))
    }

    /// The server dies when `count` of the commits were durable, and begins again from its store.
    mutating func crash(after count: Int) throws {
        _ = take(count)
        pending = []
        timer = nil
        mirror = nil
        replies = [:]
        refused = []
        delivered = [:]
        guard let record else { return session = nil }
        let stored = try record.decode(StoredMirror.vault(), settings: settings)
        demand(stored.viewing == durable, "what was stored is what was durable")
        demand(stored.revision == revision, "the stored revision is the durable one")
        session = Session(id: try Self.id(), stored: stored, settings: settings)
        perform(session?.start(at: now) ?? [], of: nil)
    }

    /// Everything is durable and everything was said: the same state everywhere.
    mutating func checkRest() {
        settle()
        demand(pending.isEmpty, "nothing waits")
        guard let session else { return }
        demand(!session.hasUnsettled, "nothing is held back")
        demand(session.stored.viewing == durable, "the session is what its revisions lead to")
        demand(session.stored.revision == revision, "the session is at the newest revision")
        guard let mirror else { return }
        demand(mirror.state == durable.state.json, "the mirror shows the state")
        demand(mirror.revision == revision, "the mirror is at the newest revision")
    }

    // MARK: - The machine

    private static func id() throws -> SessionID {
        guard let id = SessionID("s1") else { throw RawClient.Failure.unexpected("the id") }
        return id
    }

    private mutating func create() {
        incarnations += 1
        guard let id = try? Self.id() else { return }
        session = Session(
            id: id, newEpoch: "epoch \(incarnations)", placements: remains, settings: settings)
        perform(session?.start(at: now) ?? [], of: nil)
    }

    private mutating func receive(_ input: SessionInput) {
        guard let actions = session?.receive(input, at: now) else { return }
        perform(actions, of: input)
    }

    private mutating func perform(_ actions: [SessionAction], of input: SessionInput?) {
        for action in actions {
            switch action {
            case .commit(let commit):
                pending.append(Pending(commit: commit, input: input, at: now))
            case .snapshot: break
            case .reply(_, let command, let body): replies[command] = body
            case .admit(_, joinLeave: _, let command, let result):
                replies[command] = .subscribe(result)
                admit(result)
            case .admitStage(let caller, let command, let result):
                replies[command] = .subscribe(result)
                let pending = result.data.flatMap(Self.parse)?["pending"]?.array ?? []
                delivered[caller.connection] = []
                for effect in pending { deliver(effect, to: caller.connection) }
            case .dismiss(_, _, let command, _): replies[command] = .unsubscribe
            case .publish(let publication): publish(publication)
            case .push(let effects, let connection):
                for effect in effects.compactMap({ Self.parse($0.data) }) {
                    deliver(effect, to: connection)
                }
            case .revokeStage(let connection, _), .disconnect(let connection, _):
                refused.insert(connection)
            case .presence: break
            case .dissolve:
                session = nil
                mirror = nil
                timer = nil
                refused.formUnion(delivered.keys)
            case .setTimer(let due): timer = due
            }
        }
    }

    static func parse(_ bytes: [UInt8]) -> JSON? {
        try? StoredMirror.parse(bytes)
    }

    private mutating func deliver(_ effect: JSON, to connection: UInt64) {
        guard let seq = effect["seq"]?.number?.unsigned else {
            return problems.append("an effect has a number")
        }
        if effect["kind"]?.string == "placeBet" {
            offers[effect["placementId"]?.string ?? "", default: 0] += 1
        } else {
            delivered[connection, default: []].append(seq)
        }
    }

    // MARK: - Who listens

    /// Follows the session anew, from what is known of it.
    mutating func follow(as caller: Caller) {
        let known = mirror.map { StreamPosition(epoch: $0.epoch, offset: $0.revision) }
        _ = call(
            .subscribe(SessionCall.Subscription(role: .observer, recover: known)), from: caller)
    }

    private mutating func admit(_ result: Reply.Subscribe) {
        guard let session else { return }
        if let snapshot = result.data.flatMap(Self.parse), let state = snapshot["state"],
            let position = result.position
        {
            mirror = FoldedMirror(
                epoch: session.epoch, revision: position.offset, state: state)
        }
        for publication in result.publications { publish(publication) }
    }

    private mutating func publish(_ publication: Publication) {
        let text = String(decoding: publication.data, as: UTF8.self)
        if text.contains(RandomEvents.secret) { problems.append("a secret is published: \(text)") }
        guard let offset = publication.offset, mirror != nil else { return }
        guard let data = Self.parse(publication.data) else {
            return problems.append("a publication is JSON")
        }
        demand(offset <= revision, "only what is durable is published")
        // One that came while the subscription was under way is in the snapshot already.
        guard offset > mirror?.revision ?? 0 else { return }
        do {
            try mirror?.take(publication: ["offset": .integer(offset), "data": data])
        } catch {
            problems.append("\(error)")
        }
    }
}

// MARK: - What is durable, once more

extension SessionHost {
    private mutating func take(_ count: Int) -> [Pending] {
        let taken = Array(pending.prefix(count))
        pending.removeFirst(taken.count)
        for one in taken {
            do {
                try keep(one)
            } catch {
                problems.append("revision \(revision + 1) cannot be done again: \(error)")
            }
        }
        return taken
    }

    private mutating func keep(_ one: Pending) throws {
        switch one.commit.change {
        case .create(let stored):
            durable = stored.viewing
            revision = 0
            tags = [:]
            record = SessionRecord(
                epoch: stored.epoch, revision: 0,
                body: SessionSnapshot(stored, try StoredMirror.vault()).body)
        case .update(let update):
            let vault = try StoredMirror.vault()
            record?.journal.append(JournalEntry(update, vault))
            try replay(update, of: one)
        case .delete(let placements):
            demand(placements == durable.memory.placements, "a deletion keeps the placements")
            remains = placements
            record = nil
        }
    }

    private mutating func replay(_ update: Commit.Update, of one: Pending) throws {
        let before = durable
        let data = update.publication.flatMap { Self.parse($0.data) }
        let outcome = try again(one, data)
        let isRevision = outcome.kind == .revision
        demand(isRevision == (update.publication != nil), "a revision is published")
        if isRevision {
            revision += 1
            demand(data?["patch"] == outcome.patch, "revision \(revision) has the same patch")
            demand(data?["rev"] == .integer(revision), "revision \(revision) is published as such")
            demand(data?["at"] == .integer(one.at.milliseconds), "it is of the server's time")
        }
        demand(update.revision == revision, "a commit names its revision")
        switch update.memory {
        case .unchanged: demand(durable.memory == before.memory, "the memory is as it was")
        case .changed(let old, let new):
            demand(old == before.memory && new == durable.memory, "the memory is the same")
        }
        for placement in durable.memory.placements where placement.state.outcome == .accepted {
            let id = placement.state.id
            let was = before.memory.placements.first { $0.state.id == id }?.state.outcome
            if was != .accepted { acceptances[id, default: 0] += 1 }
        }
    }

    /// Does the event of a commit once more; `data` is its publication.
    private mutating func again(_ one: Pending, _ data: JSON?) throws -> Outcome {
        let policy = settings.policy
        let type = data?["event"]?["type"]?.string
        let next = revision + 1
        switch (type, one.input) {
        case ("stage.detached", _):
            return durable.detachStage(at: one.at, revision: next, policy: policy)
        case ("stage.vacated", _), ("toast.expired", _), ("placement.expired", _),
            ("effect.failed", nil), ("effect.failed", .timerFired):
            guard let outcome = durable.expire(at: one.at, revision: next, policy: policy) else {
                throw RawClient.Failure.unexpected("no timer is due for \(type ?? "")")
            }
            demand(outcome.published?["type"]?.string == type, "the same timer is due")
            return outcome
        case (_, .call(.apply(let application), let caller, _)):
            return try apply(application, from: caller, at: one.at, data)
        case (_, .call(.attachStage(let facts), let caller, _)):
            return try durable.attachStage(
                device: caller.device, facts: facts?.root, at: one.at, revision: next,
                policy: policy)
        case (_, .call(.takeStage, let caller, _)):
            return try durable.takeStage(
                device: caller.device, at: one.at, revision: next, policy: policy
            ).outcome
        case (_, .call(.acknowledge(let done, let failed), _, _)):
            return durable.acknowledge(
                done: done, failed: failed, at: one.at, revision: next, policy: policy)
        default: throw RawClient.Failure.unexpected("nobody asked for \(type ?? "this")")
        }
    }

    private mutating func apply(
        _ application: SessionCall.Application, from caller: Caller, at: Instant, _ data: JSON?
    ) throws -> Outcome {
        let role = data?["by"]?["role"]?.string.flatMap(Role.init) ?? .player
        let origin = Origin(device: caller.device, role: role, holdsStage: role == .player)
        let event = try Event.decode(application.event, policy: settings.policy)
        // Without a publication nobody says in which role it was sent.
        if data != nil { try event.permit(origin, in: durable) }
        if let published = data?["event"] {
            let sent = application.event.root
            demand(published["type"] == sent["type"], "the event that is published is the one sent")
            demand(
                data?["by"]?["device"]?.string == caller.device, "it is published as its sender's")
            if let tag = sent["tag"]?.number?.unsigned {
                demand(published["tag"] == sent["tag"], "fields that nobody knows are published")
                tags[caller.device, default: []].append(tag)
            }
        }
        return try durable.apply(
            event, from: origin, at: at, revision: revision + 1, policy: settings.policy)
    }
}
