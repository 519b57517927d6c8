internal import CLibUV

/// A one-shot timer of a loop.
@safe final class UVTimer: LoopTimer {
    private let handle: UnsafeMutablePointer<uv_timer_t>
    private let callback: Callback

    /// What libuv's callback reaches; it lives until the handle is closed.
    private final class Callback {
        var action: (() -> Void)?
        init(_ action: @escaping () -> Void) { self.action = action }
    }

    init(loop: UVEventLoop, delay: UInt64, _ action: @escaping () -> Void) {
        callback = Callback(action)
        unsafe handle = .allocate(capacity: 1)
        unsafe uv_timer_init(loop.uv, handle)
        // Released in the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(callback).toOpaque()
        // libuv counts from the time it cached when the turn began; this may be much later in it.
        unsafe uv_update_time(loop.uv)
        unsafe uv_timer_start(
            handle,
            { timer in
                guard let data = unsafe timer?.pointee.data else { return }
                let callback = unsafe Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue()
                callback.action.take()?()
            }, delay, 0)
    }

    func cancel() {
        callback.action = nil
        unsafe uv_timer_stop(handle)
    }

    deinit {
        // Dropping a timer cancels it; libuv may touch the memory until the close callback.
        callback.action = nil
        unsafe uv_close(cuv_timer_handle(handle)) { handle in
            guard let handle = unsafe handle else { return }
            if let data = unsafe handle.pointee.data {
                unsafe Unmanaged<Callback>.fromOpaque(data).release()
            }
            unsafe handle.deallocate()
        }
    }
}
