package import Actors

/// Runs `body` with a started loop and ends the loop afterwards, which checks that it can be closed.
package func withEventLoop<Result>(
    _ name: String = #function, _ body: (UVEventLoop) async throws -> Result
) async throws -> Result {
    let loop = try UVEventLoop(name: name)
    loop.start()
    let result: Result
    do {
        result = try await body(loop)
    } catch {
        loop.stop()
        await loop.finished()
        throw error
    }
    loop.stop()
    await loop.finished()
    return result
}

/// Runs `body` with started loops and ends them afterwards, which checks that they can be closed.
package func withEventLoops<Result>(
    _ count: Int, _ name: String = #function, _ body: ([UVEventLoop]) async throws -> Result
) async throws -> Result {
    let loops = try UVEventLoop.several(count, name: name)
    func end() async {
        for loop in loops { loop.stop() }
        for loop in loops { await loop.finished() }
    }
    for loop in loops { loop.start() }
    let result: Result
    do {
        result = try await body(loops)
    } catch {
        await end()
        throw error
    }
    await end()
    return result
}

extension UVEventLoop {
    /// Runs `body` on the loop and waits until it, or a callback it sets up, calls `done`.
    package func result<Value: Sendable>(
        _ body: @escaping @Sendable (_ done: @escaping (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            execute { body { continuation.resume(returning: $0) } }
        }
    }

    /// Runs `body`, which may throw, on the loop and waits until it or a callback calls `done`.
    package func attempt<Value: Sendable>(
        _ body: @escaping @Sendable (_ done: @escaping (Value) -> Void) throws -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            execute {
                do {
                    try body { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}

extension [UInt8] {
    /// Copies bytes that are only lent.
    package init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }
}
