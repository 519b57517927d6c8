import Actors
import Coordinator
import TestSupport

/// Sessions on a loop and a store that the test moves by hand, with connections that write down.
struct GateRig {
    let loop = ManualEventLoop()
    let store = DelayedStore()
    let system: SessionSystem
    let session: SessionID

    init(idleSeconds: Int64 = 60) throws {
        system = SessionSystem(
            loop: loop, store: store, settings: SessionSettings(), idleSeconds: idleSeconds,
            maximumSessions: 100)
        guard let id = SessionID("a") else { throw RawClient.Failure.unexpected("a") }
        session = id
    }

    /// A connection that sessions can reach.
    func peer(_ number: UInt64) -> RecordingPeer {
        let peer = RecordingPeer(number: number)
        system.register(peer)
        return peer
    }

    /// Asks the session on behalf of a connection, whose device is `device` and its number.
    func ask(
        _ peer: RecordingPeer, _ command: UInt32, _ call: SessionCall, device: String? = nil,
        creates: Bool = false
    ) {
        let caller = Caller(
            connection: peer.number, client: "c\(peer.number)",
            device: device ?? "device-\(peer.number)", role: .mirror)
        system.deliver(
            SessionRequest(session: session, caller: caller, command: command, call: call),
            creates: creates)
        loop.run()
    }

    func subscribe(_ peer: RecordingPeer, _ command: UInt32) {
        ask(peer, command, .subscribe(SessionCall.Subscription()), creates: true)
    }

    func apply(
        _ peer: RecordingPeer, _ command: UInt32, _ event: JSON, id: String? = nil
    ) {
        ask(
            peer, command,
            .apply(SessionCall.Application(event: JSONDocument(root: event), id: id)))
    }

    func settle(_ count: Int = .max) {
        store.release(count)
        loop.run()
    }

    func fail(after count: Int = 0) {
        store.fail("the disk is full", after: count)
        loop.run()
    }

    /// A stage and a mirror, both admitted and all commits durable.
    func opened() -> (phone: RecordingPeer, mirror: RecordingPeer) {
        let (phone, mirror) = (peer(1), peer(2))
        subscribe(phone, 1)
        subscribe(mirror, 1)
        ask(phone, 2, .attachStage(facts: nil))
        settle()
        _ = (phone.heard(), mirror.heard())
        return (phone, mirror)
    }

    /// The revision and state as `session.state` has them, asked by a connection of its own.
    func state() throws -> JSON {
        let witness = peer(1000)
        ask(witness, 1, .state)
        guard let line = witness.heard().first,
            case .reply(_, _, let result) = try JSONCodec.decodeServerMessage(
                [UInt8](line.utf8).span)
        else { throw RawClient.Failure.unexpected("no state") }
        return result["data"] ?? .null
    }
}

extension [String] {
    /// What each line is: the command's id and `error` with its code, or the kind of push.
    func outline() throws -> [String] {
        try map { line in
            switch try JSONCodec.decodeServerMessage([UInt8](line.utf8).span) {
            case .ping: "ping"
            case .reply(let id, let kind, _): "\(id) \(kind)"
            case .failure(let id, let error): "\(id) error \(error.code)"
            case .push(let channel, "pub", let payload):
                "\(channel ?? "") " + (payload.unsigned("offset").map { "\($0)" } ?? "signal")
            case .push(let channel, let kind, let payload):
                "\(channel ?? "") \(kind)"
                    + (payload.unsigned("code").map { " \($0)" } ?? "")
            }
        }
    }
}
