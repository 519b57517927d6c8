package import Coordinator

/// Genius Sports: live video with a betslip (contract: domain, section 5.1).
extension VendorScript {
    /// A viewer who bets.
    package static let genius = VendorScript(
        vendor: "genius",
        content: { fixture, canary in
            [
                "customerId": "coordd-simulation", "fixtureId": .string("\(10_460_000 + fixture)"),
                "playerWidth": "100vw", "playerHeight": "100vh", "environment": "UAT",
                "culture": "en-GB", "deviceId": .string("sim-\(fixture)"),
                "apiKey": .string("\(canary)-key"), "user": .string("\(canary)-user"),
                "password": .string("\(canary)-password"),
                "userEmail": .string("\(canary)@example.com"),
            ]
        },
        ready: [GeniusMessages.message("init")],
        marks: [
            ScriptMark("close", "player.close()"),
            ScriptMark(
                "fullscreen", #"classList.toggle("full-screen",on)"#, initially: "false",
                value: ScriptMark.between(",", ")"),
                expected: { "\($0["presentation"]?["mode"] == "fullscreen")" }),
        ],
        scenes: Scene.common + GeniusMessages.scenes + [
            .leaving(by: Scene.command("player.close"))
        ])
}

/// What a Genius page says.
package enum GeniusMessages {
    static let scenes: [Scene] = [
        Scene("page's full-screen button") { [toggle($0.one(of: true, false, nil))] },
        Scene("page's full-screen button tapped twice") { _ in [toggle(nil), toggle(nil)] },
        Scene("odds tapped, slip opens", weight: 2) { [open(&$0)] },
        Scene("selection added", weight: 2) { [add(&$0)] },
        Scene("odds move", weight: 2) { [odds(&$0)] },
        Scene("selection removed") { improvisation in
            guard !improvisation.slip.isEmpty else { return [open(&improvisation)] }
            let last = improvisation.slip.removeLast()
            return [multibet("removeFromBetslip", last.key)]
        },
        Scene("slip put away") { _ in [multibet("closeBetslip", JSONObject())] },
        Scene("place of the slip") { [container(&$0)] },
        Scene("stake typed", weight: 2) { [stake(&$0)] },
        Scene("bet placed", weight: 2) { [open(&$0), stake(&$0), .pause, $0.placement()] },
        Scene("odds move during a placement") { improvisation in
            var steps = [open(&improvisation), stake(&improvisation), .pause]
            let before = improvisation.slip
            steps.append(improvisation.placement())
            improvisation.slip = before
            steps += [odds(&improvisation), odds(&improvisation)]
            improvisation.slip = []
            return steps
        },
        Scene("message with bad fields") { _ in
            let frame = JSONObject([.init(key: "top", value: "high")])
            return [
                say("betslip-container-dimensions", frame),
                multibet("raiseBetslip", JSONObject()), say("news"),
            ]
        },
    ]

    /// A message of the page.
    package static func message(_ type: String, _ payload: JSONObject? = nil) -> PageMessage {
        var body = JSONObject()
        body.append("type", .string(type))
        body.append("payload", ifPresent: payload.map { .object($0) })
        return PageMessage("gsVideoPlayerBridge", .object(body))
    }

    private static func say(_ type: String, _ payload: JSONObject? = nil) -> PhoneStep {
        .message(message(type, payload))
    }

    private static func toggle(_ on: Bool?) -> PhoneStep {
        say(
            "toggleFullscreen",
            on.map { JSONObject([.init(key: "isFullscreen", value: .bool($0))]) })
    }

    private static func multibet(_ command: String?, _ fields: JSONObject) -> PhoneStep {
        var payload = fields
        payload.append("command", ifPresent: command.map { .string($0) })
        return say("multibet-event", payload)
    }

    private static func open(_ improvisation: inout Improvisation) -> PhoneStep {
        let selection = improvisation.selection()
        improvisation.slip = [selection]
        return multibet("openBetslip", selection.fields(priceAsNumber: true))
    }

    private static func add(_ improvisation: inout Improvisation) -> PhoneStep {
        guard !improvisation.slip.isEmpty, improvisation.slip.count < 6 else {
            return open(&improvisation)
        }
        let selection = improvisation.selection()
        improvisation.slip.append(selection)
        return multibet("addToBetslip", selection.fields(priceAsNumber: false))
    }

    /// The price of the last selection moves.
    private static func odds(_ improvisation: inout Improvisation) -> PhoneStep {
        guard let last = improvisation.slip.indices.last else { return open(&improvisation) }
        let moved = improvisation.slip[last].priceCents + improvisation.number(in: -20...20)
        improvisation.slip[last].priceCents = max(101, moved)
        let price = JSON.string(improvisation.slip[last].priceText)
        return multibet(nil, JSONObject([.init(key: "decimalPrice", value: price)]))
    }

    private static func stake(_ improvisation: inout Improvisation) -> PhoneStep {
        let cents = improvisation.number(in: 100...50_00)
        let stake = JSON.string(SimulatedSelection.decimalText(cents: cents))
        return .command(["type": "betslip.update", "stake": stake])
    }

    private static func container(_ improvisation: inout Improvisation) -> PhoneStep {
        let frame = [
            ("top", improvisation.tenths(in: 0...900)),
            ("left", improvisation.tenths(in: 0...900)),
            ("width", improvisation.tenths(in: 1000...3900)),
            ("height", improvisation.tenths(in: 1000...5000)),
        ]
        let members = frame.map { JSONObject.Member(key: $0.0, value: $0.1) }
        return say("betslip-container-dimensions", JSONObject(members))
    }
}
