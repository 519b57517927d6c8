import Actors
import Coordinator
import TestSupport
import Testing

/// The calls of the store's tests in short words.
extension StoreRig {
    /// The id of a session.
    static func id(_ text: String) throws -> SessionID {
        try #require(SessionID(text))
    }

    /// Sends an event and gives the answer.
    @discardableResult
    func apply(
        _ event: JSON, to session: SessionID, by peer: RecordingPeer, device: String? = nil,
        id: String? = nil
    ) throws -> Heard {
        try ask(
            peer,
            .apply(SessionCall.Application(event: JSONDocument(root: event), id: id)),
            to: session, device: device)
    }

    /// Sends as many changes of the stake as asked for and gives the revision afterwards.
    @discardableResult
    func stakes(_ values: Range<Int>, to session: SessionID, by peer: RecordingPeer) throws
        -> UInt64
    {
        var revision: UInt64 = 0
        for value in values {
            let event: JSON = ["type": "betslip.update", "stake": .string("\(value + 1).00")]
            revision = try #require(
                try apply(event, to: session, by: peer).answer?.unsigned("data", "rev"))
        }
        return revision
    }

    /// Subscribes and gives the result.
    @discardableResult
    func subscribe(
        _ peer: RecordingPeer, to session: SessionID, since position: StreamPosition? = nil,
        creates: Bool = true
    ) throws -> Heard {
        try ask(
            peer, .subscribe(SessionCall.Subscription(recover: position)), to: session,
            creates: creates)
    }

    /// Takes the stage as `device` and gives the effects that wait.
    @discardableResult
    func attach(
        _ peer: RecordingPeer, to session: SessionID, device: String = "phone", facts: JSON? = nil
    ) throws -> JSON {
        let heard = try ask(
            peer, .attachStage(facts: facts.map { JSONDocument(root: $0) }), to: session,
            device: device)
        #expect(heard.error == nil)
        return heard.answer?.at("data", "pending") ?? .null
    }

    /// Epoch, revision and state.
    func state(of session: SessionID) throws -> JSON {
        try ask(peer(), .state, to: session).answer?.at("data") ?? .null
    }

    /// The publications of the replay window as texts.
    func history(of session: SessionID) throws -> [String] {
        let request = Command.History(channel: "session:\(session)", limit: -1)
        let answer = try ask(peer(), .history(request), to: session).answer
        return answer?.at("publications")?.array?.map(JSONWriter.text(of:)) ?? []
    }

    /// The place of a session's stream.
    func position(of session: SessionID, offset: UInt64? = nil) throws -> StreamPosition {
        let state = try state(of: session)
        return StreamPosition(
            epoch: state.at("epoch")?.string ?? "", offset: offset ?? state.unsigned("rev") ?? 0)
    }

    /// Deletes what is too old; without `vacant`, sessions that never held anything too.
    func expire(
        passivatedBefore limit: Instant, vacantBefore vacant: Instant? = nil,
        deletedBefore placementLimit: Instant
    ) {
        store.expire(
            RetentionLimits(
                idleBefore: limit, vacantBefore: vacant ?? limit, deletedBefore: placementLimit,
                placementSeconds: options.settings.policy.placementSeconds))
    }

    /// Lets a session without clients go back to the store.
    func passivate(_ session: SessionID) {
        while system.activeCount > 0 {
            loop.advance(byMilliseconds: 1000 * options.idleSeconds + 1)
            rest()
        }
    }
}
