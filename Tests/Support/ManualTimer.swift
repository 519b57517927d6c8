import Actors
import Coordinator

/// A timer of a `ManualEventLoop`, held by the loop.
final class ManualTimer {
    /// What the test holds: dropping it cancels the timer.
    final class Reference: LoopTimer {
        private let timer: ManualTimer

        init(_ timer: ManualTimer) {
            self.timer = timer
        }

        deinit {
            let loop = timer.loop
            if loop.isCurrent {
                timer.cancel()
            } else {
                // Nobody but the loop has the timer too, and that is where this moves it.
                nonisolated(unsafe) let timer = timer
                loop.execute { unsafe timer.cancel() }
            }
        }

        func cancel() {
            timer.loop.preconditionCurrent()
            timer.cancel()
        }
    }

    let loop: ManualEventLoop
    let due: Instant
    let order: Int
    var action: (() -> Void)?

    init(on loop: ManualEventLoop, due: Instant, order: Int, _ action: @escaping () -> Void) {
        self.loop = loop
        self.due = due
        self.order = order
        self.action = action
    }

    private func cancel() {
        guard action != nil else { return }
        action = nil
        loop.remove(self)
    }
}

extension ManualTimer {
    /// Whether `left` runs no later than `right`.
    static func <= (left: ManualTimer, right: ManualTimer) -> Bool {
        (left.due, left.order) <= (right.due, right.order)
    }
}
