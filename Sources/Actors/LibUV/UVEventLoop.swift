internal import CLibUV
package import Coordinator
internal import Glibc
internal import Synchronization

/// A libuv loop on one thread that is also the executor of actors and tasks.
///
/// Jobs and turn-end actions run in libuv's prepare and check phases: after timers and after
/// input, before the loop waits again (decision: executor).
@safe package final class UVEventLoop: EventLoop, Sendable {
    // The loop's memory and all handles in it are touched by the loop's thread only, but for
    // `wakeUp`, which libuv allows from any thread.
    nonisolated(unsafe) let uv: UnsafeMutablePointer<uv_loop_t>
    nonisolated(unsafe) let wakeUp: UnsafeMutablePointer<uv_async_t>
    private nonisolated(unsafe) let prepare: UnsafeMutablePointer<uv_prepare_t>
    private nonisolated(unsafe) let check: UnsafeMutablePointer<uv_check_t>
    private nonisolated(unsafe) let idle: UnsafeMutablePointer<uv_idle_t>
    /// Where every stream of the loop reads into; lent to the callback, then used again.
    nonisolated(unsafe) let readBuffer: UnsafeMutableBufferPointer<UInt8>

    // Loop thread only, but for `incoming`.
    private nonisolated(unsafe) var local = LoopWork()
    private let incoming = Locked(Incoming())
    /// The thread that runs the loop; 0 while none does.
    private let thread = Atomic<pthread_t>(0)

    private let wallStart: Int64
    private let monotonicStart: UInt64

    private struct Incoming: Sendable {
        var jobs: [UnownedJob] = []
        var actions: [@Sendable () -> Void] = []
        var isStopping = false
        /// After the loop has ended nothing may wake it: its handles are gone.
        var isClosed = false
    }

    /// Bytes of the read buffer.
    static let readBufferBytes = 65_536

    /// Makes a loop that is not running yet.
    package init() {
        unsafe uv = .allocate(capacity: 1)
        unsafe wakeUp = .allocate(capacity: 1)
        unsafe prepare = .allocate(capacity: 1)
        unsafe check = .allocate(capacity: 1)
        unsafe idle = .allocate(capacity: 1)
        unsafe readBuffer = .allocate(capacity: Self.readBufferBytes)
        wallStart = Self.wallMilliseconds()
        monotonicStart = uv_hrtime()
        let result = unsafe uv_loop_init(uv)
        precondition(result == 0, "no event loop: \(UVError(result, "uv_loop_init"))")
        // Released in `run`, once the loop has ended.
        unsafe uv.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe uv_async_init(uv, wakeUp) { unsafe UVEventLoop.of($0?.pointee.loop).takeIncoming() }
        unsafe uv_prepare_init(uv, prepare)
        unsafe uv_prepare_start(prepare) { unsafe UVEventLoop.of($0?.pointee.loop).endTurn() }
        unsafe uv_check_init(uv, check)
        unsafe uv_check_start(check) { unsafe UVEventLoop.of($0?.pointee.loop).endTurn() }
        unsafe uv_idle_init(uv, idle)
    }

    deinit {
        unsafe uv.deallocate()
        unsafe wakeUp.deallocate()
        unsafe prepare.deallocate()
        unsafe check.deallocate()
        unsafe idle.deallocate()
        unsafe readBuffer.deallocate()
    }

    /// The loop that a callback came from.
    static func of(_ uv: UnsafeMutablePointer<uv_loop_t>?) -> UVEventLoop {
        guard let data = unsafe uv?.pointee.data else {
            preconditionFailure("a libuv loop that is not one of this process's event loops")
        }
        return unsafe Unmanaged<UVEventLoop>.fromOpaque(data).takeUnretainedValue()
    }

    private static func wallMilliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    package var now: Instant {
        let elapsed = (uv_hrtime() - monotonicStart) / 1_000_000
        return Instant(milliseconds: wallStart + Int64(elapsed))
    }

    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == pthread_self()
    }

    package func atTurnEnd(_ action: @escaping () -> Void) {
        preconditionCurrent()
        unsafe local.turnEnd.append(action)
    }

    package func execute(_ action: @escaping @Sendable () -> Void) {
        incoming.withLock { incoming in
            incoming.actions.append(action)
            wake(incoming)
        }
    }

    package func schedule(
        afterMilliseconds delay: Int64, _ action: @escaping () -> Void
    ) -> any LoopTimer {
        preconditionCurrent()
        return UVTimer(loop: self, delay: UInt64(max(0, delay)), action)
    }
}

// MARK: - Running

extension UVEventLoop {
    /// Runs the loop on a new thread.
    package func start() {
        var id = pthread_t()
        let loop = unsafe Unmanaged.passRetained(self)
        let result = unsafe pthread_create(
            &id, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<UVEventLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, unsafe loop.toOpaque())
        precondition(result == 0, "no thread for an event loop: error \(result)")
        pthread_detach(id)
    }

    /// Runs the loop on the calling thread until ``stop()``, then closes it.
    ///
    /// Every handle must have been closed by then or be closed by what `stop` lets run.
    package func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        unsafe uv_run(uv, UV_RUN_DEFAULT)
        // The second run is for the close callbacks of the loop's own handles.
        closeOwnHandles()
        unsafe uv_run(uv, UV_RUN_DEFAULT)
        let result = unsafe uv_loop_close(uv)
        precondition(result == 0, "handles were left open when their loop ended")
        thread.store(0, ordering: .relaxed)
        unsafe Unmanaged.passUnretained(self).release()
    }

    /// Ends ``run()`` after the work that is waiting now; from any thread.
    package func stop() {
        incoming.withLock { incoming in
            incoming.isStopping = true
            wake(incoming)
        }
    }

    private func closeOwnHandles() {
        incoming.withLock { $0.isClosed = true }
        unsafe uv_close(cuv_async_handle(wakeUp), nil)
        unsafe uv_close(cuv_prepare_handle(prepare), nil)
        unsafe uv_close(cuv_check_handle(check), nil)
        unsafe uv_close(cuv_idle_handle(idle), nil)
    }

    private func wake(_ incoming: Incoming) {
        guard !incoming.isClosed else { return }
        unsafe uv_async_send(wakeUp)
    }

    /// Takes over what other threads brought, in their order.
    private func takeIncoming() {
        let (jobs, actions, isStopping) = incoming.withLock { incoming in
            let taken = (incoming.jobs, incoming.actions, incoming.isStopping)
            incoming.jobs = []
            incoming.actions = []
            return taken
        }
        unsafe local.jobs.append(contentsOf: jobs)
        for action in actions { action() }
        if isStopping { unsafe uv_stop(uv) }
    }

    /// Rounds of jobs and turn-end actions in one phase; the rest waits for the next turn.
    private static let maximumRounds = 64

    private func endTurn() {
        var rounds = 0
        while unsafe !local.isEmpty, rounds < Self.maximumRounds {
            rounds += 1
            let work = unsafe local
            unsafe local = LoopWork()
            for job in work.jobs { run(job) }
            for action in work.turnEnd { action() }
        }
        // An active idle handle keeps the loop from waiting while work is left.
        if unsafe local.isEmpty {
            unsafe uv_idle_stop(idle)
        } else {
            unsafe uv_idle_start(idle) { _ in }
        }
    }

    private func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
}

// MARK: - Executor

extension UVEventLoop {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            unsafe local.jobs.append(job)
        } else {
            incoming.withLock { incoming in
                incoming.jobs.append(job)
                wake(incoming)
            }
        }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    package func checkIsolated() {
        preconditionCurrent()
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
