/// A box that carries a value which is not Sendable, and that opens only on one event loop.
///
/// It exists for `assumeIsolated`: a stream or a connection cannot be captured by that closure, its
/// box can. The check of the thread is what makes the promise of `Sendable` true.
@safe package final class LoopBound<Value>: Sendable {
    /// Gives the value a place of its own, whose release can be moved to the loop.
    private final class Storage {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let loop: any EventLoop
    private nonisolated(unsafe) let storage: Unmanaged<Storage>

    /// Boxes `value`; only on the loop's thread.
    package init(_ value: Value, on loop: any EventLoop) {
        loop.preconditionCurrent()
        self.loop = loop
        unsafe storage = Unmanaged.passRetained(Storage(value))
    }

    /// A copy of the value, or the reference it is; only on the loop's thread.
    package var value: Value {
        loop.preconditionCurrent()
        return unsafe storage._withUnsafeGuaranteedRef { $0.value }
    }

    /// Lends the value for reading and changing; only on the loop's thread.
    ///
    /// The access is exclusive: opening the same box again from within `body` traps.
    package func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        loop.preconditionCurrent()
        // No retain: whoever calls holds the box, and the box its storage.
        return unsafe storage._withUnsafeGuaranteedRef { body(&$0.value) }
    }

    /// The same for a `body` that may throw.
    ///
    /// - Throws: what `body` throws.
    package func withValue<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        loop.preconditionCurrent()
        let storage = unsafe self.storage.takeUnretainedValue()
        return try body(&storage.value)
    }

    deinit {
        // The value dies on its loop too; a loop that has stopped no longer minds where.
        if loop.isCurrent {
            unsafe storage.release()
        } else {
            nonisolated(unsafe) let storage = unsafe self.storage
            if !loop.execute({ unsafe storage.release() }) { unsafe storage.release() }
        }
    }
}
