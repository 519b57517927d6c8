internal import CLibUV

/// The lifetime that all handles share: open, closing, closed.
///
/// An open handle stays alive without other references, because libuv holds it; whoever opens one
/// must close it. Its memory is freed after libuv's close callback and never before, whatever is in
/// flight. Loop-confined: every method traps on other threads.
@safe package class UVHandle {
    /// The loop on which the handle lives.
    package let loop: UVEventLoop
    /// True from the call of `close` on; a closing handle calls nobody but its completions.
    package private(set) var isClosing = false
    private var isClosed = false
    private var closeActions: [() -> Void] = []
    private let base: UnsafeMutablePointer<uv_handle_t>

    /// Takes over a handle that libuv has initialised, in memory that Swift allocated.
    init(on loop: UVEventLoop, _ base: UnsafeMutablePointer<uv_handle_t>) {
        self.loop = loop
        unsafe self.base = base
        unsafe base.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe loop.core.openHandles += 1
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Closes the handle and calls `onClosed` when it is closed, which is never within this call.
    ///
    /// May be called in any callback of the handle, and again.
    package func close(_ onClosed: (() -> Void)? = nil) {
        guard beginClosing(onClosed) else { return }
        unsafe uv_close(base, UVHandle.closed)
    }

    /// Lets a kind of handle drop its callbacks and what else it owns.
    func willClose() {}

    /// Notes that the handle closes.
    ///
    /// - Returns: true when the caller must tell libuv.
    func beginClosing(_ onClosed: (() -> Void)?) -> Bool {
        loop.preconditionCurrent()
        if let onClosed {
            if isClosed {
                loop.atTurnEnd(onClosed)
            } else {
                closeActions.append(onClosed)
            }
        }
        guard !isClosing else { return false }
        isClosing = true
        willClose()
        return true
    }

    /// The close callback of all handles: libuv is done with the memory.
    static let closed: uv_close_cb = { handle in
        guard let data = unsafe handle?.pointee.data else { return }
        let object = unsafe Unmanaged<UVHandle>.fromOpaque(data).takeRetainedValue()
        object.isClosed = true
        unsafe object.loop.core.openHandles -= 1
        let actions = object.closeActions
        object.closeActions = []
        for action in actions { action() }
    }
}
