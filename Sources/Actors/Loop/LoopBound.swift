/// A value that may be touched on one loop's thread only, in a box that may go anywhere.
///
/// The box is what lets loop-confined code without an actor of its own, such as a connection, be
/// named in actors and callbacks. It traps on any other thread, and on overlapping touches.
package final class LoopBound<Value>: Sendable {
    private let loop: any EventLoop
    // Every access is checked to be on the loop's thread first.
    private nonisolated(unsafe) var value: Value

    /// Binds `value` to `loop`.
    package init(_ value: Value, on loop: any EventLoop) {
        self.loop = loop
        unsafe self.value = value
    }

    /// Runs `body` with the value; `body` must not come back to this box.
    package func withValue<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        loop.preconditionCurrent()
        return try unsafe body(&value)
    }
}
