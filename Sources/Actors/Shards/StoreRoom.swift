internal import Coordinator

/// How many sessions there are, for loops that make some at the same time.
final class StoreRoom: Sendable {
    private struct State {
        /// Those that the store knows of.
        var known = 0
        /// Those that are made and that it does not know of yet.
        var promised = 0
    }

    private let state = Locked(State())

    /// Takes a place under a limit; false when there is none.
    func take(under limit: Int) -> Bool {
        state.withLock { state in
            guard state.known + state.promised < limit else { return false }
            state.promised += 1
            return true
        }
    }

    /// Gives a place back: the session was not made, or the store knows of it now.
    func giveBack() {
        state.withLock { $0.promised -= 1 }
    }

    /// So many sessions are what the store knows of now.
    func update(known: Int) {
        state.withLock { $0.known = known }
    }
}
