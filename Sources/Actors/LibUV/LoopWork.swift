/// Work of a loop that only its own thread touches.
struct LoopWork {
    var jobs: [UnownedJob] = []
    var turnEnd: [() -> Void] = []

    var isEmpty: Bool { jobs.isEmpty && turnEnd.isEmpty }
}
