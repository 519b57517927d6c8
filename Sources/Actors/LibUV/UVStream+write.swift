internal import CLibUV

extension UVStream {
    /// Bytes given to `write` that the kernel has not taken yet.
    package var queuedBytes: Int {
        loop.preconditionCurrent()
        return unsafe uv_stream_get_write_queue_size(cuv_tcp_stream(tcp))
    }

    /// Writes what the kernel takes at once and queues nothing.
    ///
    /// - Returns: The number of bytes written: 0 when the socket is full, or when bytes given to
    ///   `write` are still queued before these.
    /// - Throws: `UVError`, for instance EPIPE; the stream is then of no use for writing.
    package func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        loop.preconditionCurrent()
        guard !isClosing else { throw UVError.cancelled("write") }
        guard !bytes.isEmpty else { return 0 }
        let written = unsafe bytes.withUnsafeBufferPointer { pointer in
            var buffer = unsafe UVStream.buffer(pointer[...])
            return unsafe uv_try_write(cuv_tcp_stream(tcp), &buffer, 1)
        }
        return try UVStream.count(written)
    }

    /// The same for two runs of bytes, one behind the other, in one call of the kernel.
    package func tryWrite(
        _ first: Span<UInt8>, _ second: Span<UInt8>
    ) throws(UVError) -> Int {
        if second.isEmpty { return try tryWrite(first) }
        if first.isEmpty { return try tryWrite(second) }
        loop.preconditionCurrent()
        guard !isClosing else { throw UVError.cancelled("write") }
        let written = unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                var buffers = unsafe (UVStream.buffer(first[...]), UVStream.buffer(second[...]))
                return unsafe withUnsafeMutablePointer(to: &buffers) { buffers in
                    unsafe buffers.withMemoryRebound(to: uv_buf_t.self, capacity: 2) {
                        unsafe uv_try_write(cuv_tcp_stream(tcp), $0, 2)
                    }
                }
            }
        }
        return try UVStream.count(written)
    }

    private static func count(_ written: CInt) throws(UVError) -> Int {
        if written == UV_EAGAIN.rawValue { return 0 }
        try UVError.check(written, "write")
        return Int(written)
    }

    /// Writes `bytes` from index `start` on, behind all earlier writes.
    ///
    /// The array is kept, not copied, so many streams may be given the same one. `completion` is
    /// told when the kernel has taken the last byte or the connection broke; a close before that is
    /// ECANCELED.
    package func write(
        _ bytes: consuming [UInt8], from start: Int = 0,
        _ completion: @escaping (UVError?) -> Void = { _ in }
    ) {
        loop.preconditionCurrent()
        guard !isClosing else {
            return loop.atTurnEnd { completion(UVError.cancelled("write")) }
        }
        guard start < bytes.count else { return loop.atTurnEnd { completion(nil) } }
        let request = unsafe UVRequest.begin(in: loop.core, keeping: bytes, completion)
        let status = unsafe request.bytes.withUnsafeBufferPointer { pointer in
            // The pointer stays good after this closure: the request holds the array, nobody else
            // can change it in place, and on this platform an array is one block of memory.
            var buffer = unsafe UVStream.buffer(pointer[start...])
            return unsafe uv_write(
                cuv_write_request(request.pointer), cuv_tcp_stream(tcp), &buffer, 1,
                UVStream.written)
        }
        if status < 0 { request.refuse(status, on: loop, "write") }
    }

    /// Tells the peer, after all queued writes, that no more will come.
    ///
    /// `completion` is told when that has been sent, or why it could not be.
    package func shutdown(_ completion: @escaping (UVError?) -> Void = { _ in }) {
        loop.preconditionCurrent()
        guard !isClosing else {
            return loop.atTurnEnd { completion(UVError.cancelled("shutdown")) }
        }
        let request = unsafe UVRequest.begin(in: loop.core, completion)
        let status = unsafe uv_shutdown(
            cuv_shutdown_request(request.pointer), cuv_tcp_stream(tcp)
        ) { request, status in
            guard let core = unsafe UVLoopCore.of(request?.pointee.handle.pointee.loop) else {
                return
            }
            unsafe UVRequest.finish(request?.pointee.data, in: core, status, "shutdown")
        }
        if status < 0 { request.refuse(status, on: loop, "shutdown") }
    }

    private static func buffer(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> uv_buf_t {
        // Libuv's buffers serve reading too and are therefore mutable; writing leaves them alone.
        let bytes = unsafe UnsafeMutableBufferPointer(mutating: .init(rebasing: bytes))
        let base = UnsafeMutableRawPointer(bytes.baseAddress)
        // A longer array is beyond every limit of the callers.
        return unsafe uv_buf_init(base?.assumingMemoryBound(to: CChar.self), UInt32(bytes.count))
    }

    private static let written: uv_write_cb = { request, status in
        guard let core = unsafe UVLoopCore.of(request?.pointee.handle.pointee.loop) else { return }
        unsafe UVRequest.finish(request?.pointee.data, in: core, status, "write")
    }
}
