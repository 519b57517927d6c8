internal import CLibUV

/// A signal of the process as an event of a loop.
@safe package final class UVSignal {
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private let callback: Callback

    private final class Callback {
        let action: () -> Void
        var isClosed = false
        init(_ action: @escaping () -> Void) { self.action = action }
    }

    /// Calls `action` for each delivery of `number`, such as `SIGTERM`, until dropped.
    ///
    /// - Throws: ``UVError`` when the signal cannot be caught.
    package init(loop: UVEventLoop, number: Int32, _ action: @escaping () -> Void) throws(UVError) {
        loop.preconditionCurrent()
        callback = Callback(action)
        unsafe handle = .allocate(capacity: 1)
        unsafe uv_signal_init(loop.uv, handle)
        // Released in the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(callback).toOpaque()
        let result = unsafe uv_signal_start(
            handle,
            { signal, _ in
                guard let data = unsafe signal?.pointee.data else { return }
                let callback = unsafe Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue()
                if !callback.isClosed { callback.action() }
            }, number)
        try UVError.check(result, "catch signal \(number)")
    }

    deinit {
        callback.isClosed = true
        unsafe uv_close(cuv_signal_handle(handle)) { handle in
            guard let handle = unsafe handle else { return }
            if let data = unsafe handle.pointee.data {
                unsafe Unmanaged<Callback>.fromOpaque(data).release()
            }
            unsafe handle.deallocate()
        }
    }
}
