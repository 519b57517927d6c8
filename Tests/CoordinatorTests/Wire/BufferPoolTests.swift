import Coordinator
import Testing

@Suite struct BufferPoolTests {
    private func used(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    @Test func `an empty pool lends a buffer without memory`() {
        var pool = BufferPool(limit: 1000)
        #expect(pool.lend().capacity == 0)
    }

    @Test func `a buffer comes back empty with its memory`() {
        var pool = BufferPool(limit: 1000)
        var buffer = used(100)
        pool.takeBack(&buffer)
        #expect(buffer.capacity == 0)
        #expect(pool.capacity >= 100)
        let lent = pool.lend()
        #expect(lent.isEmpty)
        #expect(lent.capacity >= 100)
        #expect(pool.capacity == 0)
    }

    @Test func `what was used last is lent first`() {
        var pool = BufferPool(limit: 10_000)
        var first = used(100)
        var second = used(1000)
        pool.takeBack(&first)
        pool.takeBack(&second)
        #expect(pool.lend().capacity >= 1000)
        #expect(pool.lend().capacity < 1000)
    }

    @Test func `a pool that is released keeps nothing and goes on`() {
        var pool = BufferPool(limit: 10_000)
        var buffer = used(100)
        pool.takeBack(&buffer)
        pool.release()
        #expect(pool.capacity == 0)
        #expect(pool.lend().capacity == 0)
        var next = used(100)
        pool.takeBack(&next)
        #expect(pool.capacity >= 100)
    }

    @Test func `a full pool and a pool that is offered too big a buffer free it`() {
        var pool = BufferPool(limit: 1_000_000)
        var big = used(BufferPool.largestBuffer + 1)
        pool.takeBack(&big)
        #expect(pool.capacity == 0)
        var small = BufferPool(limit: 50)
        var buffer = used(100)
        small.takeBack(&buffer)
        #expect(small.capacity == 0)
        #expect(buffer.capacity == 0)
    }
}
