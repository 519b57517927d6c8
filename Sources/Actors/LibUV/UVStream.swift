internal import CLibUV
internal import Glibc

/// A TCP connection: accepted by a `UVListener`, or made with `connect`.
///
/// Nagle's delay is off. Whoever gets a stream must close it, also after its end or an error.
/// Completions are called exactly once and never within the call that takes them.
@safe package final class UVStream: UVHandle {
    /// What reading brings.
    package enum ReadEvent: ~Escapable {
        /// Bytes in the order sent, at least one; they are the loop's and valid during the call only.
        case bytes(Span<UInt8>)
        /// The peer will send no more; it may still read.
        case end
        /// The connection is broken, for instance ECONNRESET.
        case failed(UVError)
    }

    let tcp: UnsafeMutablePointer<uv_tcp_t>
    private var onRead: ((borrowing ReadEvent) -> Void)?
    /// The other side's address, from the moment the connection stands.
    package internal(set) var peerAddress: SocketAddress?

    /// Makes a stream without a connection, for `connect`.
    package init(on loop: UVEventLoop) {
        loop.preconditionCurrent()
        unsafe tcp = .allocate(capacity: 1)
        // Makes no socket yet, and so cannot fail.
        unsafe uv_tcp_init(loop.core.uv, tcp)
        unsafe uv_tcp_nodelay(tcp, 1)
        unsafe super.init(on: loop, cuv_tcp_handle(tcp))
    }

    /// Takes over a connected, non-blocking socket; on failure the caller still owns it.
    ///
    /// - Throws: `UVError` when libuv does not take the descriptor.
    convenience init(
        on loop: UVEventLoop, adopting descriptor: Int32, from peer: SocketAddress?
    ) throws(UVError) {
        self.init(on: loop)
        let status = unsafe uv_tcp_open(tcp, descriptor)
        if status < 0 { close() }
        try UVError.check(status, "open a connection")
        peerAddress = peer
    }

    /// Calls `onRead` for what arrives, until `stopReading`, `close` or the stream's end.
    ///
    /// Does nothing on a closing stream; replaces an earlier callback.
    package func startReading(onRead: @escaping (borrowing ReadEvent) -> Void) {
        loop.preconditionCurrent()
        guard !isClosing else { return }
        self.onRead = onRead
        let status = unsafe uv_read_start(
            cuv_tcp_stream(tcp), UVStream.lendBuffer, UVStream.readCompleted)
        precondition(
            status == 0 || status == UV_EALREADY.rawValue, "reading from an unconnected stream")
    }

    /// Leaves what arrives in the kernel's buffer, which in time holds up the peer.
    package func stopReading() {
        loop.preconditionCurrent()
        onRead = nil
        guard !isClosing else { return }
        unsafe uv_read_stop(cuv_tcp_stream(tcp))
    }

    /// Closes with a reset: what is queued is dropped and the peer sees ECONNRESET.
    package func reset(_ onClosed: (() -> Void)? = nil) {
        guard beginClosing(onClosed) else { return }
        // Libuv refuses when a shutdown is under way; then it is an ordinary close.
        guard unsafe uv_tcp_close_reset(tcp, UVHandle.closed) < 0 else { return }
        unsafe uv_close(cuv_tcp_handle(tcp), UVHandle.closed)
    }

    override func willClose() {
        onRead = nil
    }

    private func received(_ event: borrowing ReadEvent) {
        onRead?(event)
    }

    // In these two, libuv's own reference keeps the objects alive, so they go without retaining.

    private static let lendBuffer: uv_alloc_cb = { handle, _, buffer in
        guard let data = unsafe handle?.pointee.loop.pointee.data else { return }
        unsafe buffer?.pointee = Unmanaged<UVLoopCore>.fromOpaque(data)._withUnsafeGuaranteedRef {
            unsafe uv_buf_init($0.readBuffer, UInt32(UVLoopCore.readBufferSize))
        }
    }

    private static let readCompleted: uv_read_cb = { handle, count, buffer in
        // Zero means that there was nothing to read after all.
        guard count != 0, let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<UVStream>.fromOpaque(data)._withUnsafeGuaranteedRef { stream in
            if count > 0 {
                let start = unsafe UnsafeRawPointer(buffer?.pointee.base)
                let bytes = unsafe UnsafeBufferPointer(
                    start: start?.assumingMemoryBound(to: UInt8.self), count: count)
                stream.received(.bytes(unsafe bytes.span))
            } else if count == Int(UV_EOF.rawValue) {
                stream.received(.end)
            } else {
                stream.received(.failed(UVError(code: Int32(count), call: "read")))
            }
        }
    }
}

extension UVStream {
    /// A further descriptor of the socket; nil when there is none left.
    func copyDescriptor() -> Int32? {
        var descriptor: uv_os_fd_t = -1
        guard unsafe uv_fileno(cuv_tcp_handle(tcp), &descriptor) == 0 else { return nil }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : nil
    }
}
