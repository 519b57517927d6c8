package import Actors

/// Runs an agenda on an event loop.
///
/// It looks every few milliseconds while there is work; that is exact enough for pauses and spares a
/// handle for each of thousands of pauses.
package final class AgendaTimer {
    private let loop: UVEventLoop
    private let runDue: () -> Void
    private var timer: (any LoopTimer)?

    private static let tickMilliseconds: Int64 = 4

    /// A timer that calls `runDue` until it is stopped or dropped.
    package init(loop: UVEventLoop, runDue: @escaping () -> Void) {
        self.loop = loop
        self.runDue = runDue
        tick()
    }

    private func tick() {
        timer = loop.schedule(afterMilliseconds: Self.tickMilliseconds) { [weak self] in
            self?.runDue()
            self?.tick()
        }
    }
}
