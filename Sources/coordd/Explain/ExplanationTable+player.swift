import Coordinator

/// The player and its page (contract: domain, sections 4.6 and 5).
extension ExplanationTable {
    static let player: [ExplanationRow] = [
        .init(
            "loading", "the web process died -> the page anew", "player.phase", "loading",
            by: "device.navigation", member: ("phase", "terminated")),
        .init(
            "loading", "a link opens in its place", "player.phase", "loading",
            by: "device.navigation"),
        .init(
            "loading", "the new phone loads the page", "player.phase", "loading",
            by: "stage.attached"),
        .init(
            "loading", "logged in -> the page anew", "player.phase", "loading",
            by: "login.complete"),
        .init(
            "loading", "another source -> another page", "player.phase", "loading",
            by: "player.source"),
        .init("loading", "a new page", "player.phase", "loading"),
        .init(
            "ready", "the navigation has finished", "player.phase", "ready",
            by: "device.navigation"),
        .init("ready", "the page said {message}", "player.phase", "ready", by: "bridge"),
        .init("ready", "the page is up", "player.phase", "ready"),
        .init("failure", "the page did not come", "player.phase", "failed"),
        .init(
            "closing", "the page asked for it: {message}", "player.phase", "closed",
            by: "bridge"),
        .init(
            "closing", "the player's view is gone", "player.phase", "closed",
            by: "device.disappeared"),
        .init(
            "closing", "the small window was closed", "player.phase", "closed",
            by: "device.pip"),
        .init("closing", "the player is closed", "player.phase", "closed"),
        .init("take-over", "the new phone does not know the page", "player.phase", "idle"),
        .init("player", "now {value}", "player.phase"),

        .init("loading", "page {value}", "player.page"),
        .init("loading", "other content", "player.content"),
        .init("navigation", "the page is elsewhere now", "player.url", by: "device.navigation"),
        .init("loading", "the page's address", "player.url"),
        .init("loading", "the address that the page counts as coming from", "player.baseURL"),
        .init("failure", "is over", "player.error", .null),
        .init("failure", "{player.error.code}", "player.error"),
        .init("height", "unknown for a new page", "player.height", .null),
        .init("height", "the page is {value} points high", "player.height"),
        .init("locale", "{value}", "player.locale"),
        .init("theme", "{value}", "player.theme"),
        .init("sources", "{count} to choose from", "player.sources"),
        .init("sources", "{value} is chosen", "player.source"),
        .init("login", "no longer required", "player.login", .null),
        .init("login", "the page requires it", "player.login"),
    ]
}
