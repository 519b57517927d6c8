/// The contents of the betslip (contract: domain, section 4.4).
extension Transition {
    mutating func betslip(
        _ command: BetslipCommand, from origin: Origin
    ) throws(Rejection) {
        switch command {
        case .open(let selection, let stake):
            if selection != nil || stake != nil { try checkNotPlacing() }
            try open(selection, stake: stake)
        case .add(let selection):
            try checkNotPlacing()
            try add(selection)
        case .remove(let selection):
            try checkNotPlacing()
            remove(selection)
        case .update(let selection, let stake):
            try checkNotPlacing()
            try update(selection, stake: stake)
        case .close: state.betslip.visible = false
        case .cancel:
            try checkNotPlacing()
            state.betslip.visible = false
            state.betslip.status = .cancelled
        case .place(let wish): try place(wish, by: origin)
        case .settle(let verdict): try settle(verdict)
        }
    }

    private var isPlacing: Bool {
        state.betslip.status == .placing || state.betslip.status == .unknown
    }

    private func checkNotPlacing() throws(Rejection) {
        guard !isPlacing else {
            throw .conflict(
                "betslip.busy",
                "the placement \(state.betslip.placement?.id ?? "") has no outcome yet")
        }
    }

    private mutating func open(_ selection: Selection?, stake: Amount?) throws(Rejection) {
        let before = state.betslip.contents
        if let selection, !change(selection) { state.betslip.selections = [selection] }
        if let stake { set(stake: stake) }
        state.betslip.visible = true
        reopen()
        countChange(since: before)
    }

    private mutating func add(_ selection: Selection) throws(Rejection) {
        let before = state.betslip.contents
        if !change(selection) {
            guard state.betslip.selections.count < policy.selectionLimit else {
                throw .conflict(
                    "betslip.full", "the slip has \(policy.selectionLimit) selections")
            }
            state.betslip.selections.append(selection)
        }
        reopen()
        countChange(since: before)
    }

    private mutating func remove(_ selection: Selection) {
        let before = state.betslip.contents
        state.betslip.selections.removeAll { $0.hasSameKey(as: selection) }
        if state.betslip.selections.isEmpty, !before.selections.isEmpty {
            state.betslip.status = .empty
        }
        countChange(since: before)
    }

    private mutating func update(_ selection: Selection?, stake: Amount?) throws(Rejection) {
        let before = state.betslip.contents
        if let selection, !change(selection) {
            throw .conflict(
                "betslip.unknownSelection", "no selection on the slip has this key")
        }
        if let stake { set(stake: stake) }
        reopenAfterUpdate()
        countChange(since: before)
    }

    /// Updates the selection of the same key; false when there is none.
    private mutating func change(_ selection: Selection) -> Bool {
        guard
            let index = state.betslip.selections.firstIndex(where: {
                $0.hasSameKey(as: selection)
            })
        else { return false }
        change(at: index, to: selection)
        return true
    }

    private mutating func change(at index: Int, to selection: Selection) {
        var present = state.betslip.selections[index]
        if let market = selection.marketId { present.marketId = market }
        if let price = selection.decimalPrice, price != present.decimalPrice {
            present.previousPrice = present.decimalPrice ?? present.previousPrice
            present.decimalPrice = price
        }
        state.betslip.selections[index] = present
    }

    /// An equal value is no change, so the digits that came first stay.
    private mutating func set(stake: Amount) {
        if state.betslip.stake != stake { state.betslip.stake = stake }
    }

    /// The status after something was added or opened.
    private mutating func reopen() {
        switch state.betslip.status {
        case .empty: if !state.betslip.selections.isEmpty { state.betslip.status = .open }
        case .placed, .rejected, .cancelled: state.betslip.status = .open
        case .open, .placing, .unknown: break
        }
    }

    private mutating func reopenAfterUpdate() {
        switch state.betslip.status {
        case .rejected, .cancelled: state.betslip.status = .open
        case .empty, .open, .placing, .placed, .unknown: break
        }
    }

    mutating func countChange(since before: BetslipState.Contents) {
        if state.betslip.contents != before { state.betslip.revision += 1 }
    }
}

// MARK: - The same from the vendor's page, where a bad field does not stop the good ones

extension Transition {
    /// Whether the contents may change; otherwise fields that would change them are skipped.
    private mutating func mayChange(_ selection: Selection, _ stake: Amount?) -> Bool {
        guard isPlacing else { return true }
        if selection != Selection() || stake != nil {
            warn(
                "betslip.busy",
                "the placement \(state.betslip.placement?.id ?? "") has no outcome yet")
        }
        return false
    }

    /// Shows the slip, with a selection of the page where it names one; without its key fields the price
    /// is that of the last one.
    ///
    /// - Throws: what opening throws.
    package mutating func bridgeOpen(_ selection: Selection, stake: Amount?) throws(Rejection) {
        guard mayChange(selection, stake) else {
            state.betslip.visible = true
            return
        }
        if selection.hasKey {
            try open(selection, stake: stake)
        } else {
            let before = state.betslip.contents
            changeLast(selection, stake)
            state.betslip.visible = true
            reopen()
            countChange(since: before)
        }
    }

    mutating func bridgeAdd(_ selection: Selection, stake: Amount?) throws(Rejection) {
        guard mayChange(selection, stake) else { return }
        let (before, slipRevision) = (state.betslip.contents, state.betslip.revision)
        if selection.hasKey {
            try add(selection)
        } else {
            warn("betslip.noSelection", "addToBetslip names no selection")
        }
        guard let stake else { return }
        // The whole message is one change.
        state.betslip.revision = slipRevision
        set(stake: stake)
        countChange(since: before)
    }

    mutating func bridgeRemove(_ selection: Selection, stake: Amount?) {
        guard mayChange(selection, stake) else { return }
        guard selection.hasKey else {
            return warn("betslip.noSelection", "removeFromBetslip names no selection")
        }
        remove(selection)
    }

    mutating func bridgeClose(_ selection: Selection, stake: Amount?) {
        if mayChange(selection, stake) {
            let before = state.betslip.contents
            if selection.hasKey {
                _ = change(selection)
                if let stake { set(stake: stake) }
            } else {
                changeLast(selection, stake)
            }
            countChange(since: before)
        }
        state.betslip.visible = false
    }

    /// Odds or a stake alone belong to the selection that came last.
    mutating func bridgeUpdateLast(_ selection: Selection, stake: Amount?) {
        guard mayChange(selection, stake) else { return }
        let before = state.betslip.contents
        changeLast(selection, stake)
        if state.betslip.contents != before { reopenAfterUpdate() }
        countChange(since: before)
    }

    private mutating func changeLast(_ selection: Selection, _ stake: Amount?) {
        if let last = state.betslip.selections.indices.last { change(at: last, to: selection) }
        if let stake { set(stake: stake) }
    }
}
