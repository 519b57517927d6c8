import Actors
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopBoundTests {
    private final class Witness {
        var count = 0
        let onDeath: () -> Void

        init(_ onDeath: @escaping () -> Void) {
            self.onDeath = onDeath
        }

        deinit { onDeath() }
    }

    @Test func `the value is lent on its loop`() async throws {
        try await withEventLoop { loop in
            let count: Int = await loop.result { done in
                let box = LoopBound(1, on: loop)
                box.withValue { $0 += 1 }
                done(box.value)
            }
            #expect(count == 2)
        }
    }

    @Test func `the value dies on its loop when the box is dropped elsewhere`() async throws {
        try await withEventLoop { loop in
            let died = Locked<Bool?>(nil)
            let place = Locked<LoopBound<Witness>?>(nil)
            let _: Bool = await loop.result { done in
                let witness = Witness { died.withLock { $0 = loop.isCurrent } }
                let box = LoopBound(witness, on: loop)
                place.withLock { $0 = box }
                done(true)
            }
            place.withLock { $0 = nil }
            let _: Bool = await loop.result { $0(true) }
            #expect(died.withLock { $0 } == true)
        }
    }

    @Test func `opening a box on another thread traps`() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let loop = try UVEventLoop(name: "elsewhere")
            loop.start()
            let box = await loop.result { done in done(LoopBound(1, on: loop)) }
            _ = box.value
        }
        let message = String(decoding: outcome?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("this belongs on its event loop's thread"))
    }
}
