internal import CLibUV

extension UVStream {
    /// Writes what the kernel takes at once; gives the number of bytes, 0 when it takes none now.
    ///
    /// - Throws: ``UVError`` when the connection is broken.
    package func tryWrite(_ bytes: Span<UInt8>) throws(UVError) -> Int {
        guard !isClosing else { throw UVError(UV_ECANCELED.rawValue, "write") }
        let result = unsafe bytes.withUnsafeBufferPointer { bytes in
            // libuv's buffers are not const, but a write only reads them.
            let base = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
            var buffer = unsafe uv_buf_init(
                UnsafeMutableRawPointer(base)?.assumingMemoryBound(to: CChar.self),
                UInt32(bytes.count))
            return unsafe uv_try_write(cuv_tcp_stream(tcp), &buffer, 1)
        }
        if result == UV_EAGAIN.rawValue { return 0 }
        try UVError.check(result, "write")
        return Int(result)
    }

    /// Writes all of `bytes` as the reader takes them, then calls `completion` once.
    package func write(_ bytes: [UInt8], _ completion: @escaping (UVError?) -> Void) {
        guard !isClosing else { return completion(UVError(UV_ECANCELED.rawValue, "write")) }
        let request = WriteRequest(bytes, completion)
        var buffer = unsafe request.buffer
        let result = unsafe uv_write(
            request.prepared(), cuv_tcp_stream(tcp), &buffer, 1,
            { handle, status in unsafe WriteRequest.completed(handle, status) })
        if result < 0 { request.failed(result) }
    }

    /// Closes this direction after everything written; the other one stays open.
    package func shutdown(_ completion: @escaping (UVError?) -> Void) {
        guard !isClosing else { return completion(UVError(UV_ECANCELED.rawValue, "shutdown")) }
        let request = ShutdownRequest(completion)
        let result = unsafe uv_shutdown(
            request.prepared(), cuv_tcp_stream(tcp),
            { handle, status in unsafe ShutdownRequest.completed(handle, status) })
        if result < 0 { request.failed(result) }
    }

    /// Connects to `HOST:PORT` and calls `completion` with the stream or the error.
    package static func connect(
        loop: UVEventLoop, to address: String,
        _ completion: @escaping (Result<UVStream, UVError>) -> Void
    ) throws(UVError) {
        let target = try SocketAddress(address)
        let stream = UVStream(loop: loop)
        let request = ConnectRequest(stream, address, completion)
        let result = unsafe target.withSockaddr { sockaddr in
            unsafe uv_tcp_connect(
                request.prepared(), stream.tcp, sockaddr,
                { handle, status in unsafe ConnectRequest.completed(handle, status) })
        }
        if result < 0 { request.failed(result) }
    }
}

/// A write under way: owns its bytes and libuv's request until libuv is done with both.
@safe private final class WriteRequest {
    private let handle: UnsafeMutablePointer<uv_write_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let completion: (UVError?) -> Void

    init(_ bytes: [UInt8], _ completion: @escaping (UVError?) -> Void) {
        unsafe handle = .allocate(capacity: 1)
        unsafe self.bytes = .allocate(capacity: bytes.count)
        unsafe _ = self.bytes.initialize(from: bytes)
        self.completion = completion
    }

    deinit {
        unsafe handle.deallocate()
        unsafe bytes.deallocate()
    }

    var buffer: uv_buf_t {
        unsafe uv_buf_init(
            UnsafeMutableRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
            UInt32(bytes.count))
    }

    /// Retains the request for libuv.
    func prepared() -> UnsafeMutablePointer<uv_write_t> {
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        return unsafe handle
    }

    func failed(_ code: Int32) {
        unsafe Unmanaged.passUnretained(self).release()
        completion(UVError(code, "write"))
    }

    static func completed(_ handle: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
        guard let data = unsafe handle?.pointee.data else { return }
        let request = unsafe Unmanaged<WriteRequest>.fromOpaque(data).takeRetainedValue()
        request.completion(status < 0 ? UVError(status, "write") : nil)
    }
}

/// A shutdown under way.
@safe private final class ShutdownRequest {
    private let handle: UnsafeMutablePointer<uv_shutdown_t>
    private let completion: (UVError?) -> Void

    init(_ completion: @escaping (UVError?) -> Void) {
        unsafe handle = .allocate(capacity: 1)
        self.completion = completion
    }

    deinit {
        unsafe handle.deallocate()
    }

    func prepared() -> UnsafeMutablePointer<uv_shutdown_t> {
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        return unsafe handle
    }

    func failed(_ code: Int32) {
        unsafe Unmanaged.passUnretained(self).release()
        completion(UVError(code, "shutdown"))
    }

    static func completed(_ handle: UnsafeMutablePointer<uv_shutdown_t>?, _ status: Int32) {
        guard let data = unsafe handle?.pointee.data else { return }
        let request = unsafe Unmanaged<ShutdownRequest>.fromOpaque(data).takeRetainedValue()
        request.completion(status < 0 ? UVError(status, "shutdown") : nil)
    }
}

/// A connect under way.
@safe private final class ConnectRequest {
    private let handle: UnsafeMutablePointer<uv_connect_t>
    private let stream: UVStream
    private let address: String
    private let completion: (Result<UVStream, UVError>) -> Void

    init(
        _ stream: UVStream, _ address: String,
        _ completion: @escaping (Result<UVStream, UVError>) -> Void
    ) {
        unsafe handle = .allocate(capacity: 1)
        self.stream = stream
        self.address = address
        self.completion = completion
    }

    deinit {
        unsafe handle.deallocate()
    }

    func prepared() -> UnsafeMutablePointer<uv_connect_t> {
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        return unsafe handle
    }

    func failed(_ code: Int32) {
        unsafe Unmanaged.passUnretained(self).release()
        finish(code)
    }

    private func finish(_ status: Int32) {
        if status < 0 {
            stream.close()
            completion(.failure(UVError(status, "connect \(address)")))
        } else {
            stream.disableDelay()
            completion(.success(stream))
        }
    }

    static func completed(_ handle: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
        guard let data = unsafe handle?.pointee.data else { return }
        unsafe Unmanaged<ConnectRequest>.fromOpaque(data).takeRetainedValue().finish(status)
    }
}
