import Actors
import Coordinator
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UVListenerTests {
    @Test(arguments: [("127.0.0.1", "127.0.0.1:"), ("::1", "[::1]:")])
    func `the bound address names the port that the kernel chose`(
        host: String, prefix: String
    ) async throws {
        try await withEventLoop { loop in
            let address: String = try await loop.attempt { done in
                let listener = try UVListener(on: loop, host: host, port: 0)
                listener.close { done(listener.boundAddress) }
            }
            #expect(address.hasPrefix(prefix))
            #expect(UInt16(address.dropFirst(prefix.count)) ?? 0 > 0)
        }
    }

    @Test func `a port in use is an error that names the address`() async throws {
        try await withEventLoop { loop in
            let text: String = try await loop.attempt { done in
                let first = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                try first.listen(onConnection: { $0.close() }, onError: { _ in })
                let port = first.address.port
                do throws(UVError) {
                    _ = try UVListener(on: loop, host: "127.0.0.1", port: port)
                    done("bound")
                } catch {
                    done(error.description.replacing("\(port)", with: "PORT"))
                }
                first.close()
            }
            #expect(text == "listen 127.0.0.1:PORT: address already in use (EADDRINUSE)")
        }
    }

    @Test func `a host that is not numeric is an error`() async throws {
        try await withEventLoop { loop in
            let text: String = await loop.result { done in
                do throws(UVError) {
                    _ = try UVListener(on: loop, host: "localhost", port: 80)
                    done("bound")
                } catch {
                    done(error.description)
                }
            }
            #expect(text == "listen localhost:80: invalid argument (EINVAL)")
        }
    }

    @Test func `closing a listener lets go of connections that wait`() async throws {
        try await withEventLoop { loop in
            let open: Int = try await loop.attempt { done in
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                try listener.listen(
                    onConnection: { _ in preconditionFailure("accepted after the close") },
                    onError: { _ in preconditionFailure("an error after the close") })
                let client = UVStream(on: loop)
                client.connect(host: "127.0.0.1", port: listener.address.port) { error in
                    // The kernel had taken the connection; the reset may come before or after.
                    guard error == nil else {
                        return client.close { done(loop.openHandles) }
                    }
                    client.startReading { event in
                        if case .bytes = event { preconditionFailure("bytes from nobody") }
                        client.close { done(loop.openHandles) }
                    }
                }
                listener.close()
            }
            #expect(open == 0)
        }
    }

    @Test func `a listener may be closed in its connection callback`() async throws {
        try await withEventLoop { loop in
            let accepted: Int = try await loop.attempt { done in
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                var accepted = 0
                try listener.listen(
                    onConnection: { stream in
                        accepted += 1
                        stream.close()
                        listener.close { done(accepted) }
                    }, onError: { _ in })
                for _ in 0..<3 {
                    UVStream(on: loop).connect(host: "127.0.0.1", port: listener.address.port) {
                        _ in
                    }
                }
            }
            #expect(accepted == 1)
        }
    }

    @Test func `more connections than a turn accepts are all accepted`() async throws {
        try await withEventLoop { loop in
            let wanted = UVListener.connectionsPerTurn * 3
            let accepted: Int = try await loop.attempt { done in
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                var accepted = 0
                try listener.listen(
                    onConnection: { stream in
                        accepted += 1
                        stream.close()
                        if accepted == wanted { listener.close { done(accepted) } }
                    }, onError: { preconditionFailure("\($0)") })
                for _ in 0..<wanted {
                    let client = UVStream(on: loop)
                    client.connect(host: "127.0.0.1", port: listener.address.port) { _ in
                        client.close()
                    }
                }
            }
            #expect(accepted == wanted)
        }
    }

    @Test func `without a free descriptor accepting pauses and then goes on`() async {
        // The limit is the whole process's, hence a process of its own.
        await #expect(processExitsWith: .success) {
            let loop = try UVEventLoop(name: "full")
            loop.start()
            let outcome: [Int64] = try await loop.attempt { done in
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                let client = UVStream(on: loop)
                var errors: [Int64] = []
                try listener.listen(
                    onConnection: { stream in
                        stream.close()
                        client.close()
                        listener.close { done(errors) }
                    },
                    onError: { error in
                        precondition(error.name == "EMFILE", "\(error)")
                        errors.append(loop.now.milliseconds)
                        if errors.count == 2 { limitDescriptors(to: 256) }
                    })
                client.connect(host: "127.0.0.1", port: listener.address.port) { _ in }
                limitDescriptors(to: 0)
            }
            loop.stop()
            await loop.finished()
            precondition(outcome.count == 2, "\(outcome.count) errors instead of 2")
            let pause = outcome[1] - outcome[0]
            precondition(pause >= UVListener.pauseMilliseconds, "paused \(pause) ms")
        }
    }
}

/// Sets how many descriptors the process may have; those that are open stay so.
private func limitDescriptors(to count: rlim_t) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    precondition(unsafe getrlimit(resource, &limit) == 0)
    limit.rlim_cur = min(count, limit.rlim_max)
    precondition(unsafe setrlimit(resource, &limit) == 0)
}
