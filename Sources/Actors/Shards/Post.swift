package import Coordinator

/// The mail of one event loop to the others: what a turn has for another loop goes in one batch, with
/// one wake.
///
/// What is sent to one loop arrives in the order it was sent. Confined to the loop whose it is, but for
/// its place.
package final class Post: Sendable {
    private struct State {
        var shards: [Shard] = []
        /// By receiver.
        var outgoing: [[ShardMail]]
        var isFlushAwaited = false
        /// Until mail goes out that nobody is in a hurry for.
        var pause: (any LoopTimer)?
    }

    /// The place of this loop among all of them.
    package let index: Int
    /// How many loops there are.
    package let count: Int
    let loop: any EventLoop
    private let state: LoopBound<State>

    /// The place of the loop that has the listeners, the signals and the store.
    package static let first = 0
    /// The most loops.
    package static let maximumCount = 64
    /// Milliseconds that mail may wait which nobody is in a hurry for.
    private static let pauseMilliseconds: Int64 = 5
    /// So much of it does not wait.
    private static let patientCount = 1024

    /// The post of the loop at a place; on that loop.
    init(_ index: Int, of count: Int, on loop: any EventLoop) {
        self.index = index
        self.count = count
        self.loop = loop
        state = LoopBound(
            State(outgoing: [[ShardMail]](repeating: [], count: count)), on: loop)
    }

    /// The place of the loop that a session lives on: the same for as long as the process runs.
    func place(of session: SessionID) -> Int { Self.place(of: session, among: count) }

    /// The place of a session's loop among so many: FNV-1a of its name.
    package static func place(of session: SessionID, among count: Int) -> Int {
        guard count > 1 else { return first }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in session.description.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return Int((hash ^ hash >> 32) % UInt64(count))
    }

    /// All loops are there, and mail can be sent.
    func meet(_ shards: [Shard]) {
        state.withValue { $0.shards = shards }
    }

    /// Lets go of the others: nothing is sent any more.
    func part() {
        state.withValue { state in
            state.shards = []
            state.pause = nil
            for place in state.outgoing.indices { state.outgoing[place] = [] }
        }
    }

    /// Sends at the turn's end, or somewhat later when nobody is in a hurry.
    func send(_ mail: ShardMail, to place: Int, isUrgent: Bool = true) {
        let flushes = state.withValue { state -> Bool in
            guard !state.shards.isEmpty else { return false }
            state.outgoing[place].append(mail)
            guard isUrgent || state.outgoing[place].count >= Self.patientCount else {
                if state.pause == nil { state.pause = makePause() }
                return false
            }
            defer { state.isFlushAwaited = true }
            return !state.isFlushAwaited
        }
        if flushes { loop.atTurnEnd { [self] in flush() } }
    }

    /// Has another loop, or this one, do something rare.
    func send(to place: Int, _ work: @escaping @Sendable (Shard) -> Void) {
        send(.work(work), to: place)
    }

    private func makePause() -> any LoopTimer {
        loop.schedule(afterMilliseconds: Self.pauseMilliseconds) { [weak self] in
            guard let self else { return }
            state.withValue { $0.pause = nil }
            flush()
        }
    }

    private func flush() {
        let (shards, batches) = state.withValue { state -> ([Shard], [[ShardMail]]) in
            state.isFlushAwaited = false
            let batches = state.outgoing
            for place in batches.indices { state.outgoing[place] = [] }
            return (state.shards, batches)
        }
        for (shard, batch) in zip(shards, batches) where !batch.isEmpty {
            shard.post.loop.execute { shard.take(batch) }
        }
    }
}

// MARK: - Asking all

extension Post {
    private final class Collection<Part> {
        var parts: [Part?]
        var missing: Int
        let completion: ([Part]) -> Void

        init(count: Int, _ completion: @escaping ([Part]) -> Void) {
            parts = [Part?](repeating: nil, count: count)
            missing = count
            self.completion = completion
        }

        func add(_ part: Part, at place: Int) {
            parts[place] = part
            missing -= 1
            if missing == 0 { completion(parts.compactMap(\.self)) }
        }
    }

    /// Asks every loop, this one among them, and gives the answers in the order of the loops, later.
    func gather<Part: Sendable>(
        _ ask: @escaping @Sendable (Shard, _ answer: @escaping (Part) -> Void) -> Void,
        _ completion: @escaping ([Part]) -> Void
    ) {
        let collection = LoopBound(Collection(count: count, completion), on: loop)
        let home = index
        for place in 0..<count {
            send(to: place) { shard in
                ask(shard) { part in
                    shard.post.send(to: home) { _ in collection.value.add(part, at: place) }
                }
            }
        }
    }
}
