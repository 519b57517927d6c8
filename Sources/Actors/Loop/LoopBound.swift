/// A box that carries a value which is not Sendable, and that opens only on one event loop.
///
/// It exists for `assumeIsolated`: a stream or a connection cannot be captured by that closure, its
/// box can. The check of the thread is what makes the promise of `Sendable` true.
///
/// Boxes are opened several times for each event, so opening one is a comparison and a flag: the
/// language's own checks of exclusive access cost more than most of what is done inside.
@safe package final class LoopBound<Value>: Sendable {
    private let thread: LoopThread
    private let loop: any EventLoop
    // A place of its own, whose release can be moved to the loop.
    private nonisolated(unsafe) let place: UnsafeMutablePointer<Value>
    private nonisolated(unsafe) var isOpen = false

    /// Boxes `value`; only on the loop's thread.
    package init(_ value: Value, on loop: any EventLoop) {
        loop.preconditionCurrent()
        self.loop = loop
        thread = loop.thread
        unsafe place = .allocate(capacity: 1)
        unsafe place.initialize(to: value)
    }

    /// A copy of the value, or the reference it is; only on the loop's thread.
    package var value: Value {
        open()
        unsafe isOpen = false
        return unsafe place.pointee
    }

    /// Lends the value for reading and changing; only on the loop's thread.
    ///
    /// The access is exclusive: opening the same box again from within `body` traps.
    @inline(__always)
    package func withValue<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        open()
        defer { unsafe isOpen = false }
        return try unsafe body(&place.pointee)
    }

    @inline(__always)
    private func open() {
        thread.preconditionCurrent()
        unsafe precondition(!isOpen, "a box was opened while it was open")
        unsafe isOpen = true
    }

    deinit {
        nonisolated(unsafe) let place = unsafe self.place
        // The value dies on its loop too; a loop that has stopped no longer minds where.
        guard !loop.isCurrent, loop.execute({ unsafe Self.free(place) }) else {
            return unsafe Self.free(place)
        }
    }

    private static func free(_ place: UnsafeMutablePointer<Value>) {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }
}
