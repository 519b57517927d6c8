extension Event {
    /// Decodes an event and checks all its fields.
    ///
    /// - Throws: 422 naming the field; the state is not looked at.
    package static func decode(
        _ document: JSONDocument, policy: Policy
    ) throws(Rejection) -> Event {
        try decodeToPublish(document, policy: policy).event
    }

    /// Decodes an event; gives it and what others may see of it.
    static func decodeToPublish(
        _ document: JSONDocument, policy: Policy
    ) throws(Rejection) -> (event: Event, publishable: JSONDocument) {
        if document.hasDefects, let defect = document.defects.first {
            throw .invalid(defect.location(from: "event") + ":", "\(defect.kind)")
        }
        guard document.kind == .object else {
            throw .invalid("event", "must be an object, not \(document.kindName)")
        }
        var fields = EventFields(object: document, path: "event", textBytes: policy.textBytes)
        let type = try fields.required("type", fields.text("type"))
        let kind = EventKind(named: type)
        let publishable = Redaction.publishable(document, policy: policy)
        // Texts of most go into the state as they are, so they lose their secrets here.
        if !kind.carriesSecrets { fields.object = publishable }
        for member in document.members where !(kind == .bridge && member.isNamed("body")) {
            if let path = member.value.firstNumberOutOfRange {
                throw .invalid("event.\(member.key)\(path)", "is out of range")
            }
        }
        guard let event = try decode(kind, fields, policy: policy) else {
            throw Rejection(
                code: 422, message: "event.unknownType: there is no event \(type.prefix(64))")
        }
        return (event, publishable)
    }

    private static func decode(
        _ kind: EventKind, _ fields: EventFields, policy: Policy
    ) throws(Rejection) -> Event? {
        switch kind {
        case .bridge:
            .bridge(
                BridgeMessage(
                    handler: try fields.required("handler", fields.text("handler")),
                    body: try fields.required("body", fields.object["body"]).root,
                    page: try fields.unsigned("page")))
        case .deviceCapabilities, .deviceOrientation, .deviceInterface, .deviceScreen,
            .deviceSafeArea, .deviceTab, .deviceKeyboard, .deviceLifecycle, .devicePip,
            .deviceNavigation, .deviceDismissed, .deviceDisappeared, .deviceReport:
            try DeviceFact(kind, fields).map(Event.device)
        case .playerLoad, .playerClose, .playerSources, .playerSource:
            try PlayerCommand(kind, fields, policy: policy).map(Event.player)
        case .fullscreenSet: .fullscreen(.set(try fields.required("on", fields.bool("on"))))
        case .fullscreenToggle: .fullscreen(.toggle)
        case .pipStart: .pip(.start)
        case .pipStop: .pip(.stop)
        case .pipToggle: .pip(.toggle)
        case .pipButton:
            .pip(.button(visible: try fields.required("visible", fields.bool("visible"))))
        case .betslipOpen, .betslipAdd, .betslipRemove, .betslipUpdate, .betslipClose,
            .betslipCancel, .betslipPlace, .betslipSettle:
            try BetslipCommand(kind, fields).map(Event.betslip)
        case .widgetUpdate:
            .widgetUpdate(
                selector: try fields.text("selector") ?? "#sr-widget",
                props: try fields.required("props", fields.nested("props")).members)
        case .themeSet: .setTheme(try fields.required("theme", fields.text("theme")))
        case .localeSet: .setLocale(try fields.required("locale", fields.text("locale")))
        case .loginComplete: try loginComplete(fields)
        case .other: nil
        }
    }

    private static func loginComplete(_ fields: EventFields) throws(Rejection) -> Event {
        let token = try fields.required("accessToken", fields.text("accessToken"))
        guard !token.isEmpty else { throw .invalid("event.accessToken", "is empty") }
        return .loginComplete(accessToken: Secret(token))
    }
}

extension EventKind {
    /// Whether events may need what the others must not show: the stage's page and its effects.
    fileprivate var carriesSecrets: Bool {
        self == .playerLoad || self == .loginComplete || self == .bridge
            || self == .deviceNavigation || self == .widgetUpdate
    }
}

extension JSONDocument {
    /// The path below this value of a number that no double can hold; nil when there is none.
    fileprivate var firstNumberOutOfRange: String? {
        // Mostly all are, and no path is to be found.
        tape.hasNumberOutOfRange(in: place) ? root.firstNumberOutOfRange : nil
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
