import Actors

/// Lines that callbacks leave for the test, from any thread.
final class LoopNotes: Sendable {
    private let storage = Locked<[String]>([])

    var lines: [String] { storage.withLock { $0 } }

    func add(_ line: String) {
        storage.withLock { $0.append(line) }
    }
}
