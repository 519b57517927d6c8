import Coordinator
import Testing

@Suite struct OutboundQueueTests {
    private func add(_ count: Int, to queue: inout OutboundQueue) -> Bool {
        queue.append { $0.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: count)) }
    }

    private func addText(_ text: String, to queue: inout OutboundQueue) -> Bool {
        queue.append { $0 += Array(text.utf8) }
    }

    private func take(_ queue: inout OutboundQueue) -> [UInt8] {
        queue.take()
    }

    @Test func `what is queued together leaves in one write`() {
        var queue = OutboundQueue(limit: 100)
        #expect(queue.isEmpty)
        #expect(addText("one\n", to: &queue))
        #expect(addText("two\n", to: &queue))
        #expect(!queue.isEmpty)
        #expect(take(&queue) == Array("one\ntwo\n".utf8))
        #expect(!queue.isEmpty)
    }

    @Test func `what is alone may be longer than the limit`() {
        var queue = OutboundQueue(limit: 10)
        #expect(queue.append(isAlone: true) { $0 += Array(repeating: 0, count: 11) })
        #expect(queue.count == 11)
        #expect(!queue.append(isAlone: true) { $0 += [0] })
        #expect(queue.isEmpty)
    }

    @Test func `nothing is taken while a write is under way`() {
        var queue = OutboundQueue(limit: 100)
        #expect(take(&queue).isEmpty)
        #expect(add(3, to: &queue))
        #expect(take(&queue).count == 3)
        #expect(add(2, to: &queue))
        #expect(take(&queue).isEmpty)
        queue.completed()
        #expect(!queue.isEmpty)
        let second = queue.take()
        #expect(second.count == 2)
        queue.completed()
        #expect(queue.isEmpty)
        #expect(take(&queue).isEmpty)
    }

    @Test func `the limit counts what is queued and what is in flight`() {
        var queue = OutboundQueue(limit: 10)
        #expect(add(6, to: &queue))
        let first = queue.take()
        #expect(first.count == 6)
        #expect(add(4, to: &queue))
        #expect(queue.count == 10)
        #expect(!add(1, to: &queue))
        #expect(queue.isEmpty)
        #expect(queue.count == 0)
    }

    @Test func `a write that ends makes room`() {
        var queue = OutboundQueue(limit: 10)
        #expect(add(10, to: &queue))
        #expect(take(&queue).count == 10)
        queue.completed()
        #expect(add(10, to: &queue))
    }

    @Test func `a queue needs memory until it has some, and again after each write`() {
        var queue = OutboundQueue(limit: 100)
        #expect(queue.needsBuffer)
        var buffer: [UInt8] = []
        buffer.reserveCapacity(50)
        queue.use(buffer)
        #expect(!queue.needsBuffer)
        #expect(queue.isEmpty)
        #expect(add(5, to: &queue))
        #expect(take(&queue).capacity >= 50)
        #expect(queue.needsBuffer)
    }

    @Test func `clearing drops everything`() {
        var queue = OutboundQueue(limit: 100)
        #expect(add(5, to: &queue))
        _ = queue.take()
        #expect(add(5, to: &queue))
        queue.clear()
        #expect(queue.isEmpty)
        #expect(take(&queue).isEmpty)
    }
}
