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
        queue.take().own
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
        let second = queue.take().own
        #expect(second.count == 2)
        queue.completed()
        #expect(queue.isEmpty)
        #expect(take(&queue).isEmpty)
    }

    @Test func `the limit counts what is queued and what is in flight`() {
        var queue = OutboundQueue(limit: 10)
        #expect(add(6, to: &queue))
        let first = queue.take().own
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

    // MARK: The turn's shared output

    @Test func `pieces that go on from each other are one part, before the own bytes`() {
        var queue = OutboundQueue(limit: 100)
        #expect(queue.share(10..<14) == .shared)
        #expect(queue.share(14..<20) == .shared)
        #expect(!queue.isEmpty)
        #expect(queue.count == 10)
        #expect(queue.needsBuffer)
        #expect(addText("own\n", to: &queue))
        let batch = queue.take()
        #expect(batch.shared == 10..<20)
        #expect(batch.own == Array("own\n".utf8))
        #expect(batch.count == 14)
        #expect(queue.count == 14)
        queue.completed()
        #expect(queue.isEmpty)
    }

    @Test func `a piece that does not go on from the part needs a copy`() {
        var queue = OutboundQueue(limit: 100)
        #expect(queue.share(0..<4) == .shared)
        #expect(queue.share(8..<9) == .needsCopy)
        #expect(queue.take().shared == 0..<4)
    }

    @Test func `a piece behind own bytes needs a copy, so that the order stays`() {
        var queue = OutboundQueue(limit: 100)
        #expect(add(1, to: &queue))
        #expect(queue.share(0..<4) == .needsCopy)
        #expect(queue.take().shared.isEmpty)
    }

    @Test func `while a write is under way nothing is shared`() {
        var queue = OutboundQueue(limit: 100)
        #expect(queue.share(0..<4) == .shared)
        #expect(queue.take().count == 4)
        #expect(queue.share(4..<8) == .needsCopy)
        queue.completed()
        #expect(queue.share(4..<8) == .shared)
    }

    @Test func `what is shared counts like what is one's own`() {
        var queue = OutboundQueue(limit: 10)
        #expect(queue.share(0..<6) == .shared)
        #expect(add(4, to: &queue))
        #expect(!add(1, to: &queue))
        #expect(queue.isEmpty)
        #expect(queue.share(0..<10) == .shared)
        #expect(queue.share(10..<11) == .overflow)
        #expect(queue.isEmpty)
        #expect(queue.take().count == 0)
    }

    @Test func `clearing forgets the shared part`() {
        var queue = OutboundQueue(limit: 10)
        #expect(queue.share(0..<6) == .shared)
        queue.clear()
        #expect(queue.isEmpty)
        #expect(queue.share(3..<4) == .shared)
        #expect(queue.take().shared == 3..<4)
    }
}
