import Coordinator

/// Events that changed no part of the state: signals, and those that only ask the phone for something.
extension ExplanationTable {
    static let events: [ExplanationRow] = [
        .init(
            "page", "a message that nobody knows, passed on", "", by: "bridge",
            warning: "bridge.unhandled"),
        .init(
            "page", "a message of an older page, dropped", "", by: "bridge",
            warning: "bridge.stalePage"),
        .init(
            "page", "a message without form, passed on", "", by: "bridge",
            warning: "bridge.malformed"),
        .init(
            "slip", "no change while a placement is open", "", by: "bridge",
            warning: "betslip.busy"),
        .init(
            "page", "{message}: asks the phone for something or is passed on", "",
            by: "bridge"),

        .init("keyboard", "{height} points high, passed on", "", by: "device.keyboard"),
        .init("lifecycle", "the app is {phase}", "", by: "device.lifecycle"),
        .init(
            "navigation", "a link that is no address", "", by: "device.navigation",
            warning: "navigation.invalid"),
        .init(
            "navigation", "a link that nobody follows, passed on", "", by: "device.navigation",
            warning: "navigation.unhandled"),
        .init("navigation", "{phase}: the page or the phone is told", "", by: "device.navigation"),
        .init(
            "picture-in-picture", "restored -> the player is shown again", "", by: "device.pip",
            member: ("phase", "restore")),
        .init("picture-in-picture", "{phase}: the phone is told", "", by: "device.pip"),
        .init("closing", "the player's view is gone", "", by: "device.disappeared"),
        .init("full screen", "swiped away on the phone", "", by: "device.dismissed"),
        .init("facts", "the phone is told what follows from them", "", by: "device."),

        .init("loading", "the same page, nothing to do", "", by: "player.load"),
        .init("closing", "the phone is told", "", by: "player.close"),
        .init("sources", "the phone is told", "", by: "player."),
        .init("full screen", "the phone is told", "", by: "fullscreen."),
        .init("picture-in-picture", "the phone is told", "", by: "pip."),
        .init("placement", "the phone is told", "", by: "betslip.place", "betslip.settle"),
        .init("slip", "the phone is told", "", by: "betslip."),
        .init("widget", "the page is told", "", by: "widget.update"),
        .init("theme", "the page is told", "", by: "theme.set"),
        .init("locale", "the page is told", "", by: "locale.set"),
        .init("login", "the page comes anew", "", by: "login.complete"),

        .init("stage", "the phone is asked for its facts", "", by: "stage.attached"),
        .init("stage", "nothing else changes", "", by: "stage."),
        .init("toast", "its time is over", "", by: "toast.expired"),
        .init("placement", "no word of the book in time", "", by: "placement.expired"),
        .init(
            "rotation", "refused, asked once more", "", by: "effect.failed",
            member: ("failed.0.kind", "requestOrientation")),
        .init("effects", "{failed.0.kind} failed: {failed.0.code}", "", by: "effect.failed"),
        .init("effects", "carried out", "", by: "effect.done"),
        .init("event", "passed on", ""),
    ]
}
