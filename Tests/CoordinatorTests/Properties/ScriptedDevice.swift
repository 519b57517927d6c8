import Coordinator

/// A device that sends random events, each with a tag that tells its place.
struct ScriptedDevice {
    let name: String
    /// Whether it waits for each answer and sends again under the same id what got none.
    let isPatient: Bool
    private var events: RandomEvents
    /// How many of a hundred events are about the bet.
    private let bets: Int

    private var connection: UInt64?
    private var isStage = false
    private var tag: UInt64 = 0
    /// The event that waits for its answer.
    private var open: (text: String, tag: UInt64, command: UInt32)?
    private var attaching: UInt32?

    init(_ name: String, seed: UInt64, isPatient: Bool, bets: Int) {
        self.name = name
        self.isPatient = isPatient
        self.bets = bets
        events = RandomEvents(seed: seed)
    }

    private func caller(_ connection: UInt64) -> Caller {
        Caller(
            connection: connection, client: "c\(connection)", device: name,
            role: isStage ? .player : .mirror)
    }

    /// Its connection is gone without a word.
    mutating func disconnected() {
        connection = nil
        isStage = false
        attaching = nil
    }

    /// Does the next thing; `connections` counts those of all devices.
    mutating func step(_ host: inout SessionHost, connections: inout UInt64) throws {
        if let present = connection, host.refused.contains(present) {
            host.lose(present)
            disconnected()
        }
        if connection == nil {
            connections += 1
            connection = connections
        }
        guard let connection else { return }
        noteAttached(host)
        switch events.number(0..<100) {
        case 0..<2:
            host.lose(connection)
            disconnected()
        case 2..<16: if !isStage { try attach(&host, connection) }
        case 16: _ = host.call(.takeStage, from: caller(connection))
        case 17..<30: if isStage { acknowledge(&host, connection) }
        case 30: if events.chance(25) { _ = host.call(.close, from: caller(connection)) }
        case 31: _ = host.call(.state, from: caller(connection))
        default: try apply(&host, connection)
        }
    }

    private mutating func noteAttached(_ host: SessionHost) {
        guard let command = attaching, let reply = host.replies[command] else { return }
        if case .subscribe = reply { isStage = true }
        attaching = nil
    }

    private mutating func attach(_ host: inout SessionHost, _ connection: UInt64) throws {
        let facts = try events.report().map { try JSONParser.parse(text: $0) }
        attaching = host.call(.attachStage(facts: facts), from: caller(connection))
    }

    private mutating func acknowledge(_ host: inout SessionHost, _ connection: UInt64) {
        var done: [UInt64] = []
        var failed: [EffectFailure] = []
        for seq in host.delivered[connection] ?? [] where events.chance(60) {
            if events.chance(20) {
                failed.append(EffectFailure(seq: seq, code: "busy", message: "not now"))
            } else {
                done.append(seq)
            }
        }
        _ = host.call(.acknowledge(done: done, failed: failed), from: caller(connection))
    }

    private mutating func apply(_ host: inout SessionHost, _ connection: UInt64) throws {
        if isPatient, let waiting = open, isUnanswered(waiting.command, in: host) {
            // An answer may still come, or never.
            guard events.chance(30) else { return }
            return try send(waiting.text, waiting.tag, &host, connection)
        }
        tag += 1
        let text =
            events.chance(bets)
            ? events.betslip(in: host.state)
            // Facts and messages are the stage's.
            : isStage || events.chance(10)
                ? events.event(in: host.state) : events.wish()
        try send(text, tag, &host, connection)
    }

    private func isUnanswered(_ command: UInt32, in host: SessionHost) -> Bool {
        switch host.replies[command] {
        case nil: true
        case .error(let error): error.code == ReplyError.storageUnavailable("").code
        default: false
        }
    }

    private mutating func send(
        _ text: String, _ tag: UInt64, _ host: inout SessionHost, _ connection: UInt64
    ) throws {
        let event = try JSONParser.parse(text: #"{"tag":\#(tag),"# + text.dropFirst())
        let command = host.call(
            .apply(
                SessionCall.Application(event: event, id: isPatient ? "\(name) \(tag)" : nil)),
            from: caller(connection))
        open = (text, tag, command)
    }
}
