internal import Coordinator

/// What one loop turn has to write: what its sessions publish, and which connections have something to get.
///
/// Everything leaves at the turn's end, each connection's bytes in one write. One for each loop.
package final class TurnWriter: Sendable {
    private struct State {
        var output = TurnOutput()
        /// Connections with bytes queued in this turn.
        var dirty: [ClientConnection] = []
        /// The array of the turn before, for its memory.
        var spare: [ClientConnection] = []
        /// Whether the turn's end is awaited.
        var isAwaited = false

        /// Notes that the turn's end is awaited; gives whether it was not yet.
        mutating func awaitEnd() -> Bool {
            defer { isAwaited = true }
            return !isAwaited
        }
    }

    private let loop: any EventLoop
    private let metrics: Metrics
    private let state: LoopBound<State>

    /// Nothing to write; only on the loop's thread.
    init(on loop: any EventLoop, metrics: Metrics) {
        self.loop = loop
        self.metrics = metrics
        state = LoopBound(State(), on: loop)
    }

    /// Writes a push once for all who read this encoding; the piece is good until the turn's end.
    func publish(_ push: Push, in encoding: WireEncoding) -> TurnOutput.Piece {
        let (piece, isFirst) = state.withValue { state in
            (state.output.add(push, in: encoding), state.awaitEnd())
        }
        if isFirst { loop.atTurnEnd { [self] in flush() } }
        return piece
    }

    /// Lets a connection write once at the end of this turn.
    func flush(_ connection: ClientConnection) {
        let isFirst = state.withValue { state in
            state.dirty.append(connection)
            return state.awaitEnd()
        }
        if isFirst { loop.atTurnEnd { [self] in flush() } }
    }

    /// Lends what is published in this turn; nothing may be published meanwhile.
    func withOutput<Result, Failure: Error>(
        _ body: (TurnOutput) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withValue { state throws(Failure) in try body(state.output) }
    }

    private func flush() {
        var dirty = state.withValue { state in
            state.isAwaited = false
            var dirty: [ClientConnection] = []
            swap(&dirty, &state.dirty)
            swap(&state.dirty, &state.spare)
            return dirty
        }
        var bytes = 0
        for connection in dirty { bytes += connection.flush() }
        dirty.removeAll(keepingCapacity: true)
        state.withValue { state in
            // Whoever had a part of the output has written it, or has a copy.
            if state.dirty.isEmpty { state.output.clear() }
            if state.spare.capacity < dirty.capacity { swap(&state.spare, &dirty) }
        }
        metrics.sent(bytes: bytes)
    }
}
