import Coordinator

/// The betslip (contract: domain, section 4.4).
extension ExplanationTable {
    static let betslip: [ExplanationRow] = [
        .init(
            "placement", "the slip is put away", "betslip.visible", false,
            given: ("betslip.status", "placed")),
        .init(
            "loading", "a new page begins without the slip", "betslip.visible", false,
            by: "player.load"),
        .init("slip", "shown", "betslip.visible", true),
        .init("slip", "put away", "betslip.visible"),

        .init("slip", "empty", "betslip.status", "empty"),
        .init("slip", "open", "betslip.status", "open"),
        .init("slip", "cancelled, its contents stay", "betslip.status", "cancelled"),
        .init("placement", "offered to the book", "betslip.status", "placing"),
        .init("placement", "accepted", "betslip.status", "placed"),
        .init("placement", "rejected, the slip stays", "betslip.status", "rejected"),
        .init(
            "placement", "no word of the book in time", "betslip.status", "unknown",
            by: "placement.expired"),
        .init("placement", "its outcome is unknown", "betslip.status", "unknown"),
        .init("slip", "now {value}", "betslip.status"),

        .init("slip", "revision {value}", "betslip.revision"),
        .init(
            "placement", "the slip is emptied", "betslip.selections", [],
            given: ("betslip.status", "placed")),
        .init("slip", "price {prices}", "betslip.selections", movedPrices: true),
        .init("slip", "{count} on it", "betslip.selections"),
        .init("slip", "no stake", "betslip.stake", .null),
        .init("slip", "stake {value}", "betslip.stake"),
        .init("totals", "nothing to add up", "betslip.totals", .null),
        .init("totals", "follow from prices and stake", "betslip.totals"),
        .init("slip", "its place on the page", "betslip.frame"),
        .init(
            "placement", "{betslip.placement.id} is on its way", "betslip.placement",
            by: "betslip.place"),
        .init(
            "placement", "accepted", "betslip.placement", given: ("betslip.status", "placed")),
        .init("placement", "its outcome is {betslip.placement.outcome}", "betslip.placement"),
    ]
}
