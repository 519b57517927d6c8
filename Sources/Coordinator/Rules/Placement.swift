/// Placing a bet: intent durable, offered once, outcome (contract: domain, section 4.4).
extension Transition {
    mutating func place(
        _ wish: BetslipCommand.Place, by origin: Origin
    ) throws(Rejection) {
        forgetOldPlacements()
        if let known = memory.placements.first(where: {
            $0.state.id.hasSameBytes(as: wish.placementId)
        }) {
            return try repeatAnswer(known, wish)
        }
        try checkPlacable(wish)
        let slip = state.betslip
        let placement = PlacementState(id: wish.placementId, by: origin.device)
        memory.placements.append(
            PlacementRecord(
                number: (memory.placements.last?.number ?? 0) + 1, command: wish,
                slipRevision: slip.revision, state: placement, placedAt: now,
                deadline: now.advanced(bySeconds: policy.betslipDeadlineSeconds)))
        if memory.placements.count > policy.placementLimit { memory.placements.removeFirst() }
        state.betslip.placement = placement
        switch policy.betslipConfirm {
        case .host:
            state.betslip.status = .placing
            offerWaitingPlacement()
        case .auto:
            accept(wish.placementId, stake: nil, reason: nil)
        }
    }

    /// The same id again, from anyone: nothing is done again.
    private mutating func repeatAnswer(
        _ known: PlacementRecord, _ wish: BetslipCommand.Place
    ) throws(Rejection) {
        guard known.command == wish else {
            throw .conflict(
                "betslip.idReused", "\(wish.placementId) was placed with other fields before")
        }
        answer.append("duplicate", true)
        answer.append("placement", known.state.json)
    }

    /// The conditions of a new placement, in the contract's order.
    private func checkPlacable(_ wish: BetslipCommand.Place) throws(Rejection) {
        let slip = state.betslip
        if slip.status == .placing || slip.status == .unknown {
            throw .conflict(
                "betslip.busy", "the placement \(slip.placement?.id ?? "") has no outcome yet")
        }
        if let ifSlip = wish.ifSlip,
            let accepted = memory.placements.first(where: {
                $0.state.outcome == .accepted && $0.slipRevision == ifSlip
            })
        {
            throw .conflict(
                "betslip.alreadyPlaced",
                "revision \(ifSlip) of the slip was accepted as \(accepted.state.id)")
        }
        guard slip.status == .open || slip.status == .rejected else {
            throw .conflict("betslip.notOpen", "the slip is \(slip.status.rawValue)")
        }
        guard slip.selections.contains(where: { $0.decimalPrice != nil }) else {
            throw .conflict("betslip.empty", "no selection has a price")
        }
        if let ifSlip = wish.ifSlip, ifSlip != slip.revision {
            throw .conflict(
                "betslip.stale",
                "the slip is at revision \(slip.revision), the viewer saw \(ifSlip)")
        }
        if let price = wish.decimalPrice, price != slip.totals?.price {
            throw .conflict(
                "betslip.stale",
                "decimalPrice is \(slip.totals?.price.text ?? "none"), the viewer saw \(price.text)"
            )
        }
        if let stake = wish.stake, stake != slip.stake {
            throw .conflict(
                "betslip.stale",
                "stake is \(slip.stake?.text ?? "none"), the viewer saw \(stake.text)")
        }
    }

    private mutating func forgetOldPlacements() {
        let limit = now.advanced(bySeconds: -policy.placementSeconds)
        // One that nobody has settled holds the slip until somebody does.
        memory.placements.removeAll { record in
            switch record.state.outcome {
            case .accepted, .rejected: record.placedAt <= limit
            case .unknown, nil: false
            }
        }
    }

    /// Tells the connected stage to place the bet that waits; marked before it is written, so it is
    /// never told twice.
    mutating func offerWaitingPlacement() {
        guard state.betslip.status == .placing, let stage = state.stage, stage.connected,
            let last = memory.placements.indices.last,
            memory.placements[last].offeredTo == nil, now < memory.placements[last].deadline
        else { return }
        memory.placements[last].offeredTo = stage.device
        emitOnce(.placeBet(id: memory.placements[last].state.id, state.betslip))
    }

    /// What the book decided; who may say so was checked before.
    mutating func settle(_ verdict: BetslipCommand.Settle) throws(Rejection) {
        guard
            let index = memory.placements.firstIndex(where: {
                $0.state.id.hasSameBytes(as: verdict.placementId)
            })
        else {
            throw .conflict(
                "betslip.unknownPlacement", "\(verdict.placementId) was not placed here")
        }
        let record = memory.placements[index]
        if record.state.outcome == verdict.outcome { return }
        guard record.state.outcome == nil || record.state.outcome == .unknown else {
            throw .conflict(
                "betslip.settled",
                "\(verdict.placementId) is \(record.state.outcome?.rawValue ?? "") already")
        }
        guard record.slipRevision != nil else {
            // Placed in a session that was deleted since: this slip has nothing to do with it.
            memory.placements[index].state.outcome = verdict.outcome
            memory.placements[index].state.stake = verdict.stake
            memory.placements[index].state.reason = verdict.reason
            return
        }
        switch verdict.outcome {
        case .accepted:
            accept(verdict.placementId, stake: verdict.stake, reason: verdict.reason)
        case .rejected:
            conclude(verdict.placementId, .rejected, stake: nil, reason: verdict.reason)
            state.betslip.status = .rejected
            state.betslip.visible = true
            state.betslip.revision += 1
        case .unknown:
            conclude(verdict.placementId, .unknown, stake: nil, reason: verdict.reason)
            state.betslip.status = .unknown
        }
    }

    private mutating func accept(_ id: String, stake: Amount?, reason: String?) {
        let before = state.betslip.contents
        conclude(id, .accepted, stake: stake == before.stake ? nil : stake, reason: reason)
        state.betslip.status = .placed
        state.betslip.visible = false
        state.betslip.selections = []
        countChange(since: before)
        showToast("betPlaced")
    }

    private mutating func conclude(
        _ id: String, _ outcome: PlacementOutcome, stake: Amount?, reason: String?
    ) {
        guard let index = memory.placements.firstIndex(where: { $0.state.id.hasSameBytes(as: id) })
        else { return }
        memory.placements[index].state.outcome = outcome
        memory.placements[index].state.stake = stake
        memory.placements[index].state.reason = reason
        state.betslip.placement = memory.placements[index].state
    }

    mutating func expirePlacement() {
        guard let placement = memory.placements.last?.state else { return }
        conclude(placement.id, .unknown, stake: nil, reason: nil)
        state.betslip.status = .unknown
        published = ["type": "placement.expired", "placementId": .string(placement.id)]
    }
}
