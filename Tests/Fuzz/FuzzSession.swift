// The entry of a libFuzzer run over a whole session: lines of bytes are events, facts and calls of
// a phone and a mirror. Built by Scripts/fuzz.sh together with the sources it is about.

/// Feeds one input, a line at a time, and checks that folded patches give the server's state.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSession(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var host = FuzzedSession()
    for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 64) {
        host.take(Array(line))
    }
    host.check()
    return 0
}

/// A session with a store that commits at once, and a mirror that folds what is published.
private struct FuzzedSession {
    private var session: Session
    private var mirrored = SessionState().json
    private var now = Instant(milliseconds: 1_700_000_000_000)

    init() {
        guard let id = SessionID("fuzz") else { preconditionFailure("the id is valid") }
        session = Session(id: id, newEpoch: "epoch", settings: SessionSettings())
        perform(session.start(at: now))
        call(.attachStage(facts: nil), as: Self.phone)
    }

    private static let phone = Caller(
        connection: 1, client: "c1", device: "phone", role: .mirror)
    private static let mirror = Caller(
        connection: 2, client: "c2", device: "tablet", role: .mirror)

    /// The first byte says who does what; the rest is a JSON text.
    mutating func take(_ line: [UInt8]) {
        guard let first = line.first else { return }
        now = now.advanced(byMilliseconds: Int64(first) * 100)
        let text = Array(line.dropFirst())
        let document = try? JSONParser.parse(text.span)
        switch first % 8 {
        case 0: receive(.connectionLost(1))
        case 1: call(.attachStage(facts: document), as: Self.phone)
        case 2: receive(.timerFired)
        case 3: call(.acknowledge(done: Array(1...UInt64(first)), failed: []), as: Self.phone)
        case 4: call(.takeStage, as: Self.mirror)
        case 5: apply(document, as: Self.mirror)
        default: apply(document, as: Self.phone)
        }
    }

    private mutating func apply(_ document: JSONDocument?, as caller: Caller) {
        guard let document else { return }
        call(.apply(SessionCall.Application(event: document)), as: caller)
    }

    private mutating func call(_ call: SessionCall, as caller: Caller) {
        receive(.call(call, from: caller, command: 1))
    }

    private mutating func receive(_ input: SessionInput) {
        perform(session.receive(input, at: now))
    }

    private mutating func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .commit(let commit): receive(.committed(through: commit.sequence))
            case .publish(let publication): fold(publication)
            case .reply, .admit, .admitStage, .dismiss, .push, .revokeStage, .disconnect,
                .presence, .dissolve, .setTimer, .snapshot:
                break
            }
        }
    }

    private mutating func fold(_ publication: Publication) {
        guard publication.offset != nil else { return }
        guard let document = try? JSONParser.parse(publication.data.span),
            document.defects.isEmpty, let patch = document.root["patch"]
        else { preconditionFailure("a publication is not clean JSON") }
        mirrored = MergePatch.apply(patch, to: mirrored)
    }

    func check() {
        precondition(mirrored == session.stored.viewing.state.json, "the fold is another state")
    }
}
