internal import CLibUV

/// A watcher of one signal of the process; several watchers of one signal all hear it.
///
/// While any watcher is open the signal does not end the process.
@safe package final class UVSignal: UVHandle {
    private let signal: UnsafeMutablePointer<uv_signal_t>
    private var action: (() -> Void)?

    /// Calls `action` on the loop for every arrival of `number`, until `close`.
    ///
    /// - Throws: `UVError` for a number that cannot be caught.
    package init(
        on loop: UVEventLoop, signal number: Int32, _ action: @escaping () -> Void
    ) throws(UVError) {
        loop.preconditionCurrent()
        unsafe signal = .allocate(capacity: 1)
        unsafe uv_signal_init(loop.core.uv, signal)
        unsafe super.init(on: loop, cuv_signal_handle(signal))
        self.action = action
        let status = unsafe uv_signal_start(signal, UVSignal.arrived, number)
        guard status < 0 else { return }
        close()
        throw UVError(code: status, call: "watch signal \(number)")
    }

    override func willClose() {
        action = nil
    }

    private static let arrived: uv_signal_cb = { signal, _ in
        guard let data = unsafe signal?.pointee.data else { return }
        unsafe Unmanaged<UVSignal>.fromOpaque(data).takeUnretainedValue().action?()
    }
}
