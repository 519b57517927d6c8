package import Coordinator

/// One bet that a simulated page offers.
package struct SimulatedSelection: Sendable, Equatable {
    /// The book's fixture.
    package var fixture: String
    /// The book's market.
    package var market: String
    /// The book's name of the selection.
    package var selection: String
    /// The market's context.
    package var context: String
    /// The page's own market id.
    package var marketID: String
    /// Hundredths of the decimal price, above 100.
    package var priceCents: Int

    /// The price as vendors write it in text.
    package var priceText: String { Self.decimalText(cents: priceCents) }

    /// The members that name the selection in a command (contract: domain, section 4.4).
    package var key: JSONObject {
        JSONObject([
            .init(key: "sportsbookFixtureId", value: .string(fixture)),
            .init(key: "sportsbookSelectionId", value: .string(selection)),
            .init(key: "sportsbookMarketId", value: .string(market)),
            .init(key: "sportsbookMarketContext", value: .string(context)),
        ])
    }

    /// All members, the price as text or as a number.
    package func fields(priceAsNumber: Bool) -> JSONObject {
        var object = key
        object.append("marketId", .string(marketID))
        object.append(
            "decimalPrice",
            priceAsNumber ? .number(JSONNumber(text: priceText)) : .string(priceText))
        return object
    }

    /// A selection of a small football fixture, priced between 1.05 and 9.99.
    package static func random(fixture: Int, using random: inout SplitMix64) -> SimulatedSelection {
        let market = Int.random(in: 1...4, using: &random)
        let outcome = Int.random(in: 1...3, using: &random)
        return SimulatedSelection(
            fixture: "sr-\(fixture)", market: "m\(market)", selection: "m\(market)-s\(outcome)",
            context: market == 4 ? "half=1" : "full", marketID: "gs-\(market)",
            priceCents: Int.random(in: 105...999, using: &random))
    }

    /// Hundredths as plain digits with two places.
    package static func decimalText(cents: Int) -> String {
        let fraction = cents % 100
        return "\(cents / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
