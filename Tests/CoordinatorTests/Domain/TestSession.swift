import Coordinator

/// A session under test: applies events given as JSON text and keeps what came of the last one.
struct TestSession {
    var viewing = Viewing()
    var revision: UInt64 = 0
    var policy = Policy()
    var now = Instant(milliseconds: 1_000_000)
    /// What a mirror folds from the patches.
    var folded = Viewing().state.json

    static let mirror = Origin(device: "tablet", role: .mirror)

    /// A session whose stage is the device `phone`.
    static func staged(policy: Policy = Policy()) throws -> TestSession {
        var session = TestSession()
        session.policy = policy
        _ = try session.attach("phone")
        return session
    }

    /// A session with a loaded and ready Genius page on `phone`.
    static func ready(policy: Policy = Policy()) throws -> TestSession {
        var session = try staged(policy: policy)
        try session.send(
            #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1"}}"#)
        try session.page(#"{"type":"init"}"#)
        return session
    }

    var stage: Origin {
        Origin(
            device: viewing.state.stage?.device, role: .player,
            holdsStage: viewing.state.stage?.connected == true)
    }

    /// Applies an event, by the stage unless told otherwise.
    @discardableResult
    mutating func send(_ text: String, from origin: Origin? = nil) throws -> Outcome {
        let event = try Event.decode(try JSONParser.parse(text: text), policy: policy)
        let origin = origin ?? stage
        try event.permit(origin, in: viewing)
        let outcome = try viewing.apply(
            event, from: origin, at: now, revision: revision + 1, policy: policy)
        return settle(outcome)
    }

    /// Applies a message of the Genius page.
    @discardableResult
    mutating func page(_ body: String) throws -> Outcome {
        try send(#"{"type":"bridge","handler":"gsVideoPlayerBridge","body":\#(body)}"#)
    }

    mutating func attach(_ device: String, facts: String? = nil) throws -> Outcome {
        let facts = try facts.map { try JSONParser.parse(text: $0).root }
        return settle(
            try viewing.attachStage(
                device: device, facts: facts, at: now, revision: revision + 1, policy: policy))
    }

    @discardableResult
    mutating func detach() -> Outcome {
        settle(viewing.detachStage(at: now, revision: revision + 1, policy: policy))
    }

    @discardableResult
    mutating func take(_ device: String) throws -> Takeover {
        let takeover = try viewing.takeStage(
            device: device, at: now, revision: revision + 1, policy: policy)
        settle(takeover.outcome)
        return takeover
    }

    @discardableResult
    mutating func acknowledge(
        _ done: [UInt64] = [], failed: [EffectFailure] = []
    ) -> Outcome {
        settle(
            viewing.acknowledge(
                done: done, failed: failed, at: now, revision: revision + 1, policy: policy))
    }

    mutating func expire() -> Outcome? {
        viewing.expire(at: now, revision: revision + 1, policy: policy).map { settle($0) }
    }

    /// The stable reason of the rejection of an event; nil when it was taken.
    mutating func reason(_ text: String, from origin: Origin? = nil) throws -> String? {
        do {
            try send(text, from: origin)
            return nil
        } catch let rejection as Rejection {
            return String(rejection.message.prefix { $0 != ":" })
        }
    }

    /// The effects of the outbox by kind.
    var waiting: [String] { viewing.memory.outbox.effects.map(\.order.kind) }

    @discardableResult
    private mutating func settle(_ outcome: Outcome) -> Outcome {
        if outcome.kind == .revision { revision += 1 }
        folded = MergePatch.apply(outcome.patch, to: folded)
        return outcome
    }
}
