extension PlayerCommand {
    /// Decodes an event of a kind `player.<name>`; nil for another kind.
    init?(_ kind: EventKind, _ fields: EventFields, policy: Policy) throws(Rejection) {
        switch kind {
        case .playerLoad:
            let vendor = try fields.required("vendor", fields.vendor("vendor", of: policy))
            let given = try fields.required("content", fields.nested("content"))
            let content = given.members
            let size = given.object.byteCount
            guard size <= policy.contentBytes else {
                throw .invalid(
                    "event.content", "has \(size) bytes, more than \(policy.contentBytes)")
            }
            var options = LoadOptions()
            if let given = try fields.nested("options") {
                options.autoRotate = try given.bool("autoRotate")
                options.closeOnPipClose = try given.bool("closeOnPipClose")
                options.others = try given.others(
                    ["autoRotate", "closeOnPipClose"], limit: policy.contentBytes)
            }
            self = .load(vendor: vendor, content: content, options: options)
        case .playerClose: self = .close
        case .playerSources:
            var sources: [PlayerState.Source] = []
            for source in try fields.required("sources", fields.objects("sources")) {
                sources.append(
                    PlayerState.Source(
                        id: try source.required("id", source.bounded("id")),
                        name: try source.required("name", source.text("name"))))
            }
            self = .sources(sources)
        case .playerSource: self = .source(id: try fields.required("id", fields.bounded("id")))
        default: return nil
        }
    }
}

extension BetslipCommand {
    /// Characters of a placement id (contract: domain, section 3.2).
    private static let placementCharacters = 1...128

    init?(_ kind: EventKind, _ fields: EventFields) throws(Rejection) {
        switch kind {
        case .betslipOpen:
            let selection = try Selection(fields)
            if selection == nil, fields.object["decimalPrice"] != nil {
                throw .invalid("event.decimalPrice", "needs the key fields of its selection")
            }
            self = .open(selection, stake: try fields.amount("stake"))
        case .betslipAdd: self = .add(try Self.selection(fields))
        case .betslipRemove: self = .remove(try Self.selection(fields))
        case .betslipUpdate:
            let selection = try Selection(fields)
            let stake = try fields.amount("stake")
            if let selection, selection.decimalPrice == nil {
                throw .invalid("event.decimalPrice", "is missing")
            }
            if selection == nil, fields.object["decimalPrice"] != nil {
                throw .invalid("event.decimalPrice", "needs the key fields of its selection")
            }
            guard selection != nil || stake != nil else {
                throw .invalid("event.stake", "is missing, and so is a selection")
            }
            self = .update(selection, stake: stake)
        case .betslipClose: self = .close
        case .betslipCancel: self = .cancel
        case .betslipPlace:
            self = .place(
                Place(
                    placementId: try Self.placementId(fields),
                    ifSlip: try fields.unsigned("ifSlip"),
                    decimalPrice: try Self.totalPrice(fields),
                    stake: try fields.amount("stake")))
        case .betslipSettle:
            self = .settle(
                Settle(
                    placementId: try Self.placementId(fields),
                    outcome: try fields.required(
                        "outcome", fields.choice("outcome", PlacementOutcome.self)),
                    reason: try fields.text("reason"), stake: try fields.amount("stake")))
        default: return nil
        }
    }

    private static func selection(_ fields: EventFields) throws(Rejection) -> Selection {
        guard let selection = try Selection(fields) else {
            throw .invalid(
                "event.sportsbookSelectionId",
                "is missing, and so are sportsbookFixtureId, sportsbookMarketId and "
                    + "sportsbookMarketContext")
        }
        return selection
    }

    /// The total price that the viewer saw, which rounding may have made 1.00.
    private static func totalPrice(_ fields: EventFields) throws(Rejection) -> Amount? {
        guard let price = try fields.amount("decimalPrice") else { return nil }
        guard !price.isBelowOne else {
            throw .invalid("event.decimalPrice", "must not be less than 1")
        }
        return price
    }

    private static func placementId(_ fields: EventFields) throws(Rejection) -> String {
        let id = try fields.required("placementId", fields.bounded("placementId"))
        guard placementCharacters.contains(id.unicodeScalars.count) else {
            throw .invalid("event.placementId", "must have 1–128 characters")
        }
        return id
    }
}

extension Selection {
    /// Reads the fields of a selection; nil when no field of its key is there.
    init?(_ fields: EventFields) throws(Rejection) {
        self.init()
        sportsbookFixtureId = try fields.bounded("sportsbookFixtureId")
        sportsbookSelectionId = try fields.bounded("sportsbookSelectionId")
        sportsbookMarketId = try fields.bounded("sportsbookMarketId")
        sportsbookMarketContext = try fields.bounded("sportsbookMarketContext")
        marketId = try fields.bounded("marketId")
        decimalPrice = try fields.price("decimalPrice")
        guard hasKey else { return nil }
    }

    /// Whether any field of the key is there.
    var hasKey: Bool {
        sportsbookFixtureId != nil || sportsbookSelectionId != nil || sportsbookMarketId != nil
            || sportsbookMarketContext != nil
    }
}
