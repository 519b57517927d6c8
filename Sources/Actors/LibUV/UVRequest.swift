internal import CLibUV

/// One call that libuv completes later: its memory, the bytes it needs and whom to tell.
///
/// Libuv holds the request until its callback, which comes exactly once, with ECANCELED when the
/// stream is closed before. A loop keeps finished requests for reuse.
@safe final class UVRequest {
    let pointer: UnsafeMutablePointer<uv_any_req>
    private(set) var bytes: [UInt8] = []
    private var completion: (UVError?) -> Void = { _ in }

    private init() {
        unsafe pointer = .allocate(capacity: 1)
    }

    deinit {
        unsafe pointer.deallocate()
    }

    /// A request that libuv may hold from now on.
    static func begin(
        in core: UVLoopCore, keeping bytes: consuming [UInt8] = [],
        _ completion: @escaping (UVError?) -> Void
    ) -> UVRequest {
        let request = core.spareRequests.popLast() ?? UVRequest()
        request.bytes = bytes
        request.completion = completion
        unsafe cuv_request(request.pointer).pointee.data =
            Unmanaged.passRetained(request).toOpaque()
        return request
    }

    /// Ends the request whose data field this is: lets go of its bytes and tells its owner.
    static func finish(
        _ data: UnsafeMutableRawPointer?, in core: UVLoopCore, _ status: Int32, _ call: StaticString
    ) {
        guard let data = unsafe data else { return }
        let request = unsafe Unmanaged<UVRequest>.fromOpaque(data).takeRetainedValue()
        let completion = request.completion
        request.completion = { _ in }
        request.bytes = []
        if core.spareRequests.count < UVLoopCore.spareRequestLimit {
            core.spareRequests.append(request)
        }
        completion(status < 0 ? UVError(code: status, call: "\(call)") : nil)
    }

    /// Ends a request that libuv refused, at the turn's end: never within the call that made it.
    func refuse(_ status: Int32, on loop: UVEventLoop, _ call: StaticString) {
        loop.atTurnEnd { [self] in
            unsafe UVRequest.finish(cuv_request(pointer).pointee.data, in: loop.core, status, call)
        }
    }
}
