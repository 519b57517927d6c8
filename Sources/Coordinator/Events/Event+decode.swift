extension Event {
    /// Decodes an event and checks all its fields.
    ///
    /// - Throws: 422 naming the field; the state is not looked at.
    package static func decode(
        _ document: JSONDocument, policy: Policy
    ) throws(Rejection) -> Event {
        try decodeToPublish(document, policy: policy).event
    }

    /// Decodes an event; gives it and, where its secrets were taken out for that, what is left.
    static func decodeToPublish(
        _ document: JSONDocument, policy: Policy
    ) throws(Rejection) -> (event: Event, publishable: JSON?) {
        if let defect = document.defects.first {
            throw .invalid(defect.location(from: "event") + ":", "\(defect.kind)")
        }
        guard let object = document.root.object else {
            throw .invalid("event", "must be an object, not \(document.root.kindName)")
        }
        var fields = EventFields(object: object, path: "event", textBytes: policy.textBytes)
        let type = try fields.required("type", fields.text("type"))
        var publishable: JSON?
        if !carriesSecrets.contains(type) {
            // Texts of these go into the state as they are, so they lose their secrets here.
            publishable = Redaction.publishable(document.root, policy: policy)
            fields.object = publishable?.object ?? object
        }
        for member in object.members where !(type == "bridge" && member.key == "body") {
            if let path = member.value.firstNumberOutOfRange {
                throw .invalid("event.\(member.key)\(path)", "is out of range")
            }
        }
        guard let event = try decode(type, fields, policy: policy) else {
            throw Rejection(
                code: 422, message: "event.unknownType: there is no event \(type.prefix(64))")
        }
        return (event, publishable)
    }

    /// Events that may need what the others must not show: the stage's page and its effects.
    private static let carriesSecrets: Set<String> = ["player.load", "login.complete", "bridge"]

    private static func decode(
        _ type: String, _ fields: EventFields, policy: Policy
    ) throws(Rejection) -> Event? {
        switch type {
        case "bridge":
            return .bridge(
                BridgeMessage(
                    handler: try fields.required("handler", fields.text("handler")),
                    body: try fields.required("body", fields.object["body"]),
                    page: try fields.unsigned("page")))
        case "widget.update":
            return .widgetUpdate(
                selector: try fields.text("selector") ?? "#sr-widget",
                props: try fields.required("props", fields.nested("props")).object)
        case "theme.set": return .setTheme(try fields.required("theme", fields.text("theme")))
        case "locale.set":
            return .setLocale(try fields.required("locale", fields.text("locale")))
        case "login.complete":
            _ = try fields.required("accessToken", fields.text("accessToken"))
            return .loginComplete
        case "fullscreen.set":
            return .fullscreen(.set(try fields.required("on", fields.bool("on"))))
        case "fullscreen.toggle": return .fullscreen(.toggle)
        case "pip.start": return .pip(.start)
        case "pip.stop": return .pip(.stop)
        case "pip.toggle": return .pip(.toggle)
        case "pip.button":
            return .pip(
                .button(visible: try fields.required("visible", fields.bool("visible"))))
        default: break
        }
        if type.hasPrefix("device.") {
            return try DeviceFact(type.dropFirst("device.".count), fields).map(Event.device)
        }
        if type.hasPrefix("player.") {
            return try PlayerCommand(type.dropFirst("player.".count), fields, policy: policy)
                .map(Event.player)
        }
        if type.hasPrefix("betslip.") {
            return try BetslipCommand(type.dropFirst("betslip.".count), fields)
                .map(Event.betslip)
        }
        return nil
    }
}

extension JSON {
    /// The path below this value of a number that no double can hold; nil when there is none.
    var firstNumberOutOfRange: String? {
        switch self {
        case .null, .bool, .string: return nil
        case .number(let number): return number.isInRange ? nil : ""
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let path = element.firstNumberOutOfRange { return "[\(index)]\(path)" }
            }
            return nil
        case .object(let object):
            for member in object.members {
                if let path = member.value.firstNumberOutOfRange { return ".\(member.key)\(path)" }
            }
            return nil
        }
    }
}
