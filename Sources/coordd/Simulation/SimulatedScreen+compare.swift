import Coordinator

/// What a screen remembers, beside what the server has.
extension SimulatedScreen {
    /// Compares the memory with `session.state`, byte for byte at the same revision.
    ///
    /// - Parameter then: called once, when the comparison is done and counted.
    package func compare(then: @escaping () -> Void) {
        call("session.state", JSONObject()) { screen, result in
            guard let result, let epoch = result["epoch"]?.string,
                let revision = result["rev"]?.number?.unsigned, let state = result["state"]
            else {
                screen.context.tally.screensCompared += 1
                screen.context.tally.mismatch("\(screen.device): session.state has no answer")
                return then()
            }
            screen.expected = (StreamPosition(epoch: epoch, offset: revision), state, then)
            screen.compareIfReached()
        }
    }

    /// Counts a comparison that waits in vain for its revision.
    package func giveUpComparing() {
        guard let (position, _, then) = expected else { return }
        expected = nil
        context.tally.screensCompared += 1
        context.tally.mismatch(
            "\(device): stays at revision \(memory.position?.offset ?? 0), "
                + "the server is at \(position.offset)")
        then()
    }

    func compareIfReached() {
        guard let (position, state, then) = expected else { return }
        let reached = memory.position?.offset ?? 0
        guard reached >= position.offset else { return }
        expected = nil
        // A later revision may overtake the answer; then only a new answer can be compared.
        guard reached == position.offset else { return compare(then: then) }
        context.tally.screensCompared += 1
        if memory.position != position {
            context.tally.mismatch(
                "\(device): epoch \(memory.position?.epoch ?? "none") here, "
                    + "\(position.epoch) at the server")
        } else if let found = Fold.firstDifference(memory.state, state) {
            context.tally.mismatch("\(device) at revision \(position.offset): \(found)")
        } else if memory.canonicalText != Fold.canonicalText(state) {
            context.tally.mismatch("\(device) at revision \(position.offset): other bytes")
        }
        then()
    }
}
