package import Coordinator

/// The JSON that a phone with a Genius player sends (contract: domain, sections 3 and 5.1).
package enum PhoneEvents {
    /// The content of a session's player; its secrets hold `canary`, which nobody else may see.
    package static func load(fixture: Int, canary: String) -> JSON {
        [
            "type": "player.load", "vendor": "genius",
            "content": [
                "customerId": "coordd-simulation", "fixtureId": .string("\(10_460_000 + fixture)"),
                "playerWidth": "100vw", "playerHeight": "100vh", "environment": "UAT",
                "culture": "en-GB", "deviceId": .string("sim-\(fixture)"),
                "apiKey": .string("\(canary)-key"), "user": .string("\(canary)-user"),
                "password": .string("\(canary)-password"),
                "userEmail": .string("\(canary)@example.com"),
            ],
        ]
    }

    /// A full report of the phone's facts (contract: domain, section 3.1, `device.report`).
    package static func facts(side: PhoneSide, interface: PhoneSide, tab: String, lifecycle: String)
        -> JSON
    {
        [
            "orientation": .string(side.rawValue), "interface": .string(interface.interface),
            "screen": screen(interface), "safeArea": safeArea(interface), "tab": .string(tab),
            "lifecycle": .string(lifecycle), "pip": "inactive",
            "capabilities": ["pip": true, "idiom": "phone", "os": "iOS 26.0"],
        ]
    }

    /// How the phone is held, and with it the screen as the operating system reports it.
    package static func orientation(_ side: PhoneSide) -> JSON {
        [
            "type": "device.orientation", "orientation": .string(side.rawValue),
            "screen": screen(side), "safeArea": safeArea(side),
        ]
    }

    /// How the screen is drawn.
    package static func interface(_ side: PhoneSide) -> JSON {
        [
            "type": "device.interface", "orientation": .string(side.interface),
            "screen": screen(side), "safeArea": safeArea(side),
        ]
    }

    /// A message of the page.
    package static func bridge(_ type: String, payload: JSONObject? = nil, page: UInt64) -> JSON {
        var body = JSONObject()
        body.append("type", .string(type))
        body.append("payload", ifPresent: payload.map { .object($0) })
        return [
            "type": "bridge", "handler": "gsVideoPlayerBridge", "body": .object(body),
            "page": .integer(page),
        ]
    }

    /// A message of the page about the slip.
    package static func multibet(_ command: String?, _ fields: JSONObject, page: UInt64) -> JSON {
        var payload = fields
        payload.append("command", ifPresent: command.map { .string($0) })
        return bridge("multibet-event", payload: payload, page: page)
    }

    /// The viewer's placement; with conditions it names what `state` shows.
    package static func place(id: String, seen state: JSON?, withConditions: Bool) -> JSON {
        var event = JSONObject()
        event.append("type", "betslip.place")
        event.append("placementId", .string(id))
        if withConditions, let slip = state?["betslip"] {
            event.append("ifSlip", ifPresent: slip["revision"])
            event.append("decimalPrice", ifPresent: slip["totals"]?["price"])
            event.append("stake", ifPresent: slip["stake"])
        }
        return .object(event)
    }

    /// The book's verdict.
    package static func settle(id: String, outcome: String, reason: String? = nil) -> JSON {
        var event = JSONObject()
        event.append("type", "betslip.settle")
        event.append("placementId", .string(id))
        event.append("outcome", .string(outcome))
        event.append("reason", ifPresent: reason.map { .string($0) })
        return .object(event)
    }

    /// The events of one step, in order.
    package static func events(for step: PhoneStep, page: UInt64, seen state: JSON?) -> [JSON] {
        switch step {
        case .rotate(let sides): return sides.flatMap { [orientation($0), interface($0)] }
        case .pageFullscreen(let on):
            let payload = on.map { JSONObject([.init(key: "isFullscreen", value: .bool($0))]) }
            return [bridge("toggleFullscreen", payload: payload, page: page)]
        case .openBetslip(let selection):
            return [multibet("openBetslip", selection.fields(priceAsNumber: true), page: page)]
        case .addToBetslip(let selection):
            return [multibet("addToBetslip", selection.fields(priceAsNumber: false), page: page)]
        case .oddsMoved(let cents):
            let price = JSON.string(SimulatedSelection.decimalText(cents: cents))
            let fields = JSONObject([.init(key: "decimalPrice", value: price)])
            return [multibet(nil, fields, page: page)]
        case .removeFromBetslip(let selection):
            return [multibet("removeFromBetslip", selection.key, page: page)]
        case .closeBetslip: return [multibet("closeBetslip", JSONObject(), page: page)]
        case .container(let top, let left, let width, let height):
            let frame = [("top", top), ("left", left), ("width", width), ("height", height)]
            let members = frame.map { JSONObject.Member(key: $0.0, value: tenths($0.1)) }
            let payload = JSONObject(members)
            return [bridge("betslip-container-dimensions", payload: payload, page: page)]
        case .stake(let cents):
            let stake = JSON.string(SimulatedSelection.decimalText(cents: cents))
            return [["type": "betslip.update", "stake": stake]]
        case .place(let id, let withConditions):
            return [place(id: id, seen: state, withConditions: withConditions)]
        case .tab(let tab): return [["type": "device.tab", "tab": .string(tab)]]
        case .keyboard(let height):
            return [["type": "device.keyboard", "height": .integer(height)]]
        case .lifecycle(let phase):
            return [["type": "device.lifecycle", "phase": .string(phase)]]
        case .processDied: return [["type": "device.navigation", "phase": "terminated"]]
        }
    }

    private static func tenths(_ value: Int) -> JSON {
        value % 10 == 0
            ? .integer(value / 10) : .number(JSONNumber(text: "\(value / 10).\(value % 10)"))
    }

    private static func screen(_ side: PhoneSide) -> JSON {
        side == .portrait ? ["width": 390, "height": 844] : ["width": 844, "height": 390]
    }

    private static func safeArea(_ side: PhoneSide) -> JSON {
        side == .portrait
            ? ["top": 47, "left": 0, "bottom": 34, "right": 0]
            : ["top": 0, "left": 47, "bottom": 21, "right": 47]
    }
}
