internal import CLibUV

/// A listening TCP socket of a loop.
///
/// When descriptors run out, libuv gives up one it keeps in reserve to accept and close the
/// surplus, so the accept loop never spins; the error still reaches the callback.
@safe package final class UVListener {
    private let loop: UVEventLoop
    private let tcp: UnsafeMutablePointer<uv_tcp_t>
    private var onConnection: ((Result<UVStream, UVError>) -> Void)?
    private var isClosing = false

    /// The address with the port that was picked, an IPv6 host in brackets.
    package private(set) var boundAddress: String

    /// Connections that may wait to be accepted.
    private static let backlog: Int32 = 1024

    /// Listens on `HOST:PORT`, port 0 for any free one, and hands over what is accepted.
    ///
    /// - Throws: ``UVError`` when the address is taken or not one of this machine's.
    package init(
        loop: UVEventLoop, address: String,
        onConnection: @escaping (Result<UVStream, UVError>) -> Void
    ) throws(UVError) {
        loop.preconditionCurrent()
        let wanted = try SocketAddress(address)
        self.loop = loop
        self.onConnection = onConnection
        boundAddress = address
        unsafe tcp = .allocate(capacity: 1)
        let made = unsafe uv_tcp_init(loop.uv, tcp)
        precondition(made == 0, "no TCP handle: \(UVError(made, "uv_tcp_init"))")
        // Released in the close callback.
        unsafe tcp.pointee.data = Unmanaged.passRetained(self).toOpaque()
        do throws(UVError) {
            let bound = unsafe wanted.withSockaddr { unsafe uv_tcp_bind(tcp, $0, 0) }
            try UVError.check(bound, "bind \(address)")
            let listening = unsafe uv_listen(cuv_tcp_stream(tcp), Self.backlog) { server, status in
                guard let data = unsafe server?.pointee.data else { return }
                unsafe Unmanaged<UVListener>.fromOpaque(data).takeUnretainedValue()
                    .connectionArrived(status)
            }
            try UVError.check(listening, "listen \(address)")
            boundAddress = try unsafe SocketAddress("read the bound address") { address, length in
                unsafe uv_tcp_getsockname(tcp, address, length)
            }.description
        } catch {
            close()
            throw error
        }
    }

    deinit {
        unsafe tcp.deallocate()
    }

    private func connectionArrived(_ status: Int32) {
        guard status == 0 else {
            onConnection?(.failure(UVError(status, "accept")))
            return
        }
        let stream = UVStream(loop: loop)
        let accepted = unsafe uv_accept(cuv_tcp_stream(tcp), cuv_tcp_stream(stream.tcp))
        guard accepted == 0 else {
            stream.close()
            onConnection?(.failure(UVError(accepted, "accept")))
            return
        }
        stream.disableDelay()
        onConnection?(.success(stream))
    }

    /// Stops listening; harmless when repeated.
    package func close() {
        guard !isClosing else { return }
        isClosing = true
        onConnection = nil
        unsafe uv_close(cuv_tcp_handle(tcp)) { handle in
            guard let data = unsafe handle?.pointee.data else { return }
            unsafe Unmanaged<UVListener>.fromOpaque(data).release()
        }
    }
}
