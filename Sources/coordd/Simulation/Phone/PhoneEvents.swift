package import Coordinator

/// The JSON that a phone sends, whatever vendor's page it shows (contract: domain, section 3).
package enum PhoneEvents {
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

    /// What the web view's navigation did.
    package static func navigation(_ phase: String, url: String? = nil) -> JSON {
        var event = JSONObject()
        event.append("type", "device.navigation")
        event.append("phase", .string(phase))
        event.append("url", ifPresent: url.map { .string($0) })
        return .object(event)
    }

    /// What the small window did.
    package static func smallWindow(_ phase: String, error: String? = nil) -> JSON {
        var event = JSONObject()
        event.append("type", "device.pip")
        event.append("phase", .string(phase))
        event.append("error", ifPresent: error.map { .string($0) })
        return .object(event)
    }

    /// A message of the page.
    package static func bridge(_ message: PageMessage, page: UInt64) -> JSON {
        [
            "type": "bridge", "handler": .string(message.handler), "body": message.body,
            "page": .integer(page),
        ]
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

    /// The size of the screen in points.
    package static func screen(_ side: PhoneSide) -> JSON {
        side == .portrait ? ["width": 390, "height": 844] : ["width": 844, "height": 390]
    }

    /// What of the screen is not safe to draw on, in points.
    package static func safeArea(_ side: PhoneSide) -> JSON {
        side == .portrait
            ? ["top": 47, "left": 0, "bottom": 34, "right": 0]
            : ["top": 0, "left": 47, "bottom": 21, "right": 47]
    }
}
