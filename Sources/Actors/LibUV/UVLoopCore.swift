internal import CLibUV

/// What a `UVEventLoop` owns and touches on its own thread only: libuv's loop and the turn's work.
///
/// Libuv's turn is: timers, prepare, wait and socket callbacks, check, close callbacks. The queue is
/// drained in prepare, for what timers and close callbacks left, and in check, for the rest.
@safe final class UVLoopCore {
    /// Bytes one read may bring; one buffer serves all streams of the loop.
    static let readBufferSize = 65536
    /// How many idle write requests are kept for reuse.
    static let spareRequestLimit = 256

    let uv: UnsafeMutablePointer<uv_loop_t>
    let readBuffer: UnsafeMutablePointer<CChar>
    let queue = TurnQueue()
    var spareRequests: [UVRequest] = []
    /// Handles of this loop that are not closed yet.
    var openHandles = 0

    private let async: UnsafeMutablePointer<uv_async_t>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let check: UnsafeMutablePointer<uv_check_t>
    private let idle: UnsafeMutablePointer<uv_idle_t>
    private var isIdleRunning = false
    /// The loop object, which runs the work and holds what other threads hand over.
    private unowned var owner: UVEventLoop?

    init() throws(UVError) {
        let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let async = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
        do throws(UVError) {
            // The two steps that need file descriptors and may therefore fail.
            try UVError.check(unsafe uv_loop_init(uv), "create an event loop")
            let status = unsafe uv_async_init(uv, async) { unsafe UVLoopCore.of($0)?.collect() }
            if status < 0 { unsafe uv_loop_close(uv) }
            try UVError.check(status, "create an event loop")
        } catch {
            unsafe uv.deallocate()
            unsafe async.deallocate()
            throw error
        }
        unsafe self.uv = uv
        unsafe self.async = async
        unsafe readBuffer = .allocate(capacity: Self.readBufferSize)
        unsafe prepare = .allocate(capacity: 1)
        unsafe check = .allocate(capacity: 1)
        unsafe idle = .allocate(capacity: 1)
        unsafe uv.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        unsafe uv_prepare_init(uv, prepare)
        unsafe uv_prepare_start(prepare) { unsafe UVLoopCore.of($0)?.drain() }
        unsafe uv_check_init(uv, check)
        unsafe uv_check_start(check) { unsafe UVLoopCore.of($0)?.drain() }
        unsafe uv_idle_init(uv, idle)
        // Tells the walk over all handles which ones are the loop's own.
        unsafe async.pointee.data = nil
        unsafe prepare.pointee.data = nil
        unsafe check.pointee.data = nil
        unsafe idle.pointee.data = nil
    }

    deinit {
        unsafe readBuffer.deallocate()
        unsafe async.deallocate()
        unsafe prepare.deallocate()
        unsafe check.deallocate()
        unsafe idle.deallocate()
        unsafe uv.deallocate()
    }

    /// Ends the wait for sockets; the one call of libuv that any thread may make.
    func wake() {
        unsafe uv_async_send(async)
    }

    /// Runs turns until `stop()`; `owner` must outlive the loop's end.
    func runUntilStopped(for owner: UVEventLoop) {
        self.owner = owner
        unsafe uv_run(uv, UV_RUN_DEFAULT)
    }

    /// Ends `runUntilStopped()` after the present turn.
    func stop() {
        unsafe uv_stop(uv)
    }

    /// Closes every handle that is still open and runs the callbacks and work that come of it.
    ///
    /// Work that keeps adding work is left behind after some rounds.
    func closeAllHandles() {
        for _ in 0..<TurnQueue.roundsPerTurn where openHandles > 0 || !queue.isEmpty {
            unsafe uv_walk(
                uv,
                { handle, _ in
                    guard let data = unsafe handle?.pointee.data else { return }
                    unsafe Unmanaged<UVHandle>.fromOpaque(data).takeUnretainedValue().close()
                }, nil)
            unsafe uv_run(uv, UV_RUN_NOWAIT)
        }
    }

    /// Gives the loop back to libuv; `closeAllHandles()` must have come before.
    func dispose() {
        unsafe uv_close(cuv_async_handle(async), nil)
        unsafe uv_close(cuv_prepare_handle(prepare), nil)
        unsafe uv_close(cuv_check_handle(check), nil)
        unsafe uv_close(cuv_idle_handle(idle), nil)
        unsafe uv_run(uv, UV_RUN_DEFAULT)
        let status = unsafe uv_loop_close(uv)
        precondition(status == 0, "an event loop ended with open handles")
    }

    private func collect() {
        guard let owner else { return }
        queue.append(contentsOf: owner.takeRemoteWork())
    }

    private func drain() {
        guard let owner else { return }
        let isEmpty = queue.drain { owner.run($0) }
        guard isEmpty == isIdleRunning else { return }
        // An idle handle makes libuv poll without waiting, so what is left runs in the next turn.
        if isEmpty {
            unsafe uv_idle_stop(idle)
        } else {
            unsafe uv_idle_start(idle) { _ in }
        }
        isIdleRunning = !isEmpty
    }
}

extension UVLoopCore {
    // The core outlives every callback of its loop, so no callback needs to retain it. These are the
    // ways from a handle to it.

    private static func of(_ handle: UnsafeMutablePointer<uv_async_t>?) -> UVLoopCore? {
        unsafe of(handle?.pointee.loop)
    }

    private static func of(_ handle: UnsafeMutablePointer<uv_prepare_t>?) -> UVLoopCore? {
        unsafe of(handle?.pointee.loop)
    }

    private static func of(_ handle: UnsafeMutablePointer<uv_check_t>?) -> UVLoopCore? {
        unsafe of(handle?.pointee.loop)
    }

    static func of(_ loop: UnsafeMutablePointer<uv_loop_t>?) -> UVLoopCore? {
        guard let data = unsafe loop?.pointee.data else { return nil }
        return unsafe Unmanaged<UVLoopCore>.fromOpaque(data).takeUnretainedValue()
    }
}
