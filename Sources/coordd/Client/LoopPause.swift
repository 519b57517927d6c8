import Actors

/// One thing to be done later on a loop; a new one takes the place of the old.
final class LoopPause {
    private let loop: UVEventLoop
    private var timer: (any LoopTimer)?

    /// Nothing to be done on `loop` yet.
    init(_ loop: UVEventLoop) {
        self.loop = loop
    }

    /// Does `work` after so many milliseconds.
    func schedule(afterMilliseconds milliseconds: UInt64, _ work: @escaping () -> Void) {
        timer = loop.schedule(afterMilliseconds: Int64(milliseconds), work)
    }
}
