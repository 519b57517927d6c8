internal import CLibUV

/// One TCP connection of a loop.
///
/// It keeps itself alive until it is closed, and its handle's memory until libuv has let go of it,
/// so closing is safe in any callback and whatever is in flight.
@safe package final class UVStream {
    let loop: UVEventLoop
    let tcp: UnsafeMutablePointer<uv_tcp_t>
    private var onBytes: ((Span<UInt8>) -> Void)?
    private var onEnd: ((UVError?) -> Void)?

    /// Whether ``close()`` or ``reset()`` was called.
    package private(set) var isClosing = false

    init(loop: UVEventLoop) {
        loop.preconditionCurrent()
        self.loop = loop
        unsafe tcp = .allocate(capacity: 1)
        let result = unsafe uv_tcp_init(loop.uv, tcp)
        precondition(result == 0, "no TCP handle: \(UVError(result, "uv_tcp_init"))")
        // Released in the close callback.
        unsafe tcp.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        unsafe tcp.deallocate()
    }

    static func of(_ stream: UnsafeMutablePointer<uv_stream_t>?) -> UVStream {
        guard let data = unsafe stream?.pointee.data else {
            preconditionFailure("a stream's handle lost its owner")
        }
        return unsafe Unmanaged<UVStream>.fromOpaque(data).takeUnretainedValue()
    }

    /// Sends small writes at once instead of waiting for more (TCP_NODELAY).
    func disableDelay() {
        unsafe uv_tcp_nodelay(tcp, 1)
    }

    /// The other side's address in numbers, without the port; `?` when it is gone already.
    package var peerHost: String {
        let peer = try? unsafe SocketAddress("read a peer's address") { address, length in
            unsafe uv_tcp_getpeername(tcp, address, length)
        }
        return peer?.host ?? "?"
    }

    // MARK: Reading

    /// Calls `onBytes` with what arrives, lent for the call only, and `onEnd` once at the end.
    ///
    /// `onEnd` gets nil when the other side closed its direction, else the error.
    package func startReading(
        onBytes: @escaping (Span<UInt8>) -> Void, onEnd: @escaping (UVError?) -> Void
    ) {
        guard !isClosing else { return }
        self.onBytes = onBytes
        self.onEnd = onEnd
        resumeReading()
    }

    /// Leaves what arrives in the kernel's buffers until ``resumeReading()``.
    package func pauseReading() {
        unsafe uv_read_stop(cuv_tcp_stream(tcp))
    }

    /// Goes on reading after ``pauseReading()``.
    package func resumeReading() {
        guard !isClosing, onBytes != nil else { return }
        unsafe uv_read_start(
            cuv_tcp_stream(tcp),
            { handle, _, buffer in
                let lent = unsafe UVEventLoop.of(handle?.pointee.loop).readBuffer
                unsafe buffer?.pointee = uv_buf_init(
                    UnsafeMutableRawPointer(lent.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    UInt32(lent.count))
            },
            { stream, count, _ in unsafe UVStream.of(stream).readCompleted(count) })
    }

    private func readCompleted(_ count: Int) {
        guard !isClosing, count != 0 else { return }
        if count > 0 {
            let bytes = unsafe UnsafeBufferPointer(rebasing: loop.readBuffer[..<count])
            let span = unsafe bytes.span
            onBytes?(span)
            return
        }
        unsafe uv_read_stop(cuv_tcp_stream(tcp))
        let end = onEnd.take()
        onBytes = nil
        let code = Int32(count)
        end?(code == UV_EOF.rawValue ? nil : UVError(code, "read"))
    }

    // MARK: Closing

    /// Ends the connection in order; no callback of it comes afterwards, but for failed writes.
    package func close() {
        guard !isClosing else { return }
        isClosing = true
        forgetCallbacks()
        unsafe uv_close(cuv_tcp_handle(tcp), Self.closed)
    }

    /// Ends the connection with a reset, throwing away what the kernel still holds for the reader.
    package func reset() {
        guard !isClosing else { return }
        let result = unsafe uv_tcp_close_reset(tcp, Self.closed)
        // Refused while a shutdown is under way; then the ordinary way has to do.
        guard result == 0 else { return close() }
        isClosing = true
        forgetCallbacks()
    }

    private func forgetCallbacks() {
        onBytes = nil
        onEnd = nil
    }

    private static let closed: uv_close_cb = { handle in
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<UVStream>.fromOpaque(data).release()
    }
}
