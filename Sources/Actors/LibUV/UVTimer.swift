internal import CLibUV

/// A one-shot timer of libuv.
package final class UVTimer: LoopTimer {
    /// What libuv holds, so that the timer can be dropped on any thread while it fires on the loop.
    @safe private final class Handle: UVHandle {
        private let timer: UnsafeMutablePointer<uv_timer_t>
        private var action: (() -> Void)?

        init(
            on loop: UVEventLoop, afterMilliseconds milliseconds: Int64,
            _ action: @escaping () -> Void
        ) {
            loop.preconditionCurrent()
            self.action = action
            unsafe timer = .allocate(capacity: 1)
            unsafe uv_timer_init(loop.core.uv, timer)
            unsafe super.init(on: loop, cuv_timer_handle(timer))
            // Libuv counts from the time at which it last looked at the clock, which is in the past,
            // and by a coarser clock; so the delay is counted from there to the instant meant.
            let due = UVClock.monotonicMilliseconds + min(max(milliseconds, 0), 1 << 53)
            let delay = max(0, due - Int64(unsafe uv_now(loop.core.uv)))
            unsafe uv_timer_start(timer, Handle.fired, UInt64(delay), 0)
        }

        override func willClose() {
            action = nil
        }

        private static let fired: uv_timer_cb = { timer in
            guard let data = unsafe timer?.pointee.data else { return }
            let handle = unsafe Unmanaged<Handle>.fromOpaque(data).takeUnretainedValue()
            let action = handle.action
            handle.close()
            action?()
        }
    }

    private let handle: Handle

    /// Starts a timer; negative delays count as zero.
    package init(
        on loop: UVEventLoop, afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void
    ) {
        handle = Handle(on: loop, afterMilliseconds: milliseconds, action)
    }

    deinit {
        let loop = handle.loop
        if loop.isCurrent {
            handle.close()
        } else {
            // Nobody else has the handle but libuv, on the loop to which this moves it. A loop that
            // has stopped has closed it itself.
            nonisolated(unsafe) let handle = handle
            loop.execute { unsafe handle.close() }
        }
    }

    /// Stops the timer; see `LoopTimer`.
    package func cancel() {
        handle.close()
    }
}
