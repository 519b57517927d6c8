import Glibc

/// Runs `body` on `count` threads of their own, with their index, and waits until all have ended.
///
/// The concurrency pool has as many threads as the machine has cores; this has as many as asked.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Start {
        let index: Int
        let body: @Sendable (Int) -> Void

        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.index = index
            self.body = body
        }
    }
    let threads = (0..<count).map { index in
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                start.body(start.index)
                return nil
            }, Unmanaged.passRetained(Start(index, body)).toOpaque())
        precondition(status == 0, "pthread_create failed")
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}
