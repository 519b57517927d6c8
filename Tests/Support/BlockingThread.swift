import Glibc

/// Runs `body` where it may block: on threads of its own instead of the concurrency pool's few.
///
/// The task stays the same, so expectations in `body` belong to the running test.
package func onBlockingThread<Result>(
    _ body: () async throws -> Result
) async rethrows -> Result {
    try await withTaskExecutorPreference(BlockingExecutor()) { try await body() }
}

/// Gives each piece of a task a thread, which ends with it.
private final class BlockingExecutor: TaskExecutor {
    private final class Start {
        let job: UnownedJob
        let executor: BlockingExecutor

        init(_ job: UnownedJob, on executor: BlockingExecutor) {
            self.job = job
            self.executor = executor
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let start = Start(UnownedJob(job), on: self)
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                unsafe start.job.runSynchronously(on: start.executor.asUnownedTaskExecutor())
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        precondition(status == 0, "pthread_create failed")
        pthread_detach(thread)
    }
}
