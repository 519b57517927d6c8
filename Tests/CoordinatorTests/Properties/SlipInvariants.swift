import Coordinator

/// What holds of the slip and its placements after every transition (contract: domain, section 4.4).
enum SlipInvariants {
    static func check(_ moment: Moment, _ demand: Invariants.Demand) {
        let slip = moment.after.state.betslip
        let records = moment.after.memory.placements
        let shown = moment.after.state.json["betslip"]
        demand(
            shown?["totals"] == SchoolbookDecimal.totals(of: shown),
            "the totals are those of the selections")
        demand(slip.selections.count <= 50, "a slip has at most 50 selections")
        demand(slip.status != .empty || slip.selections.isEmpty, "an empty slip has no selections")
        for (index, one) in slip.selections.enumerated() {
            demand(
                !slip.selections.dropFirst(index + 1).contains { $0.hasSameKey(as: one) },
                "no two selections have the same key")
        }
        let open = records.filter { $0.state.outcome == nil }
        demand(open.count <= 1, "one placement at most is under way")
        demand((slip.status == .placing) == !open.isEmpty, "placing means a placement is under way")
        if let open = open.first {
            demand(open.state == slip.placement, "the placement under way is the one shown")
            demand(open == records.last, "the placement under way is the newest")
        }
        if slip.status == .unknown {
            demand(slip.placement?.outcome == .unknown, "unknown means an unknown placement")
        }
        count(moment, demand)
        outcomes(moment, demand)
        for case .placeBet(let id, _) in moment.effects.map(\.order) {
            let was = moment.before.memory.placements.first { $0.state.id == id }
            demand(was?.offeredTo == nil, "a bet is offered once")
            let record = records.first { $0.state.id == id }
            demand(
                record?.offeredTo == moment.after.state.stage?.device,
                "the mark is there before the bet is offered")
            demand(record?.state.outcome == nil, "only a bet without an outcome is offered")
        }
    }

    /// The slip's revision counts what changes it.
    private static func count(_ moment: Moment, _ demand: Invariants.Demand) {
        let before = moment.before.state.betslip
        let after = moment.after.state.betslip
        let isChanged = before.selections != after.selections || before.stake != after.stake
        let isRejected =
            after.status == .rejected && after.placement != before.placement
        demand(
            after.revision == before.revision + (isChanged || isRejected ? 1 : 0),
            "the slip's revision counts its changes")
        let isBusy = before.status == .placing || before.status == .unknown
        demand(
            !isBusy || !isChanged || after.status == .placed,
            "a slip that is being placed does not change")
    }

    /// An outcome stays, but for `unknown`.
    private static func outcomes(_ moment: Moment, _ demand: Invariants.Demand) {
        for record in moment.before.memory.placements {
            guard let outcome = record.state.outcome, outcome != .unknown else { continue }
            let now = moment.after.memory.placements.first { $0.number == record.number }
            demand(now.map { $0.state == record.state } ?? true, "an outcome stays")
        }
    }
}
