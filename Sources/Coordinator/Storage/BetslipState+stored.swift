extension BetslipState.Status: Storable {}
extension PlacementOutcome: Storable {}

extension BetslipState: Storable {
    /// The totals are not kept but computed; stored ones must agree with the slip.
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        visible = try fields.required("visible")
        status = try fields.required("status")
        revision = try fields.required("revision")
        selections = try fields.required("selections")
        stake = try fields.optional("stake")
        addUp()
        frame = try fields.optional("frame")
        placement = try fields.optional("placement")
        guard fields.take("totals") == totals?.json else {
            throw StorageFault("not what the prices and the stake add up to", at: ["totals"])
        }
        try fields.end()
    }
}

extension BetslipState.Frame: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        top = try fields.required("top")
        left = try fields.required("left")
        width = try fields.required("width")
        height = try fields.required("height")
        try fields.end()
    }
}

extension Selection: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        sportsbookFixtureId = try fields.optional("sportsbookFixtureId")
        sportsbookSelectionId = try fields.optional("sportsbookSelectionId")
        sportsbookMarketId = try fields.optional("sportsbookMarketId")
        sportsbookMarketContext = try fields.optional("sportsbookMarketContext")
        marketId = try fields.optional("marketId")
        decimalPrice = try fields.optional("decimalPrice")
        previousPrice = try fields.optional("previousPrice")
        try fields.end()
    }
}

extension PlacementState: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        id = try fields.required("id")
        outcome = try fields.optional("outcome")
        reason = try fields.optional("reason")
        stake = try fields.optional("stake")
        by = try fields.optional("by")
        try fields.end()
    }
}
