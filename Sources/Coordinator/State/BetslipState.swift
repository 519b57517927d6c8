/// The betslip (contract: domain, section 2, `betslip`).
package struct BetslipState: Sendable, Equatable {
    /// Where the slip is between empty and settled.
    package enum Status: String, Sendable {
        case empty, open, placing, placed, rejected, cancelled, unknown
    }

    /// Where the page wants the slip, in points.
    package struct Frame: Sendable, Equatable {
        package var top: Double
        package var left: Double
        package var width: Double
        package var height: Double

        var json: JSON {
            [
                "top": .length(top), "left": .length(left), "width": .length(width),
                "height": .length(height),
            ]
        }
    }

    /// Whether the slip is on the screen.
    package var visible = false
    /// Where the slip is between empty and settled.
    package var status = Status.empty
    /// Counts changes of selections, prices and stake, and rejected placements.
    package var revision: UInt64 = 0
    /// What is on the slip, in the order it came.
    package var selections: [Selection] = [] {
        didSet { addUp() }
    }
    /// The stake; nil until given.
    package var stake: Amount? {
        didSet { addUp() }
    }
    /// Where the page wants the slip.
    package var frame: Frame?
    /// The newest placement.
    package var placement: PlacementState?

    /// What the slip adds up to; nil without a price, or when a number is over 18 digits.
    package private(set) var totals: Totals?

    /// What the slip's revision counts the changes of.
    struct Contents: Equatable {
        var selections: [Selection]
        var stake: Amount?
    }

    /// What is on the slip.
    var contents: Contents { Contents(selections: selections, stake: stake) }

    /// Computes the totals anew, which follow from selections and stake.
    mutating func addUp() {
        totals = nil
        guard selections.contains(where: { $0.decimalPrice != nil }) else { return }
        let product = AmountProduct(selections.lazy.compactMap(\.decimalPrice))
        guard let price = product.rounded() else { return }
        guard let stake else { return totals = Totals(price: price, payout: nil) }
        totals = product.times(stake).rounded().map { Totals(price: price, payout: $0) }
    }

    /// The product of the prices and what it pays, each rounded half to even to 2 places.
    package struct Totals: Sendable, Equatable {
        /// The product of all prices.
        package var price: Amount
        /// The unrounded product times the stake; nil without a stake.
        package var payout: Amount?

        var json: JSON {
            var object = JSONObject()
            object.append("price", price.json)
            object.append("return", ifPresent: payout?.json)
            return .object(object)
        }
    }

    var json: JSON {
        var object = JSONObject()
        object.append("visible", .bool(visible))
        object.append("status", .string(status.rawValue))
        object.append("revision", .integer(revision))
        object.append("selections", .array(selections.map(\.json)))
        object.append("stake", ifPresent: stake?.json)
        object.append("totals", ifPresent: totals?.json)
        object.append("frame", ifPresent: frame?.json)
        object.append("placement", ifPresent: placement?.json)
        return .object(object)
    }

    /// The merge patch from `old`, as the difference of both in JSON.
    func addChanges(since old: BetslipState, to patch: inout PatchText) {
        patch.value("visible", from: old.visible, to: visible) { $1.write(.bool($0)) }
        patch.value("status", from: old.status, to: status) { $1.string($0.rawValue) }
        patch.value("revision", from: old.revision, to: revision) { $1.integer($0) }
        let hasSelectionsOfOld = selections.span.isIdentical(to: old.selections.span)
        if !hasSelectionsOfOld {
            patch.json(
                "selections", from: .array(old.selections.map(\.json)),
                to: .array(selections.map(\.json)))
        }
        patch.text("stake", from: old.stake?.text, to: stake?.text)
        patch.object("totals", from: old.totals, to: totals, \.json) { old, new, patch in
            patch.text("price", from: old.price.text, to: new.price.text)
            patch.text("return", from: old.payout?.text, to: new.payout?.text)
        }
        patch.json("frame", from: old.frame?.json, to: frame?.json)
        patch.json("placement", from: old.placement?.json, to: placement?.json)
    }
}

/// One outcome that the viewer bets on (contract: domain, section 2, `selections`).
package struct Selection: Sendable, Equatable {
    /// The fixture, by the book's id; part of the key.
    package var sportsbookFixtureId: String?
    /// The outcome, by the book's id; part of the key.
    package var sportsbookSelectionId: String?
    /// The market, by the book's id; part of the key.
    package var sportsbookMarketId: String?
    /// What tells markets of one id apart; part of the key.
    package var sportsbookMarketContext: String?
    /// The market, by the vendor's id; no part of the key.
    package var marketId: String?
    /// The present price; nil while none is known.
    package var decimalPrice: Amount?
    /// The price before the last change.
    package var previousPrice: Amount?

    /// A selection of which nothing is known yet.
    package init() {}

    /// Whether both have the same key: fixture, market, context and selection (contract: domain,
    /// section 4.4); absent members are equal.
    package func hasSameKey(as other: Selection) -> Bool {
        sportsbookFixtureId == other.sportsbookFixtureId
            && sportsbookMarketId == other.sportsbookMarketId
            && sportsbookMarketContext == other.sportsbookMarketContext
            && sportsbookSelectionId == other.sportsbookSelectionId
    }

    /// The selection as the state and `placeBet` show it.
    package var json: JSON {
        var object = JSONObject()
        object.append("sportsbookFixtureId", ifPresent: sportsbookFixtureId.map { .string($0) })
        object.append(
            "sportsbookSelectionId", ifPresent: sportsbookSelectionId.map { .string($0) })
        object.append("sportsbookMarketId", ifPresent: sportsbookMarketId.map { .string($0) })
        object.append(
            "sportsbookMarketContext", ifPresent: sportsbookMarketContext.map { .string($0) })
        object.append("marketId", ifPresent: marketId.map { .string($0) })
        object.append("decimalPrice", ifPresent: decimalPrice?.json)
        object.append("previousPrice", ifPresent: previousPrice?.json)
        return .object(object)
    }
}

/// How a bet ended.
package enum PlacementOutcome: String, Sendable {
    case accepted, rejected, unknown
}

/// The newest placement as the state shows it (contract: domain, section 2, `placement`).
package struct PlacementState: Sendable, Equatable {
    /// The id that the placing client chose.
    package var id: String
    /// How it ended; nil while it is being placed.
    package var outcome: PlacementOutcome?
    /// Why, in the book's words.
    package var reason: String?
    /// The stake that the book took, where it changed it.
    package var stake: Amount?
    /// The device that placed it.
    package var by: String?

    /// The placement as the state and a repeated answer show it.
    package var json: JSON {
        var object = JSONObject()
        object.append("id", .string(id))
        object.append("outcome", ifPresent: outcome.map { .string($0.rawValue) })
        object.append("reason", ifPresent: reason.map { .string($0) })
        object.append("stake", ifPresent: stake?.json)
        object.append("by", ifPresent: by.map { .string($0) })
        return .object(object)
    }
}
