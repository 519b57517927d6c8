internal import CLibUV
internal import Glibc

/// A listening TCP socket that hands over each connection as a `UVStream`.
///
/// It accepts by itself and not through `uv_listen`: without a free file descriptor libuv drops
/// connections silently or calls back in an endless loop, here accepting pauses instead.
@safe package final class UVListener: UVHandle {
    /// How long accepting pauses after an error, in milliseconds; connections wait in the kernel.
    package static let pauseMilliseconds: Int64 = 100
    /// How many connections one turn accepts, so that open ones get their share of time.
    package static let connectionsPerTurn = 64

    /// The address in use, with the port that the kernel chose when 0 was asked for.
    package let address: SocketAddress
    private let descriptor: Int32
    private let poll: UnsafeMutablePointer<uv_poll_t>
    private var onConnection: ((UVStream) -> Void)?
    private var onAccepted: ((DetachedStream) -> DetachedStream?)?
    private var onError: ((UVError) -> Void)?
    private var pause: (any LoopTimer)?

    /// The address in use as text: `127.0.0.1:1234` or `[::1]:1234`.
    package var boundAddress: String { address.description }

    /// Binds a numeric IPv4 or IPv6 address; port 0 lets the kernel choose.
    ///
    /// The address may still be lingering from an earlier server (SO_REUSEADDR).
    ///
    /// - Throws: `UVError`, for instance EADDRINUSE, EACCES, EADDRNOTAVAIL, EINVAL.
    package init(on loop: UVEventLoop, host: String, port: UInt16) throws(UVError) {
        loop.preconditionCurrent()
        let wanted = SocketAddress(host: host, port: port)
        (descriptor, address) = try UVListener.bind(wanted)
        unsafe poll = .allocate(capacity: 1)
        let status = unsafe uv_poll_init(loop.core.uv, poll, descriptor)
        guard status == 0 else {
            unsafe poll.deallocate()
            Glibc.close(descriptor)
            throw UVError(code: status, call: "listen \(wanted)")
        }
        unsafe super.init(on: loop, cuv_poll_handle(poll))
    }

    /// Starts to accept; `backlog` is how many connections may wait in the kernel.
    ///
    /// `onConnection` must close each stream in the end. Before, `onAccepted` may keep a connection for
    /// another loop; it gives back those that belong here. `onError` hears why a connection could not
    /// be accepted, for instance EMFILE; accepting then pauses and goes on by itself.
    ///
    /// - Throws: `UVError`, for instance EADDRINUSE.
    package func listen(
        backlog: Int32 = 1024, onAccepted: ((DetachedStream) -> DetachedStream?)? = nil,
        onConnection: @escaping (UVStream) -> Void,
        onError: @escaping (UVError) -> Void
    ) throws(UVError) {
        loop.preconditionCurrent()
        guard !isClosing else { throw UVError.cancelled("listen \(address)") }
        guard Glibc.listen(descriptor, backlog) == 0 else {
            throw UVError(code: uv_translate_sys_error(errno), call: "listen \(address)")
        }
        self.onAccepted = onAccepted
        self.onConnection = onConnection
        self.onError = onError
        startPolling()
    }

    /// Stops to accept and frees the port at once; connections that wait in the kernel are reset.
    override package func close(_ onClosed: (() -> Void)? = nil) {
        let isFirst = !isClosing
        super.close(onClosed)
        // After libuv has let go of the descriptor.
        if isFirst { Glibc.close(descriptor) }
    }

    override func willClose() {
        onAccepted = nil
        onConnection = nil
        onError = nil
        pause = nil
    }

    private func startPolling() {
        unsafe uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, status, _ in
            guard let data = unsafe poll?.pointee.data else { return }
            let listener = unsafe Unmanaged<UVListener>.fromOpaque(data).takeUnretainedValue()
            if status < 0 {
                listener.failed(status)
            } else {
                listener.acceptConnections()
            }
        }
    }

    private func acceptConnections() {
        for _ in 0..<Self.connectionsPerTurn {
            // The callback of the connection before may have closed the listener.
            guard let onConnection else { return }
            var native = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = unsafe cuv_accept(descriptor, &native, &size)
            if accepted >= 0 {
                adopt(accepted, from: SocketAddress(native), onConnection)
                continue
            }
            switch errno {
            case EAGAIN: return
            // The peer gave up while it waited, or a signal came: on to the next one.
            case EINTR, ECONNABORTED: continue
            case let error: return failed(uv_translate_sys_error(error))
            }
        }
    }

    private func adopt(
        _ accepted: Int32, from peer: SocketAddress?, _ onConnection: (UVStream) -> Void
    ) {
        do throws(UVError) {
            if let onAccepted {
                let detached = DetachedStream(descriptor: accepted, from: peer)
                guard let own = onAccepted(detached) else { return }
                onConnection(try own.open(on: loop))
            } else {
                onConnection(try adopt(accepted, from: peer))
            }
        } catch {
            onError?(error)
        }
    }

    private func adopt(
        _ accepted: Int32, from peer: SocketAddress?
    ) throws(UVError) -> UVStream {
        do throws(UVError) {
            return try UVStream(on: loop, adopting: accepted, from: peer)
        } catch {
            Glibc.close(accepted)
            throw error
        }
    }

    private func failed(_ status: Int32) {
        unsafe uv_poll_stop(poll)
        onError?(UVError(code: status, call: "accept on \(address)"))
        guard !isClosing else { return }
        pause = loop.schedule(afterMilliseconds: Self.pauseMilliseconds) { [unowned self] in
            pause = nil
            startPolling()
        }
    }
}

extension UVListener {
    private static func bind(_ wanted: SocketAddress) throws(UVError) -> (Int32, SocketAddress) {
        var (native, size) = try wanted.native(for: "listen")
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(Int32(native.ss_family), type, 0)
        var yes: Int32 = 1
        let yesSize = socklen_t(MemoryLayout<Int32>.size)
        guard descriptor >= 0,
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, yesSize) == 0,
            unsafe Glibc.bind(descriptor, cuv_sockaddr(&native), size) == 0,
            unsafe getsockname(descriptor, cuv_sockaddr(&native), &size) == 0,
            let address = SocketAddress(native)
        else {
            let error = UVError(code: uv_translate_sys_error(errno), call: "listen \(wanted)")
            if descriptor >= 0 { Glibc.close(descriptor) }
            throw error
        }
        return (descriptor, address)
    }
}
