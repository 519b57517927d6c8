internal import Coordinator
internal import Synchronization

/// What all loops of a process count together: connections, and those that are still to leave.
package final class Doors: Sendable {
    private struct State {
        var connections = 0
        var addresses: [String: Int] = [:]
        var lastNumber: UInt64 = 0
        /// Connections between two loops.
        var inTransit = 0
        /// Connections that were told to leave, or will be, and are still there.
        var leaving = 0
        /// Loops that have not begun to tell theirs.
        var missing = 0
        /// Called once when the last of them is gone.
        var drained: (@Sendable () -> Void)?

        mutating func takeDrained() -> (@Sendable () -> Void)? {
            guard missing == 0, leaving == 0, inTransit == 0 else { return nil }
            return drained.take()
        }
    }

    private let state = Locked(State())
    /// Lets one line a second through for each kind of trouble that clients can cause.
    ///
    /// It is apart, for a line may take its time.
    private let gate = Locked(LogGate())
    private let drains = Atomic<Bool>(false)

    /// Nobody is in.
    package init() {}

    /// Connections now.
    var count: Int { state.withLock { $0.connections } }

    /// Lets one more in and gives its number, unique while the process runs; nil when it is too many.
    func admit(from address: String, _ settings: ServerSettings) -> UInt64? {
        state.withLock { state in
            guard state.connections < settings.connections else { return nil }
            let count = state.addresses[address, default: 0]
            if settings.connectionsPerAddress > 0, count >= settings.connectionsPerAddress {
                return nil
            }
            state.addresses[address] = count + 1
            state.connections += 1
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// One is gone; `wasLeaving` tells whether it counted among those that are still to leave.
    func closed(from address: String, wasLeaving: Bool) {
        let drained = state.withLock { state -> (@Sendable () -> Void)? in
            state.connections -= 1
            if let count = state.addresses[address] {
                state.addresses[address] = count > 1 ? count - 1 : nil
            }
            if wasLeaving { state.leaving -= 1 }
            return state.takeDrained()
        }
        drained?()
    }

    /// One is on its way to another loop.
    func departed() {
        state.withLock { $0.inTransit += 1 }
    }

    /// One has come to another loop; `leaves` tells whether it counts among those that are to leave.
    func arrived(leaves: Bool) {
        let drained = state.withLock { state -> (@Sendable () -> Void)? in
            state.inTransit -= 1
            if leaves { state.leaving += 1 }
            return state.takeDrained()
        }
        drained?()
    }

    /// Gives back the memory of a time when there were many more.
    func shrinkIfSparse() {
        _ = state.withLock { $0.addresses.shrinkIfSparse() }
    }

    /// Writes a line of which there may be one a second.
    func logSparsely(_ log: Log, _ message: String, _ fields: Log.Fields) {
        gate.withLock { log.gated(by: &$0, .warning, message, fields) }
    }
}

// MARK: - Draining

extension Doors {
    /// Whether new clients are turned away.
    var isDraining: Bool { drains.load(ordering: .acquiring) }

    /// Turns new clients away, and calls `completion` when the connections of so many loops are gone.
    func drain(loops: Int, _ completion: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.missing = loops
            state.drained = completion
        }
        drains.store(true, ordering: .releasing)
    }

    /// A loop begins to tell its connections to leave, so many of them.
    func leave(_ count: Int) {
        let drained = state.withLock { state -> (@Sendable () -> Void)? in
            state.missing -= 1
            state.leaving += count
            return state.takeDrained()
        }
        drained?()
    }
}
