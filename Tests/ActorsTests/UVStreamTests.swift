import Actors
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UVStreamTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func `both ends know each other's address`(host: String) async throws {
        try await withEventLoop { loop in
            let addresses: [String] = try await loop.attempt { done in
                try StreamPair.make(on: loop, host: host) { pair in
                    let seen = [pair.client.peerAddress?.host, pair.server.peerAddress?.host]
                    let ports = [pair.client.peerAddress?.port, pair.server.peerAddress?.port]
                    pair.close { _ in
                        done(seen.compactMap { $0 } + ports.map { $0 ?? 0 > 0 ? "port" : "none" })
                    }
                }
            }
            #expect(addresses == [host, host, "port", "port"])
        }
    }

    @Test(arguments: [UInt64.random(in: 0 ... .max)])
    func `a thousand messages come back whole, however they are cut`(seed: UInt64) async throws {
        print("seed \(seed)")
        let messages = Messages(count: 1000, seed: seed)
        let expected = messages.bytes
        let echoed: [UInt8] = try await withEventLoop { loop in
            try await loop.attempt { done in
                try StreamPair.make(on: loop) { pair in
                    pair.server.startReading { event in
                        switch event {
                        case .bytes(let bytes): pair.server.write([UInt8](copying: bytes))
                        case .end: pair.server.shutdown()
                        case .failed(let error): preconditionFailure("\(error)")
                        }
                    }
                    var received: [UInt8] = []
                    pair.client.startReading { event in
                        switch event {
                        case .bytes(let bytes): received += [UInt8](copying: bytes)
                        case .end: pair.close { _ in done(received) }
                        case .failed(let error): preconditionFailure("\(error)")
                        }
                    }
                    var cutter = messages
                    while let chunk = cutter.nextChunk() { pair.client.write(chunk) }
                    pair.client.shutdown()
                }
            }
        }
        #expect(echoed == expected)
    }

    @Test func `what the kernel does not take is queued and drains when the peer reads`()
        async throws
    {
        let total = 4 << 20
        let result: [Int] = try await withEventLoop { loop in
            try await loop.attempt { done in
                try StreamPair.make(on: loop) { pair in
                    let bytes = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                    let head = (try? pair.client.tryWrite(bytes.span)) ?? -1
                    var completions = 0
                    pair.client.write(bytes, from: head) { error in
                        #expect(error == nil)
                        #expect(pair.client.queuedBytes == 0)
                        completions += 1
                    }
                    let queued = pair.client.queuedBytes
                    // Nothing may overtake what is queued.
                    #expect((try? pair.client.tryWrite(bytes.span)) == 0)
                    var count = 0
                    var wrong = 0
                    pair.server.startReading { event in
                        guard case .bytes(let bytes) = event else { return }
                        for index in bytes.indices {
                            if bytes[index] != UInt8(truncatingIfNeeded: count &* 7) { wrong += 1 }
                            count += 1
                        }
                        guard count == total else { return }
                        let isPartial = head > 0 && head < total && queued > 0
                        loop.atTurnEnd {
                            pair.close { _ in done([isPartial ? 1 : 0, wrong, completions]) }
                        }
                    }
                }
            }
        }
        #expect(result == [1, 0, 1])
    }

    @Test func `an empty write and one after a close complete later, not at once`() async throws {
        let lines: [String] = try await withEventLoop { loop in
            try await loop.attempt { done in
                try StreamPair.make(on: loop) { pair in
                    let notes = LoopNotes()
                    pair.client.write([]) { notes.add("empty \($0?.name ?? "fine")") }
                    notes.add("called")
                    loop.atTurnEnd {
                        pair.client.close()
                        pair.client.write([1]) { notes.add("write \($0?.name ?? "fine")") }
                        pair.client.shutdown { notes.add("shutdown \($0?.name ?? "fine")") }
                        #expect(throws: UVError.self) { try pair.client.tryWrite([1].span) }
                        notes.add("closed")
                        pair.close { _ in done(notes.lines) }
                    }
                }
            }
        }
        #expect(
            lines == ["called", "empty fine", "closed", "write ECANCELED", "shutdown ECANCELED"])
    }

    @Test func `the end of a stream is heard once and the other direction stays open`() async throws
    {
        let lines: [String] = try await withEventLoop { loop in
            try await loop.attempt { done in
                let notes = LoopNotes()
                try StreamPair.make(on: loop) { pair in
                    pair.server.startReading { event in
                        guard case .end = event else { return }
                        notes.add("end")
                        pair.server.write([7]) { _ in pair.server.shutdown() }
                    }
                    pair.client.startReading { event in
                        switch event {
                        case .bytes(let bytes): notes.add("\(bytes[0])")
                        case .end: pair.close { _ in done(notes.lines) }
                        case .failed(let error): notes.add(error.name)
                        }
                    }
                    pair.client.shutdown()
                }
            }
        }
        #expect(lines == ["end", "7"])
    }

    @Test func `a stream that stopped reading goes on where it stopped`() async throws {
        let received: [UInt8] = try await withEventLoop { loop in
            try await loop.attempt { done in
                try StreamPair.make(on: loop) { pair in
                    var received: [UInt8] = []
                    func goOn() {
                        pair.server.startReading { event in
                            guard case .bytes(let bytes) = event else { return }
                            received += [UInt8](copying: bytes)
                            if received.count == 2 { pair.close { _ in done(received) } }
                        }
                    }
                    pair.server.startReading { event in
                        guard case .bytes(let bytes) = event else { return }
                        received += [UInt8](copying: bytes)
                        pair.server.stopReading()
                        pair.client.write([2]) { _ in loop.atTurnEnd(goOn) }
                    }
                    pair.client.write([1])
                }
            }
        }
        #expect(received == [1, 2])
    }
}
