import Coordinator
import TestSupport

/// A session to which random things happen, one transition after the other.
struct RandomWalk {
    let seed: UInt64
    private(set) var session: TestSession
    private(set) var events: RandomEvents
    /// Steps so far.
    private(set) var count = 0
    /// Whether the stage acknowledges in the order of arrival, as it carries effects out.
    var acknowledgesInOrder = false

    private static let devices = ["phone", "phone", "tablet", "tv"]
    /// More timers than a session has cannot be due at one time.
    private static let timerBound = 12

    /// A walk that begins on a new session.
    init(seed: UInt64, policy: Policy = Policy()) {
        self.seed = seed
        session = TestSession()
        session.policy = policy
        events = RandomEvents(seed: seed)
    }

    /// Where the walk is, to find it again.
    var place: String { "seed \(seed), step \(count)" }

    private var viewing: Viewing { session.viewing }

    /// Does one thing; gives its transitions.
    mutating func step() throws -> [Moment] {
        count += 1
        let stage = viewing.state.stage
        if stage?.connected != true, events.chance(35) {
            return try attach(stage?.device ?? events.pick(Self.devices))
        }
        switch events.number(0..<100) {
        case 0..<3: return detach()
        case 3..<6: return try attach(events.pick(Self.devices))
        case 6..<8: return try take(events.pick(Self.devices))
        case 8..<20: return acknowledge()
        case 20..<27: return wait()
        case 27..<28: return try restart()
        case 28..<40: return try send(from: TestSession.mirror)
        default: return try send(from: nil)
        }
    }

    private func moment(
        _ cause: Moment.Cause, since before: Viewing, _ outcome: Outcome?,
        farewell: [Effect] = []
    ) -> Moment {
        Moment(
            cause: cause, before: before, after: session.viewing, now: session.now,
            outcome: outcome, farewell: farewell)
    }

    private mutating func send(from origin: Origin?) throws -> [Moment] {
        let text = events.event(in: viewing.state)
        let before = viewing
        do {
            let outcome = try session.send(text, from: origin)
            return [moment(.event(text), since: before, outcome)]
        } catch is Rejection {
            return [moment(.event(text), since: before, nil)]
        }
    }

    private mutating func attach(_ device: String) throws -> [Moment] {
        let before = viewing
        let facts = events.report()
        do {
            let outcome = try session.attach(device, facts: facts)
            return [moment(.attach(device), since: before, outcome)]
        } catch is Rejection {
            return [moment(.attach(device), since: before, nil)]
        }
    }

    private mutating func detach() -> [Moment] {
        guard viewing.state.stage?.connected == true else { return [] }
        let before = viewing
        let outcome = session.detach()
        return [moment(.detach, since: before, outcome)]
    }

    private mutating func take(_ device: String) throws -> [Moment] {
        let before = viewing
        let takeover = try session.take(device)
        return [
            moment(.take(device), since: before, takeover.outcome, farewell: takeover.farewell)
        ]
    }

    private mutating func acknowledge() -> [Moment] {
        guard viewing.state.stage?.connected == true else { return [] }
        var done: [UInt64] = []
        var failed: [UInt64] = []
        let seqs = viewing.memory.outbox.effects.map(\.seq)
        // A whole run from the front, as devices do, and now and then any of them.
        let isRun = acknowledgesInOrder || events.chance(70)
        for seq in isRun ? Array(seqs.prefix(events.number(0..<seqs.count + 1))) : seqs {
            guard isRun || events.chance(50) else { continue }
            if events.chance(20) { failed.append(seq) } else { done.append(seq) }
        }
        // One that is not known, or not in its turn.
        if events.chance(5) {
            done.append(UInt64(events.number(0..<500) + (acknowledgesInOrder ? 1_000_000 : 0)))
        }
        let before = viewing
        let outcome = session.acknowledge(
            done,
            failed: failed.map { EffectFailure(seq: $0, code: "busy", message: "not now") })
        return [moment(.acknowledge(done: done, failed: failed), since: before, outcome)]
    }

    /// Time goes on, sometimes just to the next timer.
    private mutating func wait() -> [Moment] {
        if events.chance(40), let due = viewing.nextDeadline {
            session.now = max(session.now, due)
        } else {
            let most = events.pick([100, 3000, 6000, 45_000])
            session.now = session.now.advanced(byMilliseconds: Int64(events.number(0..<most)))
        }
        return expire()
    }

    private mutating func expire() -> [Moment] {
        var moments: [Moment] = []
        while moments.count < Self.timerBound {
            let before = viewing
            guard let outcome = session.expire() else { break }
            moments.append(moment(.expire, since: before, outcome))
        }
        return moments
    }

    /// The server ends and begins again, with what was stored.
    private mutating func restart() throws -> [Moment] {
        let before = viewing
        session.viewing = try StoredMirror.restored(before)
        let moments = [moment(.restart, since: before, nil)] + detach()
        return moments + expire()
    }
}
