import Actors
import Coordinator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReturnTests {
    private static let threads = 4
    private static let devicesEach = 5
    private static let stepsEach = 400

    @Test func `a thousand first subscribes at once make one session`() async throws {
        try await withServer { server in
            let epochs = Locked<[String]>([])
            let failures = Locked<[String]>([])
            let port = server.port
            onThreads(Self.threads) { thread in
                do {
                    let clients = try (0..<250).map { _ in try RawClient(port: port) }
                    for (index, client) in clients.enumerated() {
                        // In one write: nobody waits for anybody.
                        client.send(
                            #"{"id":1,"connect":{"data":{"device":"\#(thread)-\#(index)"}}}"#
                                + "\n" + #"{"id":2,"subscribe":{"channel":"session:a"}}"#)
                    }
                    for client in clients {
                        guard case .reply(1, "connect", _) = try client.message(),
                            case .reply(2, "subscribe", let result) = try client.message()
                        else { throw RawClient.Failure.unexpected("no subscription") }
                        epochs.withLock { $0.append(result["epoch"]?.string ?? "") }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let all = epochs.withLock { $0 }
            #expect(all.count == 1000)
            #expect(Set(all).count == 1)
            #expect(await server.storedSessions == 1)
            // All the sockets are closed now.
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
            let witness = try RawClient(port: server.port, device: "witness")
            try witness.subscribe("a")
            #expect(
                try witness.call(#""presence_stats":{"channel":"session:a"}"#)
                    == .result(["num_clients": 1, "num_users": 1]))
        }
    }

    @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
    func `mirrors that drop and return at random miss nothing and see nothing twice`(
        seed: UInt64
    ) async throws {
        print("seed of the drops and returns: \(seed)")
        try await withServer {
            $0.session.historySize = 12
            $0.server.client.eventsPerSecond = 10_000
        } _: { server in
            let faults = Locked<[String]>([])
            let returns = Locked<[RestlessDevice.Returns]>([])
            let port = server.port
            onThreads(Self.threads) { thread in
                do {
                    let own = try Self.wander(thread: thread, seed: seed, port: port)
                    returns.withLock { $0 += own }
                } catch {
                    faults.withLock { $0.append("\(error)") }
                }
            }
            #expect(faults.withLock { $0 } == [], "seed \(seed)")
            let all = returns.withLock { $0 }
            // Which way each return goes depends on what the others did meanwhile.
            #expect(all.contains { $0.recovered + $0.withSnapshot > 0 }, "seed \(seed)")
            #expect(await server.settled(0) { await $0.connectionCount } == 0)
        }
    }

    /// One thread's devices; at the end each must have the server's state.
    private static func wander(
        thread: Int, seed: UInt64, port: UInt16
    ) throws -> [RestlessDevice.Returns] {
        var generator = SplitMix(seed: seed &+ UInt64(thread))
        let devices = (0..<devicesEach).map { index in
            RestlessDevice(port: port, name: "\(10_000 + thread * devicesEach + index)")
        }
        for device in devices { try device.step(&generator) }
        for _ in 0..<stepsEach {
            try devices.randomElement(using: &generator)?.step(&generator)
        }
        let witness = try RawClient(port: port, device: "witness")
        // Others may go on meanwhile, so each device is compared at the revision of its own.
        for device in devices {
            var state = try witness.rpc("session.state", "a").result
            try device.finish(at: state.unsigned("rev") ?? 0)
            while let folded = device.folded, folded.revision != state.unsigned("rev") {
                state = try witness.rpc("session.state", "a").result
                try device.finish(at: state.unsigned("rev") ?? 0)
            }
            guard let folded = device.folded, folded.state == state["state"],
                folded.epoch == state["epoch"]?.string
            else {
                throw RawClient.Failure.unexpected("another state than the server's")
            }
        }
        return devices.map(\.returns)
    }
}
