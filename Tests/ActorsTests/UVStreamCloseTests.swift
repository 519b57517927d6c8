import Actors
import TestSupport
import Testing

/// Closing a stream at every moment at which libuv may still hold it.
@Suite(.timeLimit(.minutes(5)))
struct UVStreamCloseTests {
    @Test func `a stream may be closed in its read callback`() async throws {
        try await expectNothingOpen { loop, pair, done in
            var reads = 0
            pair.server.startReading { _ in
                reads += 1
                #expect(reads == 1)
                pair.server.close()
                pair.close(done)
            }
            pair.client.write([1, 2, 3])
        }
    }

    @Test func `a stream may be reset in its read callback`() async throws {
        try await expectNothingOpen { loop, pair, done in
            pair.server.startReading { _ in
                pair.server.reset()
                pair.close(done)
            }
            pair.client.write([1, 2, 3])
        }
    }

    @Test func `a stream may be closed in its write callback`() async throws {
        try await expectNothingOpen { loop, pair, done in
            pair.client.write([1]) { error in
                #expect(error == nil)
                pair.client.close()
                pair.close(done)
            }
        }
    }

    @Test(arguments: [false, true])
    func `closing with writes and a shutdown in flight cancels each once`(byReset: Bool)
        async throws
    {
        let notes = LoopNotes()
        try await expectNothingOpen { loop, pair, done in
            #expect(fill(pair.client) > 0)
            pair.client.write([UInt8](repeating: 1, count: 1 << 20)) {
                notes.add("first \($0?.name ?? "fine")")
            }
            pair.client.write([2]) { notes.add("second \($0?.name ?? "fine")") }
            pair.client.shutdown { notes.add("shutdown \($0?.name ?? "fine")") }
            if byReset {
                pair.client.reset { notes.add("closed") }
            } else {
                pair.client.close { notes.add("closed") }
            }
            pair.close(done)
        }
        #expect(
            notes.lines == [
                "first ECANCELED", "second ECANCELED", "shutdown ECANCELED", "closed",
            ])
    }

    @Test func `closing twice tells both callers, and a third one after the end`() async throws {
        let notes = LoopNotes()
        try await expectNothingOpen { loop, pair, done in
            pair.client.close { notes.add("first") }
            pair.client.close {
                notes.add("second")
                pair.client.close {
                    notes.add("third")
                    pair.close(done)
                }
                notes.add("not at once")
            }
            #expect(pair.client.isClosing)
        }
        #expect(notes.lines == ["first", "second", "not at once", "third"])
    }

    @Test func `a reset reaches the peer as an error`() async throws {
        let notes = LoopNotes()
        try await expectNothingOpen { loop, pair, done in
            pair.server.startReading { event in
                if case .failed(let error) = event { notes.add(error.description) }
                pair.close(done)
            }
            pair.client.reset()
        }
        #expect(notes.lines == ["read: connection reset by peer (ECONNRESET)"])
    }

    @Test func `writing to a peer that is gone is an error, not a signal`() async throws {
        let notes = LoopNotes()
        try await expectNothingOpen { loop, pair, done in
            pair.server.startReading { event in
                guard case .failed = event else { return }
                do throws(UVError) {
                    _ = try pair.server.tryWrite([1].span)
                    notes.add("fine")
                } catch {
                    notes.add(error.name)
                }
                pair.server.write([1]) {
                    notes.add($0?.name ?? "fine")
                    pair.close(done)
                }
            }
            pair.client.reset()
        }
        #expect(notes.lines == ["EPIPE", "EPIPE"])
    }

    @Test func `a refused connection is an error and the stream closes by itself`() async throws {
        try await withEventLoop { loop in
            let text: String = try await loop.attempt { done in
                // Bound but not listening: the port is taken and refuses.
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                let port = listener.address.port
                let stream = UVStream(on: loop)
                stream.connect(host: "127.0.0.1", port: port) { error in
                    #expect(stream.isClosing)
                    let text = error?.description ?? "connected"
                    stream.close {
                        listener.close {
                            done("\(loop.openHandles) \(text.replacing("\(port)", with: "PORT"))")
                        }
                    }
                }
            }
            #expect(text == "0 connect 127.0.0.1:PORT: connection refused (ECONNREFUSED)")
        }
    }

    @Test func `a host that is not numeric is an error, later`() async throws {
        try await withEventLoop { loop in
            let name: String = await loop.result { done in
                var isLater = false
                UVStream(on: loop).connect(host: "localhost", port: 1) { error in
                    #expect(isLater)
                    done(error?.name ?? "connected")
                }
                isLater = true
            }
            #expect(name == "EINVAL")
        }
    }

    @Test func `closing while connecting cancels the connection`() async throws {
        try await withEventLoop { loop in
            let name: String = try await loop.attempt { done in
                let listener = try UVListener(on: loop, host: "127.0.0.1", port: 0)
                try listener.listen(onConnection: { $0.close() }, onError: { _ in })
                let stream = UVStream(on: loop)
                stream.connect(host: "127.0.0.1", port: listener.address.port) { error in
                    listener.close()
                    done(error?.name ?? "connected")
                }
                stream.close()
            }
            #expect(name == "ECANCELED")
        }
    }

    /// Runs `body` with a connection and expects that the loop has nothing open when it is done.
    private func expectNothingOpen(
        _ body: @escaping @Sendable (UVEventLoop, StreamPair, @escaping (Int) -> Void) -> Void
    ) async throws {
        try await withEventLoop { loop in
            let open: Int = try await loop.attempt { done in
                try StreamPair.make(on: loop) { pair in body(loop, pair, done) }
            }
            #expect(open == 0)
        }
    }
}
