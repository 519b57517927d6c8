import Coordinator

/// A viewer of a Genius player with a slip, as the session's machine sees it.
struct Viewer {
    var session: Session
    private let caller: Caller
    private var command: UInt32 = 0

    /// A viewer of a session that is new or was loaded.
    init(_ session: Session, number: UInt64) {
        self.session = session
        caller = Caller(
            connection: number, client: "c\(number)", device: "phone-\(number)", role: .player)
    }

    /// What makes the session of a viewer who has just begun to watch.
    static let opening: [SessionCall] = [
        .attachStage(
            facts: JSONDocument(root: [
                "orientation": "portrait", "interface": "portrait",
                "screen": ["width": 390, "height": 844],
                "safeArea": ["top": 47, "left": 0, "bottom": 34, "right": 0],
                "tab": "video", "lifecycle": "active", "pip": "inactive",
                "capabilities": ["pip": true, "idiom": "phone", "os": "iOS 26.0"],
            ])),
        apply([
            "type": "player.load", "vendor": "genius",
            "content": [
                "customerId": "1432", "fixtureId": "10460812", "playerWidth": "100vw",
                "playerHeight": "100vh", "environment": "UAT", "culture": "en-GB",
                "deviceId": "bench", "apiKey": "bench-key", "user": "bench-user",
                "password": "bench-password", "userEmail": "bench@example.com",
            ],
        ]),
        apply([
            "type": "betslip.open", "sportsbookFixtureId": "sr-10460812",
            "sportsbookMarketId": "m1", "sportsbookSelectionId": "m1-s1",
            "sportsbookMarketContext": "full", "marketId": "gs-1", "decimalPrice": "1.85",
        ]),
        apply([
            "type": "betslip.add", "sportsbookFixtureId": "sr-10460812",
            "sportsbookMarketId": "m2", "sportsbookSelectionId": "m2-s3",
            "sportsbookMarketContext": "full", "marketId": "gs-2", "decimalPrice": "3.40",
        ]),
    ]

    /// Another stake; every fourth one with an idempotency id.
    static func stake(_ number: Int) -> SessionCall {
        apply(
            [
                "type": "betslip.update",
                "stake": .string("\(number % 900 + 1).\(number % 90 + 10)"),
            ],
            id: number % 4 == 0 ? "stake-\(number)" : nil)
    }

    private static func apply(_ event: JSON, id: String? = nil) -> SessionCall {
        .apply(SessionCall.Application(event: JSONDocument(root: event), id: id))
    }

    /// Makes a call; gives what the machine wants done.
    mutating func call(_ call: SessionCall, at now: Instant) -> [SessionAction] {
        command += 1
        return session.receive(.call(call, from: caller, command: command), at: now)
    }

    /// A stored session as it is after some watching: state, slip, four ids, a window of twenty.
    static func template(_ number: UInt64, settings: SessionSettings, at start: Instant)
        -> StoredSession
    {
        guard let id = SessionID("template") else { preconditionFailure("a valid id") }
        var now = start
        var viewer = Viewer(
            Session(id: id, newEpoch: "template", settings: settings), number: number)
        var actions = viewer.session.start(at: now)
        func settle(_ viewer: inout Viewer) {
            while let last = actions.last(where: { $0.sequence != nil })?.sequence {
                actions = viewer.session.receive(.committed(through: last), at: now)
            }
        }
        settle(&viewer)
        for call in opening + (0..<16).map(stake) {
            now = now.advanced(byMilliseconds: 700)
            actions = viewer.call(call, at: now)
            settle(&viewer)
        }
        // The phone goes, and the stage is free when its grace is over.
        actions = viewer.session.receive(.connectionLost(viewer.caller.connection), at: now)
        settle(&viewer)
        actions = viewer.session.receive(.timerFired, at: now.advanced(bySeconds: 60))
        settle(&viewer)
        precondition(viewer.session.isQuiet, "a session that nobody watches is quiet")
        return viewer.session.stored
    }
}

extension SessionAction {
    /// The number of the commit that is asked for.
    var sequence: UInt64? {
        if case .commit(let commit) = self { commit.sequence } else { nil }
    }
}
