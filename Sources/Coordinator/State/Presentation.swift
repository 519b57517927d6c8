/// How the player is shown (contract: domain, section 2, `presentation`).
package struct Presentation: Sendable, Equatable {
    /// Where the picture is.
    package enum Mode: String, Sendable {
        case inline, fullscreen, pip
    }

    /// Which tab of the player's view is in front.
    package enum Tab: String, Sendable {
        case video, stats
    }

    /// Where the picture is.
    package var mode = Mode.inline
    /// Which tab is in front.
    package var tab = Tab.video

    var json: JSON {
        ["mode": .string(mode.rawValue), "tab": .string(tab.rawValue)]
    }
}

/// Picture-in-picture (contract: domain, section 2, `pip`).
package struct PictureInPictureState: Sendable, Equatable {
    /// Where the small window is in its life.
    package enum Phase: String, Sendable {
        case inactive, starting, active, stopping
    }

    /// Where the small window is in its life.
    package var phase = Phase.inactive
    /// Whether the device can do it; nil while unknown.
    package var supported: Bool?
    /// Whether the page shows its button; nil until told.
    package var button: Bool?
    /// Whether the page's overlay is hidden.
    package var overlayHidden = false
    /// Why the last start failed.
    package var error: String?

    var json: JSON {
        var object = JSONObject()
        object.append("phase", .string(phase.rawValue))
        object.append("supported", ifPresent: supported.map { .bool($0) })
        object.append("button", ifPresent: button.map { .bool($0) })
        object.append("overlayHidden", .bool(overlayHidden))
        object.append("error", ifPresent: error.map { .string($0) })
        return .object(object)
    }
}

/// A short notice on every screen (contract: domain, section 2, `toast`).
package struct Toast: Sendable, Equatable {
    /// What it says; `betPlaced` so far.
    package var kind: String
    /// When it disappears by itself.
    package var until: Instant

    var json: JSON {
        ["kind": .string(kind), "until": .integer(until.milliseconds)]
    }
}

/// The device whose web view is live (contract: domain, section 2, `stage`).
package struct StageState: Sendable, Equatable {
    /// The device's stable id.
    package var device: String
    /// Whether its connection is there.
    package var connected: Bool

    var json: JSON {
        ["device": .string(device), "connected": .bool(connected)]
    }
}
