internal import Glibc

/// A thread of its own for work that blocks.
enum WorkerThread {
    private final class Start {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread, named `name`, to its end.
    ///
    /// The thread takes no signals: those belong to the event loop.
    static func run(name: String, _ body: sending @escaping () -> Void) {
        let start = Start(name: name, body: body)
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                // Without an initializer, which a release build takes for one of libuv's headers.
                unsafe withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { all in
                    guard let all = all.baseAddress else { return }
                    unsafe sigfillset(all)
                    unsafe pthread_sigmask(SIG_SETMASK, all, nil)
                }
                ThreadName.set(start.name)
                start.body()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        precondition(status == 0, "no thread for \(name)")
        pthread_detach(thread)
    }
}
