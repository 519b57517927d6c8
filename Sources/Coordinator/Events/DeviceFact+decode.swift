extension DeviceFact {
    /// Decodes an event of a kind `device.<name>`; nil for another kind.
    init?(_ kind: EventKind, _ fields: EventFields) throws(Rejection) {
        switch kind {
        case .deviceCapabilities: self = .capabilities(pip: try Self.capabilities(fields))
        case .deviceOrientation:
            guard let orientation = try Self.orientation("orientation", fields) else {
                throw .invalid("\(fields.path).orientation", "is missing")
            }
            self = .orientation(orientation, try Self.geometry(fields))
        case .deviceInterface:
            self = .interface(
                try fields.required(
                    "orientation", fields.choice("orientation", InterfaceOrientation.self)),
                try Self.geometry(fields))
        case .deviceScreen:
            var geometry = try Self.geometry(fields)
            geometry.screen = try fields.required("screen", geometry.screen)
            geometry.safeArea = nil
            self = .geometry(geometry)
        case .deviceSafeArea:
            var geometry = try Self.geometry(fields)
            geometry.safeArea = try fields.required("safeArea", geometry.safeArea)
            geometry.screen = nil
            self = .geometry(geometry)
        case .deviceTab:
            self = .tab(try fields.required("tab", fields.choice("tab", Presentation.Tab.self)))
        case .deviceKeyboard:
            let height = try fields.required("height", fields.finite("height"))
            guard height >= 0 else { throw .invalid("event.height", "must not be negative") }
            self = .keyboard
        case .deviceLifecycle:
            self = .lifecycle(
                try fields.required("phase", fields.choice("phase", Lifecycle.self)))
        case .devicePip:
            self = .pip(
                try fields.required("phase", fields.choice("phase", PictureInPicture.self)),
                error: try fields.fault("error")?.message)
        case .deviceNavigation:
            self = .navigation(
                try fields.required("phase", fields.choice("phase", Navigation.self)),
                url: try fields.text("url"), error: try fields.fault("error"))
        case .deviceDismissed: self = .dismissed
        case .deviceDisappeared: self = .disappeared
        case .deviceReport:
            self = .report(
                try Facts(try fields.required("facts", fields.nested("facts"))))
        default: return nil
        }
    }

    fileprivate static func capabilities(_ fields: EventFields) throws(Rejection) -> Bool {
        enum Idiom: String { case phone, pad, tv, web }
        _ = try fields.choice("idiom", Idiom.self)
        _ = try fields.text("os")
        return try fields.required("pip", fields.bool("pip"))
    }

    /// An orientation that is not listed counts as unknown, one by number too.
    fileprivate static func orientation(
        _ key: String, _ fields: EventFields
    ) throws(Rejection) -> DeviceOrientation? {
        if fields.value(key)?.number != nil { return .unknown }
        return try fields.text(key).map { DeviceOrientation(rawValue: $0) ?? .unknown }
    }

    fileprivate static func geometry(_ fields: EventFields) throws(Rejection) -> Geometry {
        var geometry = Geometry()
        if let screen = try fields.nested("screen") {
            geometry.screen = OrientationState.Size(
                width: try positive("width", screen), height: try positive("height", screen))
        }
        if let insets = try fields.nested("safeArea") {
            geometry.safeArea = OrientationState.Insets(
                top: try inset("top", insets), left: try inset("left", insets),
                bottom: try inset("bottom", insets), right: try inset("right", insets))
        }
        if let screen = geometry.screen, let insets = geometry.safeArea {
            try insets.check(within: screen, path: "\(fields.path).safeArea")
        }
        return geometry
    }

    private static func positive(
        _ key: String, _ fields: EventFields
    ) throws(Rejection) -> Double {
        let length = try fields.required(key, fields.finite(key))
        guard length > 0 else { throw .invalid("\(fields.path).\(key)", "must be more than 0") }
        return length
    }

    private static func inset(_ key: String, _ fields: EventFields) throws(Rejection) -> Double {
        let length = try fields.required(key, fields.finite(key))
        guard length >= 0 else { throw .invalid("\(fields.path).\(key)", "must not be negative") }
        return length
    }
}

extension DeviceFact.Facts {
    /// Decodes a full report, each fact as in its own event.
    init(_ fields: EventFields) throws(Rejection) {
        enum Activity: String { case active, inactive }
        orientation = try DeviceFact.orientation("orientation", fields)
        interface = try fields.choice("interface", InterfaceOrientation.self)
        geometry = try DeviceFact.geometry(fields)
        tab = try fields.choice("tab", Presentation.Tab.self)
        lifecycle = try fields.choice("lifecycle", DeviceFact.Lifecycle.self)
        if let capabilities = try fields.nested("capabilities") {
            supportsPictureInPicture = try DeviceFact.capabilities(capabilities)
        }
        pipActive = try fields.choice("pip", Activity.self).map { $0 == .active }
    }

    /// Decodes the facts that a stage reports when it subscribes.
    ///
    /// - Throws: 422 naming the field.
    package init(_ facts: JSON?, policy: Policy) throws(Rejection) {
        self.init()
        guard let facts, !facts.isNull else { return }
        guard facts.object != nil else {
            throw .invalid("facts", "must be an object, not \(facts.kindName)")
        }
        if let path = facts.firstNumberOutOfRange {
            throw .invalid("facts\(path)", "is out of range")
        }
        self = try Self(
            EventFields(
                object: JSONDocument(root: facts), path: "facts", textBytes: policy.textBytes))
    }
}

extension OrientationState.Insets {
    /// Checks that they leave something of a screen.
    ///
    /// - Throws: 422 naming `path`.
    func check(within screen: OrientationState.Size, path: String) throws(Rejection) {
        guard left + right < screen.width else {
            throw .invalid(path, "leaves no width: left and right are \(screen.width) or more")
        }
        guard top + bottom < screen.height else {
            throw .invalid(path, "leaves no height: top and bottom are \(screen.height) or more")
        }
    }
}
