import Coordinator
import TestSupport
import Testing

/// A session whose commits count as durable as soon as they are asked for (durability `memory`) says the same,
/// in the same order, as one whose store settles each commit before anything else happens.
struct SettlingAtOnceTests {
    private static func session(settlesAtOnce: Bool) throws -> Session {
        Session(
            id: try #require(SessionID("a")), newEpoch: "abcdefgh",
            settings: SessionSettings(snapshots: nil, settlesAtOnce: settlesAtOnce))
    }

    private static func caller(_ connection: UInt64) -> Caller {
        Caller(
            connection: connection, client: "c\(connection)", device: "d\(connection)",
            role: .mirror)
    }

    private static func application(_ event: JSON, id: String? = nil) throws -> SessionCall {
        let text = JSONWriter.bytes(of: event)
        return .apply(
            SessionCall.Application(event: try JSONParser.parse(text.span), id: id))
    }

    /// What leaves the session: everything but the commits.
    private static func outputs(_ actions: [SessionAction]) -> [SessionAction] {
        actions.filter { if case .commit = $0 { false } else { true } }
    }

    private static func commits(_ actions: [SessionAction]) -> [UInt64] {
        actions.compactMap { if case .commit(let commit) = $0 { commit.sequence } else { nil } }
    }

    @Test func `a change is asked for, published and answered in one go`() throws {
        var session = try Self.session(settlesAtOnce: true)
        let now = Instant(milliseconds: 1_700_000_000_000)
        #expect(Self.commits(session.start(at: now)) == [1])
        #expect(session.isStored)
        #expect(!session.hasUnsettled)
        let actions = session.receive(
            .call(
                try Self.application(["type": "fullscreen.set", "on": true]),
                from: Self.caller(1), command: 7), at: now)
        let kinds = actions.compactMap { action in
            switch action {
            case .commit: "commit"
            case .publish: "publish"
            case .reply(connection: 1, command: 7, _): "reply"
            default: nil as String?
            }
        }
        #expect(kinds == ["commit", "publish", "reply"])
        #expect(!session.hasUnsettled)
        #expect(session.receive(.committed(through: 2), at: now).isEmpty)
    }

    @Test func `it says what a session says whose commits settle one by one`() throws {
        var now = Instant(milliseconds: 1_700_000_000_000)
        var atOnce = try Self.session(settlesAtOnce: true)
        var reported = try Self.session(settlesAtOnce: false)
        func settle(_ actions: [SessionAction]) -> [SessionAction] {
            var said = Self.outputs(actions)
            var due = Self.commits(actions)
            while let sequence = due.popLast() {
                let more = reported.receive(.committed(through: sequence), at: now)
                said += Self.outputs(more)
                due = Self.commits(more)
            }
            return said
        }
        #expect(Self.outputs(atOnce.start(at: now)) == settle(reported.start(at: now)))
        let calls: [SessionCall] = [
            .subscribe(SessionCall.Subscription()), .attachStage(facts: nil),
            try Self.application(["type": "fullscreen.set", "on": true], id: "x"),
            try Self.application(["type": "fullscreen.set", "on": true], id: "x"),
            try Self.application(["type": "betslip.update", "stake": "1.00"]),
            try Self.application(["type": "door.open"]), .state,
            .history(Command.History(channel: "session:a", limit: -1)),
            .acknowledge(done: [1], failed: []), .takeStage,
            .unsubscribe(try #require(SessionID("a")).channel), .close, .state,
        ]
        for (index, call) in calls.enumerated() {
            now = now.advanced(byMilliseconds: 100)
            let input = SessionInput.call(
                call, from: Self.caller(UInt64(1 + index % 3)), command: UInt32(index + 1))
            let expected = settle(reported.receive(input, at: now))
            let said = Self.outputs(atOnce.receive(input, at: now))
            #expect(Self.untimed(said) == Self.untimed(expected), "\(call)")
        }
        now = now.advanced(bySeconds: 60)
        let late = Self.outputs(atOnce.receive(.timerFired, at: now))
        #expect(Self.untimed(late) == Self.untimed(settle(reported.receive(.timerFired, at: now))))
    }

    /// Timers stand where each host was told of them; what is said is compared.
    private static func untimed(_ actions: [SessionAction]) -> [SessionAction] {
        actions.filter { if case .setTimer = $0 { false } else { true } }
    }
}

extension SessionID {
    fileprivate var channel: Channel { .session(self) }
}
