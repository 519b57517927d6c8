import Coordinator

/// Which rule did what, row by row; the first row that matches counts.
package enum ExplanationTable {
    /// The rows by the part of the state they tell of; those of the empty path are for what changed
    /// nothing.
    package static let rows = Dictionary(
        grouping: player + presentation + orientation + pictureInPicture + betslip + whole + events,
        by: \.path)

    /// Parts of the state that have parts of their own, but are explained as a whole.
    package static let wholeSections: Set = ["vendor", "keepAwake", "toast", "stage"]

    /// Events of the session itself (contract: domain, section 3).
    package static let systemEvents = [
        "stage.attached", "stage.detached", "stage.vacated", "stage.taken", "toast.expired",
        "placement.expired", "effect.failed", "effect.done",
    ]

    private static let whole: [ExplanationRow] = [
        .init("vendor", "the player is {value}'s", "vendor"),

        .init("keep-awake", "player ready, stage connected", "keepAwake", true),
        .init("keep-awake", "off in the background", "keepAwake", false, by: "device.lifecycle"),
        .init("keep-awake", "off without a stage", "keepAwake", false, by: "stage."),
        .init("keep-awake", "off, the player is not ready", "keepAwake", false),
        .init("keep-awake", "{value}", "keepAwake"),

        .init("toast", "its time is over", "toast", .null),
        .init("toast", "{toast.kind} is shown for a moment", "toast"),

        .init(
            "stage", "{device} is connected", "stage",
            by: "stage.attached"),
        .init("stage", "the phone is away, its grace begins", "stage", by: "stage.detached"),
        .init("stage", "the grace is over, the stage is free", "stage", by: "stage.vacated"),
        .init("take-over", "the stage goes to {stage.device}", "stage", by: "stage.taken"),
        .init("stage", "another holder", "stage"),
    ]
}
