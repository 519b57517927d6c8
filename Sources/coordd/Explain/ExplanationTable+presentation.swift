import Coordinator

/// Full screen, rotation, notch and the small window (contract: domain, sections 4.1 to 4.3).
extension ExplanationTable {
    static let presentation: [ExplanationRow] = [
        .init(
            "roll-back", "rotation refused twice -> {mode}", "presentation.mode",
            warning: "orientation.rejected"),
        .init(
            "picture-in-picture", "the picture is in the small window", "presentation.mode",
            "pip"),
        .init(
            "picture-in-picture", "the picture is back -> {mode}", "presentation.mode",
            given: ("pip.phase", "inactive")),
        .init(
            "full screen", "swiped away on the phone", "presentation.mode",
            by: "device.dismissed"),
        .init("loading", "a new page begins {mode}", "presentation.mode", by: "player.load"),
        .init("full screen", "asked for -> {mode}", "presentation.mode", by: "fullscreen."),
        .init(
            "rotation", "page ready, sensor armed -> {mode}", "presentation.mode",
            given: ("player.phase", "ready")),
        .init("full screen", "the page's button -> {mode}", "presentation.mode", by: "bridge"),
        .init(
            "rotation", "held {held}, sensor armed -> {mode}", "presentation.mode",
            by: "device.orientation", "device.report", "stage.attached"),
        .init("full screen", "now {mode}", "presentation.mode"),

        .init("tab", "{value} in front", "presentation.tab"),
    ]

    static let orientation: [ExplanationRow] = [
        .init(
            "take-over", "what the other phone reported is forgotten", "orientation.device",
            by: "stage.taken"),
        .init("sensor", "held {value}", "orientation.device"),
        .init(
            "take-over", "what the other phone reported is forgotten", "orientation.interface",
            .null),
        .init("screen", "drawn {value}", "orientation.interface"),
        .init("sensor", "turned by hand", "orientation.source", "accelerometer"),
        .init("rotation", "turned on request", "orientation.source", "programmatic"),
        .init("take-over", "nobody has turned the screen", "orientation.source"),

        .init(
            "roll-back", "rotation refused twice", "orientation.requested", .null,
            warning: "orientation.rejected"),
        .init(
            "rotation", "drawn as asked", "orientation.requested", .null,
            by: "device.interface", "device.report", "stage.attached"),
        .init(
            "rotation", "carried out as asked", "orientation.requested", .null,
            by: "effect.done"),
        .init(
            "take-over", "an open request is void", "orientation.requested", .null,
            by: "stage."),
        .init("rotation", "nothing to ask for, drawn so already", "orientation.requested", .null),
        .init("rotation", "asked for {value}", "orientation.requested"),

        .init(
            "roll-back", "the sensor is as before", "orientation.armed",
            warning: "orientation.rejected"),
        .init(
            "take-over", "sensor armed for the new phone", "orientation.armed", true,
            by: "stage.taken"),
        .init("sensor", "armed, held as shown", "orientation.armed", true),
        .init("sensor", "disarmed until held as asked", "orientation.armed", false),
        .init("sensor", "armed is {value}", "orientation.armed"),

        .init("notch", "unknown", "orientation.notch", "none"),
        .init("notch", "the sensor housing is at the {value}", "orientation.notch"),
        .init(
            "take-over", "what the other phone reported is forgotten", "orientation.screen",
            .null),
        .init("screen", "another size", "orientation.screen"),
        .init(
            "take-over", "what the other phone reported is forgotten", "orientation.safeArea",
            .null),
        .init("screen", "another safe area", "orientation.safeArea"),
    ]

    static let pictureInPicture: [ExplanationRow] = [
        .init("picture-in-picture", "asked for", "pip.phase", "starting"),
        .init("picture-in-picture", "started", "pip.phase", "active"),
        .init(
            "picture-in-picture", "to stop, its page goes", "pip.phase", "stopping",
            by: "player.", "device.disappeared"),
        .init("picture-in-picture", "to stop", "pip.phase", "stopping"),
        .init("take-over", "picture-in-picture ends", "pip.phase", "inactive", by: "stage."),
        .init("picture-in-picture", "failed", "pip.phase", "inactive", by: "effect.failed"),
        .init(
            "picture-in-picture", "failed", "pip.phase", "inactive", by: "device.pip",
            member: ("phase", "failed")),
        .init(
            "picture-in-picture", "stopped", "pip.phase", "inactive", by: "device.",
            "effect.done"),
        .init("picture-in-picture", "the start is taken back", "pip.phase", "inactive"),
        .init("picture-in-picture", "now {value}", "pip.phase"),
        .init(
            "take-over", "unknown whether the phone has picture-in-picture", "pip.supported",
            .null),
        .init("picture-in-picture", "the phone has it: {value}", "pip.supported"),
        .init("picture-in-picture", "the page's button is shown: {value}", "pip.button"),
        .init(
            "picture-in-picture", "the page hides what lies over the picture",
            "pip.overlayHidden", true),
        .init(
            "picture-in-picture", "the page shows what lies over the picture",
            "pip.overlayHidden"),
        .init("picture-in-picture", "the last failure is over", "pip.error", .null),
        .init("picture-in-picture", "{value}", "pip.error"),
    ]
}
