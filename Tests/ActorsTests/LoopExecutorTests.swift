import Actors
import Distributed
import TestSupport
import Testing

/// Where the distributed actors of these tests live; their executor can only see their id.
private let homes = Locked<[LocalTestingActorID: any EventLoop]>([:])

/// One system for all tests, because each counts its ids from the start.
private let system = LocalTestingDistributedActorSystem()

private typealias LocalTestingActorID = LocalTestingDistributedActorSystem.ActorID

private distributed actor Guest {
    typealias ActorSystem = LocalTestingDistributedActorSystem

    private var count = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        guard let loop = homes.withLock({ $0[id] }) else { preconditionFailure("no home") }
        return unsafe loop.asUnownedSerialExecutor()
    }

    init(on loop: any EventLoop) {
        actorSystem = system
        let id = self.id
        homes.withLock { $0[id] = loop }
    }

    func visit() -> Int {
        count += 1
        return count
    }

    distributed func visitFromAfar() -> Int { visit() }
}

private actor Resident {
    private let loop: any EventLoop
    private(set) var threads: [Bool] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    func note() {
        threads.append(loop.isCurrent)
    }

    func noteAtTurnEnd() {
        loop.atTurnEnd { self.note() }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LoopExecutorTests {
    @Test func `a callback enters an actor of its loop without a task`() async throws {
        try await withEventLoop { loop in
            let resident = Resident(on: loop)
            let _: Bool = await loop.result { done in
                var timer: (any LoopTimer)?
                timer = loop.schedule(afterMilliseconds: 0) {
                    resident.assumeIsolated { $0.note() }
                    resident.assumeIsolated { $0.noteAtTurnEnd() }
                    timer = nil
                    loop.atTurnEnd { done(true) }
                }
                _ = timer
            }
            #expect(await resident.threads == [true, true])
        }
    }

    @Test func `a call from another executor hops to the loop`() async throws {
        try await withEventLoop { loop in
            let resident = Resident(on: loop)
            await resident.note()
            #expect(await resident.threads == [true])
        }
    }

    @Test func `a task that prefers the loop stays on it`() async throws {
        try await withEventLoop { loop in
            let resident = Resident(on: loop)
            let stayed = await Task(executorPreference: loop) {
                var stayed = loop.isCurrent
                await resident.note()
                stayed = stayed && loop.isCurrent
                await Task.yield()
                return stayed && loop.isCurrent
            }.value
            #expect(stayed)
            #expect(await resident.threads == [true])
        }
    }

    @Test func `a distributed actor lives on its loop`() async throws {
        try await withEventLoop { loop in
            let guest = Guest(on: loop)
            let first = await loop.result { done in
                done(guest.assumeIsolated { $0.visit() })
            }
            #expect(first == 1)
            let second = try await Task(executorPreference: loop) {
                try await guest.visitFromAfar()
            }.value
            #expect(second == 2)
        }
    }

    @Test func `a distributed actor on a manual loop is entered from the test's thread`() {
        let loop = ManualEventLoop()
        let guest = Guest(on: loop)
        #expect(guest.assumeIsolated { $0.visit() } == 1)
        let answer = Locked<Int?>(nil)
        Task(executorPreference: loop) {
            let count = try? await guest.visitFromAfar()
            answer.withLock { $0 = count }
        }
        #expect(answer.withLock { $0 } == nil)
        loop.run()
        #expect(answer.withLock { $0 } == 2)
    }

    @Test func `entering an actor of a loop from elsewhere traps`() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let loop = try UVEventLoop(name: "elsewhere")
            loop.start()
            let resident = Resident(on: loop)
            func enter() { resident.assumeIsolated { _ in } }
            enter()
        }
        let message = String(decoding: outcome?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Incorrect actor executor assumption"))
    }
}
