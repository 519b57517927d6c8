internal import CLibUV
internal import Glibc

extension UVStream {
    /// Connects to a numeric IPv4 or IPv6 address.
    ///
    /// `completion` is told nil, or why there is no connection; the stream is then closing already,
    /// and the owner need not close it.
    package func connect(
        host: String, port: UInt16, _ completion: @escaping (UVError?) -> Void
    ) {
        loop.preconditionCurrent()
        let address = SocketAddress(host: host, port: port)
        guard !isClosing else {
            return loop.atTurnEnd { completion(UVError.cancelled("connect \(address)")) }
        }
        let request = unsafe UVRequest.begin(in: loop.core) { [self] error in
            connected(to: address, error, completion)
        }
        let status: Int32
        do throws(UVError) {
            var (native, _) = try address.native(for: "connect")
            status = unsafe uv_tcp_connect(
                cuv_connect_request(request.pointer), tcp, cuv_sockaddr(&native)
            ) { request, status in
                guard let core = unsafe UVLoopCore.of(request?.pointee.handle.pointee.loop) else {
                    return
                }
                unsafe UVRequest.finish(request?.pointee.data, in: core, status, "connect")
            }
        } catch {
            status = error.code
        }
        if status < 0 { request.refuse(status, on: loop, "connect") }
    }

    private func connected(
        to address: SocketAddress, _ error: UVError?, _ completion: (UVError?) -> Void
    ) {
        if let error {
            close()
            completion(UVError(code: error.code, call: "connect \(address)"))
        } else {
            peerAddress = address
            completion(nil)
        }
    }
}
